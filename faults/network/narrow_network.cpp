// narrow_network: little gets through at a time.
#include "faults/all.h"
#include "faults/network/detail/bad_line.h"

namespace assay::faults {

FaultInfo narrow_network() {
  return bad_line(
      "narrow_network", "little gets through at a time", {{"rate_kb", 8}},
      [](const FaultSpec& spec, int client, Surroundings& around) -> std::unique_ptr<Fault> {
        const FaultInfo info = narrow_network();
        return std::make_unique<BadLine>(
            std::vector<proxy::ToxicSpec>{
                {.type = "bandwidth",
                 .stream = "upstream",
                 .attributes = {{"rate", number_of(info, spec, "rate_kb")}}},
                {.type = "bandwidth",
                 .stream = "downstream",
                 .attributes = {{"rate", number_of(info, spec, "rate_kb")}}}},
            [](const proxy::ProxyCounters& grown) { return grown.bytes_up + grown.bytes_down; },
            "what was sent came bit by bit", client, around);
      });
}

}  // namespace assay::faults
