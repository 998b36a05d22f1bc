#include "harness/plan/generate_dispatch.h"

#include <fmt/format.h>

#include "harness/contract/random.h"
#include "harness/plan/engine_build.h"

namespace assay {
namespace {

class Draft {
 public:
  Draft(const Profile& profile, std::uint64_t seed, Level level)
      : random_(seed), level_(level), plan_(profile, fmt::format("dispatch/{:016x}", seed)) {}

  Plan draw() {
    crew_ = one_in(3) ? 2 : 1;
    for (int i = 0; i < crew_; ++i) plan_.worker(dispatcher());
    const int workers = 1 + static_cast<int>(below(3));
    for (int i = 0; i < workers; ++i) plan_.worker(worker());
    crew_ += workers;
    const std::uint64_t steps = 6 + below(12);
    for (std::uint64_t i = 0; i < steps; ++i) step();
    Plan plan = plan_.done();
    plan.schedule = schedule();
    return plan;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  // Around the length of a lease: shorter, as long, longer.
  Duration some_length() { return plan_.lease() * static_cast<std::int64_t>(1 + below(25)) / 10; }
  int anybody() { return static_cast<int>(below(static_cast<std::uint64_t>(crew_))); }

  Schedule schedule() {
    Schedule schedule;
    schedule.seed = random_.next();
    if (level_ == Level::contract || one_in(2)) return schedule;
    schedule.kind = Schedule::Kind::pct;
    schedule.depth = 2 + static_cast<int>(below(3));
    schedule.moves = 400;
    return schedule;
  }

  WorkerSpec dispatcher() {
    WorkerSpec spec{.kind = WorkerSpec::Kind::dispatcher, .queues = {"q", "p"}};
    if (one_in(2)) spec.every = Duration{static_cast<std::int64_t>(200 + below(3'000))};
    spec.hands_events = one_in(2);
    return spec;
  }

  WorkerSpec worker() {
    WorkerSpec spec{.queues = {"q", "p"}};
    spec.concurrency = 1 + static_cast<int>(below(3));
    spec.hears = !one_in(4);
    spec.looks_itself = !spec.hears || one_in(3);
    spec.outbox = !one_in(3);
    spec.group_acks = one_in(4);
    if (one_in(4)) spec.timeout = some_length();
    if (one_in(5)) spec.type_limit = 1;
    spec.grace = one_in(2) ? plan_.lease() / 2 : Duration{30'000};
    return spec;
  }

  std::string act() {
    static constexpr std::string_view ends[] = {"ok", "ok", "ok", "fail", "fail", "throw"};
    std::string text(ends[below(std::size(ends))]);
    if (one_in(2)) text = fmt::format("{} {}", to_ms(some_length()), text);
    if (one_in(3)) text += one_in(4) ? " to nowhere" : " to events";
    return text;
  }

  void enqueue() {
    std::string script = act();
    for (std::uint64_t more = below(3); more > 0; --more) script += " | " + act();
    EngineJobArgs args;
    args.queue = one_in(4) ? "p" : "q";
    args.announced = !one_in(4);
    if (one_in(5)) args.delay = some_length();
    // Some contracts allow many runs, each of which takes its time.
    if (one_in(3) || plan_.profile().default_limit > 5)
      args.limit = 1 + static_cast<std::int64_t>(below(4));
    jobs_.push_back(plan_.job(std::move(script), args));
  }

  void wait() {
    plan_.wait(one_in(3) ? Duration{static_cast<std::int64_t>(below(1'500))} : some_length());
  }

  // A share of the messages, for a while.
  int spoil() {
    static constexpr std::string_view faults[] = {"drop_wakeups", "duplicate_wakeups",
                                                  "delay_wakeups", "reorder_wakeups",
                                                  "redeliver_wakeups"};
    const std::uint64_t which = below(std::size(faults));
    std::map<std::string, std::int64_t> with{
        {"percent", 20 + static_cast<std::int64_t>(below(81))}};
    if (which >= 2) with["within_ms"] = to_ms(some_length());
    return plan_.begin_fault(faults[which], -1, std::move(with));
  }

  void go_wrong() {
    int slot = 0;
    switch (below(7)) {
      case 0:
        return plan_.kill(anybody());
      case 1:
        return plan_.start(anybody());
      case 2:
        slot = plan_.begin_fault("store_away", one_in(2) ? -1 : anybody());
        break;
      case 3:
        slot = plan_.begin_fault("answers_lost", anybody());
        break;
      default:
        slot = spoil();
    }
    if (one_in(2)) enqueue();
    wait();
    if (!one_in(4)) plan_.end_fault(slot);
  }

  void step() {
    const std::uint64_t what = below(12);
    if (what < 6 || jobs_.empty()) return enqueue();
    if (what < 8) return wait();
    if (level_ >= Level::chaos && !one_in(3)) return go_wrong();
    switch (below(4)) {
      case 0:
        return plan_.cancel(jobs_[below(jobs_.size())]);
      case 1:
        return plan_.stop(anybody());
      case 2:
        return plan_.start(anybody());
      default:
        plan_.pause("q");
        wait();
        plan_.resume("q");
    }
  }

  Random random_;
  Level level_;
  EnginePlan plan_;
  int crew_ = 0;
  std::vector<JobRef> jobs_;
};

}  // namespace

Plan generate_dispatch(const Profile& profile, std::uint64_t seed, Level level) {
  return Draft(profile, seed, level).draw();
}

}  // namespace assay
