// all_faults: the literal catalogue. A new fault is its file, its line in CMakeLists.txt, and here.
#pragma once

#include <span>

#include "harness/fault/fault.h"

namespace assay {

namespace faults {
FaultInfo crash_loop();
FaultInfo crash_store();
FaultInfo kill_worker();
FaultInfo pause_store();
FaultInfo pause_worker();
FaultInfo skew_clock();
FaultInfo stop_worker();
}  // namespace faults

// In the order of their families. Lives as long as the program.
std::span<const FaultInfo> all_faults();

}  // namespace assay
