// sliced_network: what is sent comes in small pieces.
#include "faults/all.h"
#include "faults/network/detail/bad_line.h"

namespace assay::faults {

FaultInfo sliced_network() {
  return bad_line(
      "sliced_network", "what is sent comes in small pieces",
      {{"size", 7}, {"variation", 3}, {"delay_us", 20}},
      [](const FaultSpec& spec, int client, Surroundings& around) -> std::unique_ptr<Fault> {
        const FaultInfo info = sliced_network();
        return std::make_unique<BadLine>(
            both_ways("slicer", {{"average_size", number_of(info, spec, "size")},
                                 {"size_variation", number_of(info, spec, "variation")},
                                 {"delay", number_of(info, spec, "delay_us")}}),
            [](const proxy::ProxyCounters& grown) { return grown.chunks_split; },
            "what was sent came in pieces", client, around);
      });
}

}  // namespace assay::faults
