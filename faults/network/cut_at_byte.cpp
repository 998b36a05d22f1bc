// cut_at_byte: the connection ends behind so many bytes of an answer.
#include "faults/all.h"
#include "faults/network/detail/bad_line.h"

namespace assay::faults {

FaultInfo cut_at_byte() {
  return bad_line(
      "cut_at_byte", "the connection ends in the middle of an answer", {{"bytes", 5}},
      [](const FaultSpec& spec, int client, Surroundings& around) -> std::unique_ptr<Fault> {
        const FaultInfo info = cut_at_byte();
        return std::make_unique<BadLine>(
            std::vector<proxy::ToxicSpec>{
                {.type = "limit_data",
                 .stream = "downstream",
                 .attributes = {{"bytes", number_of(info, spec, "bytes")}}}},
            [](const proxy::ProxyCounters& grown) { return grown.cut; },
            "connections ended in the middle of an answer", client, around);
      });
}

}  // namespace assay::faults
