#include "faults/all.h"

namespace assay {

std::span<const FaultInfo> all_faults() {
  using namespace faults;
  static const FaultInfo all[] = {kill_worker(),         kill_at_request(), stop_worker(),
                                  pause_worker(),        crash_loop(),      skew_clock(),
                                  wrong_machine_clock(), partition(),       half_open(),
                                  lose_requests(),       lose_replies(),    slow_network(),
                                  narrow_network(),      sliced_network(),  reset_connections(),
                                  cut_at_byte(),         slow_close(),      refuse_connections(),
                                  crash_store(),         pause_store(),     fail_over()};
  return all;
}

}  // namespace assay
