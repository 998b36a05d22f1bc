#include "harness/plan/generate_processes.h"

#include <fmt/format.h>

#include "harness/contract/random.h"
#include "harness/plan/engine_build.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

class Draft {
 public:
  Draft(const Profile& profile, std::uint64_t seed, std::span<const std::string_view> faults)
      : random_(seed), faults_(faults), plan_(profile, fmt::format("processes/{:016x}", seed)) {}

  Plan draw() {
    workers_ = 2 + below(2);
    for (std::uint64_t i = 0; i < workers_; ++i) plan_.worker(worker());
    for (std::uint64_t jobs = 3 + below(4); jobs > 0; --jobs) job();
    const std::uint64_t troubles = 1 + below(3);
    for (std::uint64_t i = 0; i < troubles; ++i) {
      plan_.wait(some(0ms, lease));
      go_wrong();
      job();
    }
    return plan_.done();
  }

 private:
  static constexpr Duration lease = 800ms;

  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  Duration some(Duration least, Duration most) {
    return least + Duration{static_cast<std::int64_t>(
                       below(static_cast<std::uint64_t>((most - least).count())))};
  }

  WorkerSpec worker() {
    WorkerSpec spec;
    spec.concurrency = 1 + static_cast<int>(below(3));
    spec.lease = lease;
    spec.group_acks = one_in(3);
    spec.hears = one_in(2);
    if (one_in(4)) spec.timeout = some(200ms, 1'500ms);
    if (one_in(4)) spec.most_runs = 1 + static_cast<std::int64_t>(below(4));
    spec.grace = one_in(2) ? 100ms : 1'000ms;
    spec.interruption = 1'000ms;
    return spec;
  }

  std::string act() {
    static constexpr std::string_view ends[] = {"ok", "ok", "ok", "fail", "throw", "unrecoverable"};
    return fmt::format("{} {}", to_ms(one_in(3) ? some(0ms, 1'500ms) : some(0ms, 200ms)),
                       ends[below(std::size(ends))]);
  }

  // It succeeds at once in the end, however many runs it is allowed: time is the machine's.
  void job() {
    std::string script = act();
    for (std::uint64_t more = below(3); more > 0; --more) script += " | " + act();
    script += " | ok";
    EngineJobArgs args;
    if (one_in(4)) args.limit = 1 + static_cast<std::int64_t>(below(4));
    if (one_in(6)) args.timeout = some(200ms, 1'000ms);
    plan_.job(std::move(script), args);
  }

  void go_wrong() {
    const int whom = static_cast<int>(below(workers_));
    const std::string_view fault = faults_[below(faults_.size())];
    if (fault == "kill_worker") {
      plan_.begin_fault(fault, whom);
      plan_.wait(some(0ms, lease));
      return plan_.start(whom);
    }
    int slot = 0;
    if (fault == "crash_store") {
      slot = plan_.begin_fault(fault);
      plan_.wait(some(lease / 8, lease));
    } else if (fault == "wrong_machine_clock") {
      const auto offset = static_cast<std::int64_t>(200 + below(4'000));
      slot = plan_.begin_fault(fault, whom, {{"offset_ms", one_in(2) ? offset : -offset}});
      plan_.wait(some(lease / 4, lease * 2));
    } else {
      slot = plan_.begin_fault(fault, whom);
      plan_.wait(some(lease / 4, lease * 2));
    }
    plan_.end_fault(slot);
  }

  Random random_;
  const std::span<const std::string_view> faults_;
  EnginePlan plan_;
  std::uint64_t workers_ = 0;
};

}  // namespace

Plan generate_processes(const Profile& profile, std::uint64_t seed,
                        std::span<const std::string_view> faults) {
  return Draft(profile, seed, faults).draw();
}

}  // namespace assay
