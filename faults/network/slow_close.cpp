// slow_close: who closes is not believed for a while, by whoever is at the other end.
#include "faults/all.h"
#include "faults/network/detail/bad_line.h"

namespace assay::faults {

FaultInfo slow_close() {
  FaultInfo fault = bad_line(
      "slow_close", "the end of a connection comes late", {{"delay_ms", 50}},
      [](const FaultSpec& spec, int client, Surroundings& around) -> std::unique_ptr<Fault> {
        const FaultInfo info = slow_close();
        return std::make_unique<BadLine>(
            both_ways("slow_close", {{"delay", number_of(info, spec, "delay_ms")}}),
            [](const proxy::ProxyCounters& grown) { return grown.ends_delayed; },
            "one side was told late that the other had ended", client, around);
      });
  fault.weight = 1;  // few connections end while it is on
  return fault;
}

}  // namespace assay::faults
