#include "harness/run/detail/exhibit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/history/jsonl.h"
#include "harness/plan/shrink.h"
#include "harness/plan/story.h"

namespace assay::detail {
namespace {

struct Shrunk {
  Plan plan;
  std::string remark;
};

Shrunk smaller(const Witness& witness, std::string_view rule, Subject& subject,
               const ExhibitOptions& options) {
  const Stopwatch watch;
  bool in_time = true;
  auto fails = [&](const Plan& plan) {
    in_time = in_time && watch.seconds() < options.seconds && !options.stop.stop_requested();
    return in_time && convicts(subject.run(plan).judgement, rule);
  };
  const std::size_t before = witness.plan.steps.size();
  ShrinkResult result = shrink(witness.plan, fails, options.shrink_runs);
  std::string remark =
      fmt::format("; shrunk from {} steps to {}", before, result.plan.steps.size());
  if (!in_time)
    remark += fmt::format(", not minimal: time was up after {} runs", result.runs);
  else if (!result.minimal)
    remark += fmt::format(", not minimal: {} runs were not enough", result.runs);
  return {std::move(result.plan), std::move(remark)};
}

void present(RuleReport& report, ReplayToken token, const Plan& plan, const History& history,
             const std::string& finding) {
  token.plan = plan;
  token.plan_seed.reset();
  token.rule = report.id;
  token.history_hash = history_hash(history);
  token.history_trace = trace_of(history);
  report.story = fmt::format("{}\n\n{}", fmt::join(tell(history), "\n"), finding);
  report.token = encode(token);
  report.history = history;
  report.plan = plan;
}

}  // namespace

void exhibit(const RuleRecord& record, Subject& subject, ReplayToken token,
             const ExhibitOptions& options, RuleReport& report) {
  const Witness& witness = *record.witness;
  report.reason = "convicted in " + witness.plan.name;
  if (!convicts(subject.run(witness.plan).judgement, report.id)) {
    report.reason +=
        "; not convicted when the same plan ran again: the driver is not deterministic";
    return present(report, std::move(token), witness.plan, witness.history, witness.story);
  }
  Shrunk shrunk = smaller(witness, report.id, subject, options);
  report.reason += shrunk.remark;
  shrunk.plan.name = fmt::format("shrunk/{}/{}", report.id, witness.plan.name);
  const CaseResult once = subject.run(shrunk.plan);
  const CaseResult again = subject.run(shrunk.plan);
  if (!convicts(once.judgement, report.id)) {
    report.reason += "; the smaller plan did not convict again: the driver is not deterministic";
    return present(report, std::move(token), witness.plan, witness.history, witness.story);
  }
  if (history_hash(once.history) != history_hash(again.history))
    report.reason +=
        "; two runs of that plan gave different histories: the driver is not "
        "deterministic";
  present(report, std::move(token), shrunk.plan, once.history,
          story_of(once.history, once.judgement, report.id));
}

}  // namespace assay::detail
