// VirtualCore: the turns and the time of a VirtualRuntime.
//
// Thread-safe. Shared by the runtime, its tasks and its monitors: whoever stands still for good
// keeps it.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "harness/contract/random.h"
#include "harness/schedule/detail/task_carrier.h"
#include "harness/schedule/scheduler.h"
#include "harness/schedule/virtual_runtime.h"

namespace assay {

class VirtualRuntime::Core final : public Gates,
                                   public Clock,
                                   public std::enable_shared_from_this<VirtualRuntime::Core> {
 public:
  Core(Strategy& strategy, const VirtualSettings& settings);

  // --- Gates ---
  bool on() const override;
  void pass(const char* where) override;
  bool wait(const char* for_what, const void* what) override;
  void opened(const void* what) override;

  // --- Clock ---
  Instant now() const override { return clock_.now(); }
  void sleep_until(Instant when, std::stop_token stop) override;

  // --- tasks ---
  using Body = std::function<void(std::stop_token)>;
  int start(std::string name, Body body);
  void request_stop(int task);
  bool join(int task, const std::optional<Instant>& deadline);
  void let_go_of(int task);
  bool needs_no_end(int task);  // has ended, or was let go
  VirtualRun run(std::function<void()> body);

  // --- monitors ---
  struct Lock {
    const char* name = "";
    bool held = false;
    std::vector<int> waiting = {};  // for a notification
  };
  void acquire(Lock& lock);
  void release(Lock& lock);
  bool wait_in(Lock& lock, const std::optional<Instant>& deadline);
  void notify(Lock& lock, bool all);

 private:
  struct Carried {
    std::string name;
    std::string its_end;  // what those who join it wait for
    Body body;
    std::stop_source stop;
    std::optional<Instant> deadline;  // while it waits
    bool timed_out = false;
    bool has_ended = false;
    bool is_let_go = false;
    std::vector<int> joiners;
  };
  using Held = std::unique_lock<std::mutex>;

  Carried& at(int task) { return *tasks_[static_cast<std::size_t>(task)]; }
  void live(int number);
  void stand(Held& held);
  [[noreturn]] void stand_for_good(Held& held);
  // Until somebody wakes the caller; false: until the deadline.
  bool wait_for_wake(Held& held, const char* for_what, const std::optional<Instant>& deadline);
  void wake(int task);
  void retake(Held& held, Lock& lock);

  int let_one_go();
  std::optional<Instant> next_deadline() const;
  bool machine_is_slow();
  void pass_time_until(Instant when);
  void nobody_can();
  void finish();
  void watch_over(Held& held);

  static thread_local const Core* of;
  static thread_local int me;

  const VirtualSettings settings_;
  std::mutex mutex_;  // of all below, but the semaphores and bodies
  std::condition_variable ended_;
  Scheduler scheduler_;
  Random chance_;
  VirtualClock clock_;
  std::vector<std::unique_ptr<Carried>> tasks_;
  VirtualRun told_;
  bool over_ = false;
  const std::unique_ptr<scheduling::TaskCarrier> carrier_;
};

}  // namespace assay
