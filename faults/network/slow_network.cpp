// slow_network: everything comes late, by more or less.
#include <algorithm>

#include "faults/all.h"
#include "faults/network/detail/bad_line.h"

namespace assay::faults {

FaultInfo slow_network() {
  return bad_line(
      "slow_network", "everything comes late", {{"latency_ms", 20}, {"jitter_ms", 10}},
      [](const FaultSpec& spec, int client, Surroundings& around) -> std::unique_ptr<Fault> {
        const FaultInfo info = slow_network();
        const std::int64_t latency = number_of(info, spec, "latency_ms");
        // Whatever comes is late, so that it can be seen to be.
        const std::int64_t jitter = std::min(number_of(info, spec, "jitter_ms"), latency / 2);
        return std::make_unique<BadLine>(
            both_ways("latency", {{"latency", latency}, {"jitter", jitter}}),
            [](const proxy::ProxyCounters& grown) { return grown.chunks_delayed; },
            "what was sent came late", client, around);
      });
}

}  // namespace assay::faults
