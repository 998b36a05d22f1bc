#include "harness/plan/generate_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/contract/random.h"
#include "harness/plan/engine_build.h"
#include "harness/plan/generate_dispatch.h"
#include "harness/plan/generate_flows.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

class Draft {
 public:
  Draft(const Profile& profile, std::uint64_t seed, Level level)
      : random_(seed), level_(level), plan_(profile, fmt::format("engine/{:016x}", seed)) {}

  Plan draw() {
    has_flows_ = one_in(2);
    workers_ = 1 + static_cast<int>(below(3));
    for (int i = 0; i < workers_; ++i) plan_.worker(worker(i == 0));
    if (one_in(4)) recur();
    if (one_in(4)) callers_.push_back(with_another([&] { return plan_.caller(); }));
    if (one_in(10)) fail_together();
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
    std::string text = draw_outputs(random_) + std::string(ends[below(std::size(ends))]);
    if (one_in(2)) text = fmt::format("{} {}", to_ms(some_length()), text);
    if (one_in(6)) text += fmt::format(" deaf {}", to_ms(lease() / 5));
    return text;
  }

  void enqueue() {
    std::string script = act();
    // One that was stubborn in every run would lose each of its leases, and never end.
    if (one_in(6)) script = draw_outputs(random_) + script + " stubborn | " + act();
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

  // Handed in once, by two at once, or once more later.
  void flow() {
    if (flows_.empty() || !one_in(4))
      flows_.push_back(draw_flow(random_, fmt::format("f{}", flows_.size() + 1), lease()));
    const std::string& text = flows_[one_in(4) ? below(flows_.size()) : flows_.size() - 1];
    plan_.flow(text, one_in(4) ? 2 : 1);
    if (one_in(4)) plan_.sweep(1 + static_cast<int>(below(2)));
  }

  template <class Make>
  int with_another(const Make& make) {
    ++workers_;
    return make();
  }

  // One or two who make the jobs of one or two schedules.
  void recur() {
    const std::uint64_t schedulers = 1 + below(2), schedules = 1 + below(2);
    for (std::uint64_t i = 0; i < schedulers; ++i)
      static_cast<void>(with_another([&] { return plan_.scheduler(); }));
    static constexpr std::string_view crons[] = {"* * * * *", "*/2 * * * *", "1-59/3 * * * *",
                                                 "0,7,21 * 1 JAN *"};
    for (std::uint64_t i = 0; i < schedules; ++i) {
      Recurring recurring;
      recurring.name = fmt::format("r{}", i);
      recurring.missed = static_cast<Recurring::Missed>(below(3));
      recurring.bound = 1 + static_cast<std::int64_t>(below(4));
      recurring.cron = crons[below(std::size(crons))];
      if (one_in(3)) recurring.in_time = Duration{1'000};
      recurring_.push_back(recurring.name);
      plan_.schedule(recurring, one_in(3) ? "unrecoverable" : "ok");
    }
  }

  // As many as it takes to tell what they wait for from a constant.
  void fail_together() {
    for (int i = 0; i < 22; ++i) jobs_.push_back(plan_.job("fail | ok", {.limit = 3}));
  }

  // Windows come and go; the odd seconds keep changes apart from them.
  void let_windows_pass() {
    const std::string& name = recurring_[below(recurring_.size())];
    const Duration some = std::chrono::seconds(61 + below(300));
    if (one_in(3)) {
      plan_.pause_schedule(name);
      plan_.wait(some);
      plan_.resume_schedule(name);
    }
    plan_.wait(some);
  }

  void order() {
    static constexpr std::string_view ways[] = {"submit", "submit_and_wait", "send_event"};
    EngineJobArgs args;
    args.queue = one_in(4) ? "p" : "q";
    args.key = fmt::format("k{}", below(3));
    plan_.order(callers_[below(callers_.size())], ways[below(std::size(ways))], act(), args);
  }

  int any_worker() { return static_cast<int>(below(static_cast<std::uint64_t>(workers_))); }

  void go_wrong() {
    const int whom = any_worker();
    switch (below(7)) {
      case 0:
        return plan_.kill(whom);
      case 1:
        return plan_.start(whom);
      case 5:
        plan_.kill_at_call(whom, 1 + static_cast<std::int64_t>(below(4)));
        break_off();
        return plan_.start(whom);
      case 6:
        faults_.push_back(plan_.begin_fault("answers_lost"));
        break;
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

  // Something to die at, and its time.
  void break_off() {
    if (has_flows_) flow();
    enqueue();
    plan_.wait(some_length());
  }

  void step() {
    const std::uint64_t what = below(12);
    if (has_flows_ && what < 3) return flow();
    if (!recurring_.empty() && one_in(4)) return let_windows_pass();
    if (!callers_.empty() && one_in(3)) return order();
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
  bool has_flows_ = false;
  std::vector<std::string> flows_;
  std::vector<JobRef> jobs_;
  std::vector<std::string> recurring_;
  std::vector<int> callers_;
  std::vector<int> faults_;
};

}  // namespace

Plan generate_engine(const Profile& profile, std::uint64_t seed, Level level) {
  // In two of five jobs are announced.
  const std::uint64_t which = Random(seed).fork("which").below(5);
  if (which < 2) return generate_dispatch(profile, seed, level);
  return Draft(profile, seed, level).draw();
}

}  // namespace assay
