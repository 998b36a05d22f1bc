// stop_worker: a client is asked to end (SIGTERM), and does, with whatever it does at its end.
#include <signal.h>

#include "faults/all.h"
#include "faults/worker/detail/processes.h"

namespace assay::faults {

FaultInfo stop_worker() {
  FaultInfo info = ended_by_signal("stop_worker", "a client is asked to end, and does (SIGTERM)");
  info.make = [](const FaultSpec&, int client, Surroundings& around) {
    return end_by_signal(SIGTERM, client, around);
  };
  return info;
}

}  // namespace assay::faults
