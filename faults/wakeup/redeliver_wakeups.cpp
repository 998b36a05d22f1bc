// redeliver_wakeups: messages that a worker has hidden are shown to others before their time.
#include "faults/all.h"
#include "faults/wakeup/detail/spoiling.h"

namespace assay::faults {

FaultInfo redeliver_wakeups() {
  FaultInfo info =
      spoiled_wakeups("redeliver_wakeups",
                      "messages that a worker has hidden are shown to others before their time");
  info.with.emplace_back("within_ms", 5'000);
  info.make = [](const FaultSpec& spec, int, Surroundings& around) {
    const FaultInfo me = redeliver_wakeups();
    return spoil_wakeups(Spoiling::shown_again, static_cast<int>(number_of(me, spec, "percent")),
                         Duration{number_of(me, spec, "within_ms")}, around);
  };
  return info;
}

}  // namespace assay::faults
