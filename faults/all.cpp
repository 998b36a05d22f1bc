#include "faults/all.h"

namespace assay {

std::span<const FaultInfo> all_faults() {
  using namespace faults;
  static const FaultInfo all[] = {
      kill_worker(),        kill_at_request(),   stop_worker(),         pause_worker(),
      crash_loop(),         skew_clock(),        wrong_machine_clock(), step_store_clock(),
      partition(),          half_open(),         lose_requests(),       lose_replies(),
      slow_network(),       narrow_network(),    sliced_network(),      reset_connections(),
      cut_at_byte(),        slow_close(),        refuse_connections(),  restart_store(),
      crash_store(),        lose_power(),        pause_store(),         fail_over(),
      out_of_connections(), read_only(),         out_of_memory(),       full_disk(),
      drop_wakeups(),       duplicate_wakeups(), delay_wakeups(),       reorder_wakeups(),
      redeliver_wakeups()};
  return all;
}

}  // namespace assay
