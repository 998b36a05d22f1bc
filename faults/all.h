// all_faults: the literal catalogue. A new fault is its file, its line in CMakeLists.txt, and here.
#pragma once

#include <span>

#include "harness/fault/fault.h"

namespace assay {

namespace faults {
FaultInfo crash_loop();
FaultInfo crash_store();
FaultInfo cut_at_byte();
FaultInfo fail_over();
FaultInfo full_disk();
FaultInfo kill_at_request();
FaultInfo kill_worker();
FaultInfo lose_power();
FaultInfo lose_replies();
FaultInfo lose_requests();
FaultInfo narrow_network();
FaultInfo out_of_connections();
FaultInfo out_of_memory();
FaultInfo partition();
FaultInfo half_open();
FaultInfo pause_store();
FaultInfo pause_worker();
FaultInfo read_only();
FaultInfo refuse_connections();
FaultInfo reset_connections();
FaultInfo restart_store();
FaultInfo skew_clock();
FaultInfo wrong_machine_clock();
FaultInfo sliced_network();
FaultInfo slow_close();
FaultInfo slow_network();
FaultInfo step_store_clock();
FaultInfo stop_worker();
FaultInfo drop_wakeups();
FaultInfo duplicate_wakeups();
FaultInfo delay_wakeups();
FaultInfo reorder_wakeups();
FaultInfo redeliver_wakeups();
}  // namespace faults

// In the order of their families. Lives as long as the program.
std::span<const FaultInfo> all_faults();

}  // namespace assay
