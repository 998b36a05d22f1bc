// reorder_wakeups: messages that announce jobs overtake each other.
#include "faults/all.h"
#include "faults/wakeup/detail/spoiling.h"

namespace assay::faults {

FaultInfo reorder_wakeups() {
  FaultInfo info =
      spoiled_wakeups("reorder_wakeups", "messages that announce jobs overtake each other");
  info.with.emplace_back("within_ms", 5'000);
  info.make = [](const FaultSpec& spec, int, Surroundings& around) {
    const FaultInfo me = reorder_wakeups();
    return spoil_wakeups(Spoiling::reordered, static_cast<int>(number_of(me, spec, "percent")),
                         Duration{number_of(me, spec, "within_ms")}, around);
  };
  return info;
}

}  // namespace assay::faults
