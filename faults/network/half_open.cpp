// half_open: the store's side of the connections is gone, and the client is not told: it speaks
// into the void until its patience ends.
#include "faults/all.h"
#include "faults/network/detail/bad_line.h"

namespace assay::faults {

FaultInfo half_open() {
  return bad_line("half_open",
                  "the store's side of the connections is gone, and the client is not told", {},
                  [](const FaultSpec&, int client, Surroundings& around) -> std::unique_ptr<Fault> {
                    return std::make_unique<BadLine>(
                        both_ways("timeout", {{"timeout", 0}}),
                        [](const proxy::ProxyCounters& grown) { return grown.bytes_dropped; },
                        "the store's sides were cut off, and what was sent was swallowed", client,
                        around, true);
                  });
}

}  // namespace assay::faults
