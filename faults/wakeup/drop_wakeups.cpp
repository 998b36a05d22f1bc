// drop_wakeups: messages that announce a job are lost.
#include "faults/all.h"
#include "faults/wakeup/detail/spoiling.h"

namespace assay::faults {

FaultInfo drop_wakeups() {
  FaultInfo info = spoiled_wakeups("drop_wakeups", "messages that announce a job are lost");
  info.make = [](const FaultSpec& spec, int, Surroundings& around) {
    const FaultInfo me = drop_wakeups();
    return spoil_wakeups(Spoiling::dropped, static_cast<int>(number_of(me, spec, "percent")),
                         Duration{0}, around);
  };
  return info;
}

}  // namespace assay::faults
