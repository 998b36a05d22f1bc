// What the faults of wake-ups have in common: a share of the messages is spoiled for as long as
// the fault lasts, and those that were are its proof.
#pragma once

#include "harness/fault/fault.h"
#include "harness/fault/wakeup_trouble.h"

namespace assay::faults {

// `with` has percent, and within_ms where it says how long.
FaultInfo spoiled_wakeups(std::string_view name, std::string_view summary);

std::unique_ptr<Fault> spoil_wakeups(Spoiling how, int percent, Duration within,
                                     Surroundings& around);

}  // namespace assay::faults
