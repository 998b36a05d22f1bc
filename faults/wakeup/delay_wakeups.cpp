// delay_wakeups: messages that announce a job come late.
#include "faults/all.h"
#include "faults/wakeup/detail/spoiling.h"

namespace assay::faults {

FaultInfo delay_wakeups() {
  FaultInfo info = spoiled_wakeups("delay_wakeups", "messages that announce a job come late");
  info.with.emplace_back("within_ms", 20'000);
  info.make = [](const FaultSpec& spec, int, Surroundings& around) {
    const FaultInfo me = delay_wakeups();
    return spoil_wakeups(Spoiling::delayed, static_cast<int>(number_of(me, spec, "percent")),
                         Duration{number_of(me, spec, "within_ms")}, around);
  };
  return info;
}

}  // namespace assay::faults
