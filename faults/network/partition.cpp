// partition: nothing gets through, either way, and nobody is told.
#include "faults/all.h"
#include "faults/network/detail/bad_line.h"

namespace assay::faults {

FaultInfo partition() {
  return bad_line("partition", "nothing gets through, either way", {},
                  [](const FaultSpec&, int client, Surroundings& around) -> std::unique_ptr<Fault> {
                    return std::make_unique<BadLine>(
                        both_ways("timeout", {{"timeout", 0}}),
                        [](const proxy::ProxyCounters& grown) { return grown.bytes_dropped; },
                        "what was sent was swallowed", client, around);
                  });
}

}  // namespace assay::faults
