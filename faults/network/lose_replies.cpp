// lose_replies: what the client asks for is done; the answer does not come.
#include "faults/all.h"
#include "faults/network/detail/bad_line.h"

namespace assay::faults {

FaultInfo lose_replies() {
  return bad_line(
      "lose_replies", "what a client asks for is done, and the answer is lost", {},
      [](const FaultSpec&, int client, Surroundings& around) -> std::unique_ptr<Fault> {
        return std::make_unique<BadLine>(
            std::vector<proxy::ToxicSpec>{
                {.type = "timeout", .stream = "downstream", .attributes = {{"timeout", 0}}}},
            [](const proxy::ProxyCounters& grown) { return grown.bytes_dropped; },
            "what the store sent was swallowed", client, around);
      });
}

}  // namespace assay::faults
