// kill_worker: a client dies at once, with all that it held (SIGKILL).
#include <signal.h>

#include "faults/all.h"
#include "faults/worker/detail/processes.h"

namespace assay::faults {

FaultInfo kill_worker() {
  FaultInfo info =
      ended_by_signal("kill_worker", "a client dies at once, with all that it held (SIGKILL)");
  info.make = [](const FaultSpec&, int client, Surroundings& around) {
    return end_by_signal(SIGKILL, client, around);
  };
  return info;
}

}  // namespace assay::faults
