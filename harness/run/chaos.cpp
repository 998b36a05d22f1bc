#include "harness/run/chaos.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/contract/random.h"
#include "harness/fault/generate_chaos.h"
#include "harness/run/detail/cases.h"
#include "harness/run/detail/fault_tallies.h"
#include "harness/run/detail/hunt.h"

namespace assay {
namespace {

using namespace detail;

class Chaos {
 public:
  Chaos(const DriverInfo& driver, const ChaosOptions& options, const Parts& parts,
        const ChaosListener& listener, std::stop_token stop)
      : options_(options),
        listener_(listener),
        hunt_(driver, options, parts, std::move(stop), listener.fault) {}

  ChaosReport run() {
    if (!hunt_.begin(report_)) return report_;
    for (const FaultInfo* fault : options_.faults) {
      if (const auto why = why_it_cannot(*fault)) {
        report_.impossible.push_back(fmt::format("{}: {}", fault->name, *why));
        continue;
      }
      faults_.push_back(fault);
      report_.possible.emplace_back(fault->name);
    }
    listener_.ready(report_);
    while (!faults_.empty() && hunt_.goes_on(report_)) round();
    hunt_.end(report_, listener_.shrinking);
    return std::move(report_);
  }

 private:
  std::optional<std::string> why_it_cannot(const FaultInfo& fault) const {
    if (!fault.drawn_from) return "it befalls an engine, and these are clients alone";
    if (fault.effect == FaultEffect::store_away && report_.profile.durability == Durability::none)
      return "the driver does not claim to outlive its store";
    return why_not(fault, report_.profile,
                   {options_.driver_url, options_.server, options_.disk, options_.why_no_disk});
  }

  void round() {
    const std::uint64_t seed =
        Random(options_.seed).fork(fmt::format("round/{}", report_.rounds)).next();
    const auto mix = options_.mixes ? draw_mix(faults_, seed) : faults_;
    ReplayToken token = hunt_.token();
    token.plan = generate_free_chaos(report_.profile, seed, mix, options_.clients);
    const Plan& plan = *token.plan;
    listener_.begins(plan, encode(token));
    const CaseResult result = hunt_.subject().run(plan);
    ++report_.rounds;
    for (const Event& event : result.history.events) {
      const auto* end = std::get_if<ReturnEvent>(&event);
      report_.operations += end ? 1 : 0;
      report_.unknown += end && end->outcome == OutcomeKind::unknown ? 1 : 0;
    }
    report_.voided += result.void_because ? 1 : 0;
    add(tallies_, plan, result);
    report_.faults = listed(tallies_);
    hunt_.add(report_.rounds, plan, result, report_);
    listener_.progress(report_);
  }

  const ChaosOptions& options_;
  const ChaosListener& listener_;
  Hunt hunt_;
  std::vector<const FaultInfo*> faults_;
  ChaosReport report_;
  FaultTallies tallies_;
};

}  // namespace

ChaosReport chaos(const DriverInfo& driver, const ChaosOptions& options, const Parts& parts,
                  const ChaosListener& listener, std::stop_token stop) {
  return Chaos(driver, options, parts, listener, std::move(stop)).run();
}

int exit_status_of(const ChaosReport& report) {
  HuntReport hunt = report;
  hunt.stopped = false;
  const int status = exit_status_of_hunt(hunt);
  return status == 0 && (report.voided > 0 || report.possible.empty()) ? 2 : status;
}

}  // namespace assay
