// reset_connections: connections are cut off as soon as something is said on them (RST).
#include "faults/all.h"
#include "faults/network/detail/bad_line.h"

namespace assay::faults {

FaultInfo reset_connections() {
  return bad_line(
      "reset_connections", "connections are cut off (RST)", {{"after_ms", 0}},
      [](const FaultSpec& spec, int client, Surroundings& around) -> std::unique_ptr<Fault> {
        const FaultInfo info = reset_connections();
        return std::make_unique<BadLine>(
            std::vector<proxy::ToxicSpec>{
                {.type = "reset_peer",
                 .stream = "downstream",
                 .attributes = {{"timeout", number_of(info, spec, "after_ms")}}}},
            [](const proxy::ProxyCounters& grown) { return grown.reset; },
            "connections were cut off", client, around);
      });
}

}  // namespace assay::faults
