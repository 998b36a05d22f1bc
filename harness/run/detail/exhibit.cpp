#include "harness/run/detail/exhibit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "harness/history/jsonl.h"
#include "harness/plan/shrink.h"
#include "harness/plan/story.h"
#include "harness/run/run.h"

namespace assay::detail {
namespace {

struct Shrunk {
  Plan plan;
  std::string remark;
};

// Whether the plan is convicted still; and for how long that may be asked.
class Trial {
 public:
  Trial(Subject& subject, std::string_view rule, const ExhibitOptions& options)
      : subject_(subject), rule_(rule), options_(options) {}

  // In one of so many runs; the first that convicts is kept.
  bool convicts_within(const Plan& plan, int runs) {
    for (int i = 0; i < runs && in_time(); ++i) {
      CaseResult ran = subject_.run(plan);
      if (!convicts(ran.judgement, rule_)) continue;
      last_ = std::move(ran);
      return true;
    }
    return false;
  }

  // By its own schedule; the plan gets the choices that were made.
  bool convicts_as_scheduled(Plan& plan) {
    if (!in_time()) return false;
    CaseResult ran = subject_.run(plan);
    if (!convicts(ran.judgement, rule_)) return false;
    plan = as_it_went(std::move(plan), ran);
    last_ = std::move(ran);
    return true;
  }

  // By its own, or by another that is drawn: where steps were left out, others come first.
  bool convicts_by_some_schedule(Plan& plan) {
    if (convicts_as_scheduled(plan)) return true;
    constexpr std::uint64_t others = 6;
    for (std::uint64_t seed = 0; seed < others; ++seed) {
      Plan other = plan;
      other.schedule = {.kind = seed % 2 == 0 ? Schedule::Kind::random_walk : Schedule::Kind::pct,
                        .seed = seed,
                        .moves = plan.schedule->choices.size()};
      if (!convicts_as_scheduled(other)) continue;
      plan = std::move(other);
      return true;
    }
    return false;
  }

  struct Rate {
    int convictions = 0;
    int runs = 0;
  };
  // In how many of so many runs, or of those that there is time for; the last that convicts is
  // kept.
  Rate rate(const Plan& plan, int runs) {
    Rate rate;
    while (rate.runs < runs && (rate.runs == 0 || in_time())) {
      CaseResult ran = subject_.run(plan);
      ++rate.runs;
      if (!convicts(ran.judgement, rule_)) continue;
      ++rate.convictions;
      last_ = std::move(ran);
    }
    return rate;
  }

  bool in_time() {
    in_time_ = in_time_ && watch_.seconds() < options_.seconds && !options_.stop.stop_requested();
    return in_time_;
  }
  bool was_in_time() const { return in_time_; }
  bool repeats_exactly(const Plan& plan) const {
    return assay::repeats_exactly(plan, subject_.profile());
  }
  const CaseResult& last() const { return last_; }

