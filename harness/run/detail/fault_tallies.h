// FaultTallies: what became of the faults of many cases, by their names.
#pragma once

#include <map>
#include <string>

#include "harness/run/certify.h"
#include "harness/run/detail/subject.h"

namespace assay::detail {

using FaultTallies = std::map<std::string, FaultTally>;

void add(FaultTallies& tallies, const Plan& plan, const CaseResult& result);

// In the order of their names.
std::vector<FaultTally> listed(const FaultTallies& tallies);

}  // namespace assay::detail
