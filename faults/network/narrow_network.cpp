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
            both_ways("bandwidth", {{"rate", number_of(info, spec, "rate_kb")}}),
            [](const proxy::ProxyCounters& grown) { return grown.chunks_delayed; },
            "what was sent came bit by bit", client, around);
      });
}

}  // namespace assay::faults
