#include "harness/plan/generate_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/contract/random.h"
#include "harness/plan/engine_build.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

class Draft {
 public:
  Draft(const Profile& profile, std::uint64_t seed, Level level)
      : random_(seed), level_(level), plan_(profile, fmt::format("engine/{:016x}", seed)) {}

  Plan draw() {
    workers_ = 1 + static_cast<int>(below(3));
    for (int i = 0; i < workers_; ++i) plan_.worker(worker(i == 0));
    const std::uint64_t steps = 6 + below(14);
    for (std::uint64_t i = 0; i < steps; ++i) step();
    Plan plan = plan_.done();
    plan.schedule = schedule();
    return plan;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  Duration lease() const { return plan_.lease(); }
  // Around the length of a lease: shorter, as long, longer.
  Duration some_length() { return lease() * static_cast<std::int64_t>(1 + below(30)) / 10; }

  Schedule schedule() {
    Schedule schedule;
    schedule.seed = random_.next();
    if (level_ == Level::contract || one_in(2)) return schedule;
    schedule.kind = Schedule::Kind::pct;
    schedule.depth = 2 + static_cast<int>(below(3));
    schedule.moves = 400;
    return schedule;
  }

  // Somebody serves both queues, so that every job can end.
  WorkerSpec worker(bool serves_all) {
    WorkerSpec spec;
    spec.queues = !serves_all && one_in(2) ? std::vector<std::string>{"q"}
                                           : std::vector<std::string>{"q", "p"};
    spec.concurrency = one_in(3) ? 4 : 1 + static_cast<int>(below(2));
    if (one_in(3)) spec.timeout = some_length();
    if (one_in(4)) spec.most_runs = 1 + static_cast<std::int64_t>(below(4));
    if (one_in(4)) spec.type_limit = 1;
    if (one_in(5)) spec.rate_every = lease() / 4;
    spec.group_acks = one_in(3);
    spec.grace = one_in(2) ? lease() / 2 : Duration{30'000};
    return spec;
  }

  std::string act() {
    static constexpr std::string_view ends[] = {"ok",    "ok",  "fail",
                                                "throw", "odd", "unrecoverable"};
    std::string text(ends[below(std::size(ends))]);
    if (one_in(2)) text = fmt::format("{} {}", to_ms(some_length()), text);
    if (one_in(6)) text += fmt::format(" deaf {}", to_ms(lease() / 5));
    return text;
  }

  void enqueue() {
    std::string script = act();
    for (std::uint64_t more = below(3); more > 0; --more) script += " | " + act();
    EngineJobArgs args;
    args.queue = one_in(4) ? "p" : "q";
    if (one_in(8)) args.type = "other";
    if (one_in(10)) args.type = "nobody";
    if (one_in(5)) args.delay = some_length();
    if (one_in(3)) args.limit = 1 + static_cast<std::int64_t>(below(4));
    if (one_in(4)) args.timeout = some_length();
    jobs_.push_back(plan_.job(std::move(script), args));
  }

  int any_worker() { return static_cast<int>(below(static_cast<std::uint64_t>(workers_))); }

  void go_wrong() {
    const int whom = any_worker();
    switch (below(5)) {
      case 0:
        return plan_.kill(whom);
      case 1:
        return plan_.start(whom);
      case 2:
        faults_.push_back(plan_.begin_fault("store_away"));
        break;
      case 3:
        faults_.push_back(plan_.begin_fault("store_away", whom));
        break;
      default:
        faults_.push_back(plan_.begin_fault("answers_lost", whom));
    }
    plan_.wait(some_length());
    if (one_in(4)) return;
    plan_.end_fault(faults_.back());
    faults_.pop_back();
  }

  void step() {
    const std::uint64_t what = below(12);
    if (what < 6 || jobs_.empty()) return enqueue();
    if (what < 9)
      return plan_.wait(one_in(3) ? Duration{static_cast<std::int64_t>(below(500))}
                                  : some_length());
    if (level_ >= Level::chaos && one_in(2)) return go_wrong();
    switch (below(4)) {
      case 0:
        return plan_.cancel(jobs_[below(jobs_.size())]);
      case 1:
        return plan_.stop(any_worker());
      case 2:
        return plan_.start(any_worker());
      default:
        plan_.pause("q");
        plan_.wait(some_length());
        plan_.resume("q");
    }
  }

  Random random_;
  Level level_;
  EnginePlan plan_;
  int workers_ = 0;
  std::vector<JobRef> jobs_;
  std::vector<int> faults_;
};

}  // namespace

Plan generate_engine(const Profile& profile, std::uint64_t seed, Level level) {
  return Draft(profile, seed, level).draw();
}

}  // namespace assay
