#include "harness/run/detail/fault_tallies.h"

namespace assay::detail {

void add(FaultTallies& tallies, const Plan& plan, const CaseResult& result) {
  for (const Step& step : plan.steps)
    if (step.fault) ++tallies[step.fault->name].planned;
  for (const FaultRecord& record : result.faults) {
    FaultTally& tally = tallies[record.fault];
    tally.begun += record.begun ? 1 : 0;
    tally.proven += record.is_proven() ? 1 : 0;
    tally.in_flight += record.in_flight;
    if (tally.proof.empty()) tally.proof = record.proof;
    if (record.is_void()) {
      if (tally.why_not.empty()) tally.why_not = record.why_not;
    } else if (!record.is_proven()) {
      ++tally.unmet;
    }
  }
}

std::vector<FaultTally> listed(const FaultTallies& tallies) {
  std::vector<FaultTally> list;
  for (const auto& [name, tally] : tallies) list.emplace_back(tally).fault = name;
  return list;
}

}  // namespace assay::detail
