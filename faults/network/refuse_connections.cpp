// refuse_connections: every connection is closed, and nobody is let in.
#include "faults/all.h"
#include "faults/network/detail/bad_line.h"

namespace assay::faults {

FaultInfo refuse_connections() {
  return bad_line("refuse_connections", "connections are closed, and nobody is let in", {},
                  [](const FaultSpec&, int client, Surroundings& around) -> std::unique_ptr<Fault> {
                    return std::make_unique<BadLine>(
                        std::vector<proxy::ToxicSpec>{},
                        [](const proxy::ProxyCounters& grown) { return grown.cut; },
                        "connections were closed", client, around);
                  });
}

}  // namespace assay::faults
