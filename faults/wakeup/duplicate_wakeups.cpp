// duplicate_wakeups: messages that announce a job come twice.
#include "faults/all.h"
#include "faults/wakeup/detail/spoiling.h"

namespace assay::faults {

FaultInfo duplicate_wakeups() {
  FaultInfo info = spoiled_wakeups("duplicate_wakeups", "messages that announce a job come twice");
  info.make = [](const FaultSpec& spec, int, Surroundings& around) {
    const FaultInfo me = duplicate_wakeups();
    return spoil_wakeups(Spoiling::doubled, static_cast<int>(number_of(me, spec, "percent")),
                         Duration{0}, around);
  };
  return info;
}

}  // namespace assay::faults
