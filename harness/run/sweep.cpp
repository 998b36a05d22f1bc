#include "harness/run/sweep.h"

#include <fmt/format.h>

#include "harness/plan/account.h"
#include "harness/run/detail/hunt.h"

namespace assay {
namespace {

using namespace detail;

bool changes_something(StepKind kind) {
  return kind != StepKind::get && kind != StepKind::list && kind != StepKind::dead &&
         kind != StepKind::close && !is_of_the_world(kind);
}

class Sweep {
 public:
  Sweep(const DriverInfo& driver, const SweepOptions& options, const Parts& parts,
        const SweepListener& listener, std::stop_token stop)
      : options_(options),
        listener_(listener),
        hunt_(driver, options, parts, std::move(stop)),
        subject_(hunt_.subject()) {}

  SweepReport run() {
    if (!hunt_.begin(report_)) return report_;
    report_.interleaving = subject_.interleaving();
    report_.why_not_closer = subject_.why_not_closer();
    cut_everywhere();
    hunt_.end(report_, listener_.shrinking);
    return std::move(report_);
  }

 private:
  void cut_everywhere() {
    const Plan whole = with_account(options_.plan, report_.profile);
    const CaseResult counted = subject_.run_counted(whole);
    // What is wrong without any cut is convicted, too.
    hunt_.add(0, whole, counted, report_);
    std::vector<int> gates = counted.gates_of_step;
    gates.resize(options_.plan.steps.size());  // the account is left alone
    for (std::size_t i = 0; i < gates.size(); ++i) {
      if (!changes_something(whole.steps[i].kind)) gates[i] = 0;
      report_.calls += gates[i] > 0 ? 1 : 0;
      report_.gates += static_cast<std::size_t>(gates[i]);
    }
    const auto plans = cuts_of(whole, gates, report_.interleaving);
    report_.points = plans.size();
    for (const Plan& plan : plans) {
      if (!hunt_.goes_on(report_)) return;
      look_at(plan, subject_.run(plan));
    }
  }

  void look_at(const Plan& plan, const CaseResult& result) {
    ++report_.runs;
    for (const Step& step : plan.steps)
      if (step.cut) ++report_.points_of[std::string(name_of(step.kind))];
    report_.missed += result.cuts == 0 ? 1 : 0;
    hunt_.add(report_.runs, plan, result, report_);
    listener_.progress(report_);
  }

  const SweepOptions& options_;
  const SweepListener& listener_;
  Hunt hunt_;
  Subject& subject_;
  SweepReport report_;
};

}  // namespace

// In one process nothing can happen between a delivery and its effect.
std::vector<Plan> cuts_of(const Plan& plan, const std::vector<int>& gates_of_step,
                          Interleaving interleaving) {
  std::vector<Plan> plans;
  for (std::size_t i = 0; i < gates_of_step.size() && i < plan.steps.size(); ++i) {
    if (!changes_something(plan.steps[i].kind)) continue;
    for (int at = 1; at <= gates_of_step[i]; ++at)
      for (const CutPoint where :
           {CutPoint::before_delivery, CutPoint::after_delivery, CutPoint::after_effect}) {
        if (where == CutPoint::after_delivery && interleaving != Interleaving::trips) continue;
        // The answer is the whole call's.
        if (where == CutPoint::after_effect && interleaving != Interleaving::trips &&
            at < gates_of_step[i])
          continue;
        Plan& cut = plans.emplace_back(plan);
        cut.steps[i].cut = Cut{at, where};
        cut.name = fmt::format("{}/cut/{}/{}/{}", plan.name, i, at, name_of(where));
      }
  }
  return plans;
}

SweepReport sweep(const DriverInfo& driver, const SweepOptions& options, const Parts& parts,
                  const SweepListener& listener, std::stop_token stop) {
  return Sweep(driver, options, parts, listener, std::move(stop)).run();
}

int exit_status_of(const SweepReport& report) {
  const int status = exit_status_of_hunt(report);
  return status == 0 && !report.whole() ? 2 : status;
}

}  // namespace assay