 private:
  Subject& subject_;
  std::string_view rule_;
  const ExhibitOptions& options_;
  Stopwatch watch_;
  bool in_time_ = true;
  CaseResult last_;
};

Shrunk smaller(const Witness& witness, Trial& trial, int runs_a_plan,
               const ExhibitOptions& options) {
  // Once the race is gone from it, one run tells.
  auto fails = [&](Plan& plan) {
    if (plan.schedule && is_free(plan)) return trial.convicts_by_some_schedule(plan);
    if (plan.workers.empty()) plan.schedule.reset();
    return trial.convicts_within(plan, trial.repeats_exactly(plan) ? 1 : runs_a_plan);
  };
  const std::size_t before = witness.plan.steps.size();
  ShrinkResult result = shrink(witness.plan, fails, options.shrink_runs);
  std::string remark =
      fmt::format("; shrunk from {} steps to {}", before, result.plan.steps.size());
  if (result.plan.schedule && result.plan.workers.empty()) {
    const ShrinkResult calmer = shrink_schedule(
        result.plan, [&](Plan& plan) { return trial.convicts_as_scheduled(plan); },
        options.shrink_runs - result.runs);
    remark += fmt::format(" and from {} switches between clients to {}",
                          switches(witness.plan.schedule->choices),
                          switches(calmer.plan.schedule->choices));
    result = {calmer.plan, result.runs + calmer.runs, result.minimal && calmer.minimal};
  }
  if (!trial.was_in_time())
    remark += fmt::format(", not minimal: time was up after {} runs", result.runs);
  else if (!result.minimal)
    remark += fmt::format(", not minimal: {} runs were not enough", result.runs);
  return {std::move(result.plan), std::move(remark)};
}

void present(RuleReport& report, ReplayToken token, const Witness& shown, Subject& subject) {
  const auto& [plan, history, finding, ops] = shown;
  token.plan = plan;
  token.plan_seed.reset();
  token.plan_free = false;
  token.schedule.reset();
  token.rule = report.id;
  token.history_hash = history_hash(history);
  token.history_trace = repeats_exactly(plan, history.profile) ? trace_of(history) : "";
  report.story = fmt::format("{}\n\n{}", fmt::join(tell(history), "\n"), finding);
  report.token = encode(token);
  report.tier = !repeats_exactly(plan, history.profile) ? "statistical"
                : subject.goes_by_trips(plan)           ? "round-trip exact"
                                                        : "exact";
  report.witness = ops;
  report.history = history;
  report.plan = plan;
}

Witness witness_of(const Plan& plan, const CaseResult& ran, std::string_view rule) {
  return {plan, ran.history, story_of(ran.history, ran.judgement, rule),
          ops_of(ran.judgement, rule)};
}

// A race that was seen once may not be seen again. A candidate counts as convicted where it is in
// one of as many runs as the first one needs for three.
void exhibit_race(const Witness& witness, Subject& subject, ReplayToken token,
                  const ExhibitOptions& options, RuleReport& report) {
  constexpr int sample = 20, most = 30;
  Trial trial(subject, report.id, options);
  const Trial::Rate again = trial.rate(witness.plan, sample);
  report.reason += fmt::format("; when the same plan ran again, in {} of {} runs",
                               again.convictions, again.runs);
  if (again.convictions == 0) return present(report, std::move(token), witness, subject);
  const int runs = std::min(most, (3 * again.runs + again.convictions - 1) / again.convictions);
  Shrunk shrunk = smaller(witness, trial, runs, options);
  shrunk.plan.name = fmt::format("shrunk/{}/{}", report.id, witness.plan.name);
  const Trial::Rate at_last = trial.rate(shrunk.plan, sample);
  if (at_last.convictions == 0) return present(report, std::move(token), witness, subject);
  report.reason += fmt::format("{}, which convicts in {} of {} runs", shrunk.remark,
                               at_last.convictions, at_last.runs);
  present(report, std::move(token), witness_of(shrunk.plan, trial.last(), report.id), subject);
}

}  // namespace

void exhibit(const RuleRecord& record, Subject& subject, ReplayToken token,
             const ExhibitOptions& options, RuleReport& report) {
  const Witness& witness = *record.witness;
  report.reason = "convicted in " + witness.plan.name;
  if (!repeats_exactly(witness.plan, subject.profile()))
    return exhibit_race(witness, subject, std::move(token), options, report);
  if (!convicts(subject.run(witness.plan).judgement, report.id)) {
    report.reason +=
        "; not convicted when the same plan ran again: the driver is not deterministic";
    return present(report, std::move(token), witness, subject);
  }
  Trial trial(subject, report.id, options);
  Shrunk shrunk = smaller(witness, trial, 1, options);
  report.reason += shrunk.remark;
  shrunk.plan.name = fmt::format("shrunk/{}/{}", report.id, witness.plan.name);
  const CaseResult once = subject.run(shrunk.plan);
  const CaseResult again = subject.run(shrunk.plan);
  if (!convicts(once.judgement, report.id)) {
    report.reason += "; the smaller plan did not convict again: the driver is not deterministic";
    return present(report, std::move(token), witness, subject);
  }
  // Ids and tokens may be drawn by the store: what a schedule decides is who moves when.
  const bool same = subject.goes_by_trips(shrunk.plan)
                        ? once.moves == again.moves
                        : history_hash(once.history) == history_hash(again.history);
  if (!same)
    report.reason +=
        "; two runs of that plan gave different histories: the driver is not "
        "deterministic";
  present(report, std::move(token), witness_of(shrunk.plan, once, report.id), subject);
}

}  // namespace assay::detail
