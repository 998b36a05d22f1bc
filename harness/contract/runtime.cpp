#include "harness/contract/runtime.h"

#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace assay {
namespace {

// By how long it is until then, not by the hands of a clock that somebody may set meanwhile: who is
// woken early by that looks again. False: the time is up.
bool wait(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
          const std::optional<Instant>& deadline) {
  // Longer than anybody waits at a stretch, and no sum with the present overflows.
  constexpr Duration at_most = std::chrono::hours(24);
  const RealClock clock;
  if (!deadline) {
    condition.wait(lock);
    return true;
  }
  const Instant now = clock.now();
  if (*deadline <= now) return false;
  const bool is_far = *deadline > now + at_most;
  condition.wait_for(lock, is_far ? at_most : *deadline - now);
  return clock.now() < *deadline;
}

class RealMonitor final : public Monitor {
 public:
  void lock() override { mutex_.lock(); }
  void unlock() override { mutex_.unlock(); }
  bool wait_until(std::optional<Instant> deadline) override {
    std::unique_lock lock(mutex_, std::adopt_lock);
    const bool woken = wait(condition_, lock, deadline);
    lock.release();
    return woken;
  }
  void notify_one() override { condition_.notify_one(); }
  void notify_all() override { condition_.notify_all(); }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
};

class RealTask final : public Task {
 public:
  RealTask(const std::string& name, std::function<void(std::stop_token)> body) {
    thread_ =
        std::thread([end = end_, name, body = std::move(body), stop = stop_.get_token()]() mutable {
          ::pthread_setname_np(::pthread_self(), name.substr(0, 15).c_str());
          body(std::move(stop));
          body = nullptr;  // what it holds goes before anybody is told that it ended
          const std::lock_guard lock(end->mutex);
          end->has_ended = true;
          end->changed.notify_all();
        });
  }
  ~RealTask() override {
    if (!thread_.joinable()) return;
    stop_.request_stop();
    thread_.join();
  }

  void request_stop() override { stop_.request_stop(); }
  bool join_until(std::optional<Instant> deadline) override {
    std::unique_lock lock(end_->mutex);
    while (!end_->has_ended)
      if (!wait(end_->changed, lock, deadline)) return end_->has_ended;
    return true;
  }
  void let_go() override {
    if (thread_.joinable()) thread_.detach();
  }

 private:
  struct End {
    std::mutex mutex;
    std::condition_variable changed;
    bool has_ended = false;
  };
  std::shared_ptr<End> end_ =
      std::make_shared<End>();  // shared with the thread, which may outlive us
  std::stop_source stop_;
  std::thread thread_;
};

class RealRuntime final : public Runtime {
 public:
  Clock& clock() override { return clock_; }
  std::unique_ptr<Task> start(std::string name,
                              std::function<void(std::stop_token)> body) override {
    return std::make_unique<RealTask>(name, std::move(body));
  }
  std::unique_ptr<Monitor> monitor(const char*) override { return std::make_unique<RealMonitor>(); }

 private:
  RealClock clock_;
};

}  // namespace

std::unique_ptr<Runtime> real_runtime() { return std::make_unique<RealRuntime>(); }

}  // namespace assay
