#include "harness/run/sweep.h"

#include <fmt/format.h>

#include "harness/contract/version.h"
#include "harness/plan/account.h"
#include "harness/run/detail/cases.h"
#include "harness/run/detail/convictions.h"

namespace assay {
namespace {

using namespace detail;

constexpr double shrink_seconds = 30;

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
        stop_(std::move(stop)),
        spec_{&driver,
              options.driver,
              options.profile,
              driver_seed(options.seed),
              options.driver_url,
              options.scratch,
              options.log_folder,
              parts.properties,
              0,
              parts.faults},
        subject_(spec_) {}

  SweepReport run() {
    const auto claimed = subject_.claims();
    if (!claimed.ok()) {
      report_.driver_trouble = "the driver cannot be made: " + claimed.error().message;
      return report_;
    }
    report_.profile = *claimed;
    report_.interleaving = subject_.interleaving();
    report_.why_not_closer = subject_.why_not_closer();
    cut_everywhere();
    report_.seconds = watch_.seconds();
    exhibit_all();
    if (const Status ended = subject_.end(); !ended.ok() && !report_.driver_trouble)
      report_.driver_trouble = ended.error().message;
    return std::move(report_);
  }

 private:
  void cut_everywhere() {
    const Plan whole = with_account(options_.plan, report_.profile);
    const CaseResult counted = subject_.run_counted(whole);
    report_.driver_trouble = counted.driver_trouble;
    report_.own_trouble = counted.own_trouble;
    // What is wrong without any cut is convicted, too.
    report_.violations += convictions_.add(0, whole, counted) ? 1 : 0;
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
      report_.stopped = stop_.stop_requested();
      if (report_.stopped || watch_.seconds() > options_.seconds || report_.driver_trouble ||
          report_.own_trouble || (report_.violations > 0 && !options_.go_on))
        return;
      look_at(plan, subject_.run(plan));
    }
  }

  void look_at(const Plan& plan, const CaseResult& result) {
    ++report_.runs;
    for (const Step& step : plan.steps)
      if (step.cut) ++report_.points_of[std::string(name_of(step.kind))];
    if (result.driver_trouble) report_.driver_trouble = result.driver_trouble;
    if (result.own_trouble) report_.own_trouble = result.own_trouble;
    report_.missed += result.cuts == 0 ? 1 : 0;
    const bool convicted = convictions_.add(report_.runs, plan, result);
    report_.violations += convicted ? 1 : 0;
    report_.undecided += !convicted && result.judgement.undecided > 0 ? 1 : 0;
    report_.seconds = watch_.seconds();
    listener_.progress(report_);
  }

  void exhibit_all() {
    ReplayToken token;
    token.assay_version = version();
    token.driver = options_.driver;
    token.profile = report_.profile;
    token.driver_seed = spec_.seed;
    convictions_.exhibit_all(subject_, token, {options_.shrink_runs, shrink_seconds, stop_},
                             listener_.shrinking);
    report_.rules = std::move(convictions_.rules);
  }

  const SweepOptions& options_;
  const SweepListener& listener_;
  std::stop_token stop_;
  SubjectSpec spec_;
  Subject subject_;
  Stopwatch watch_;
  SweepReport report_;
  Convictions convictions_;
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
  if (!report.rules.empty()) return 1;
  if (report.own_trouble) return 3;
  const bool unsure = report.driver_trouble || report.undecided > 0 || !report.whole();
  return unsure || report.stopped ? 2 : 0;
}

}  // namespace assay
