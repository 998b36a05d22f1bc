// lose_requests: what the client says does not reach the store; what the store says reaches the
// client.
#include "faults/all.h"
#include "faults/network/detail/bad_line.h"

namespace assay::faults {

FaultInfo lose_requests() {
  return bad_line(
      "lose_requests", "what a client asks for does not reach the store", {},
      [](const FaultSpec&, int client, Surroundings& around) -> std::unique_ptr<Fault> {
        return std::make_unique<BadLine>(
            std::vector<proxy::ToxicSpec>{
                {.type = "timeout", .stream = "upstream", .attributes = {{"timeout", 0}}}},
            [](const proxy::ProxyCounters& grown) { return grown.bytes_dropped; },
            "what the client sent was swallowed", client, around);
      });
}

}  // namespace assay::faults
