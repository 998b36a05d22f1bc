#include "faults/all.h"

namespace assay {

std::span<const FaultInfo> all_faults() {
  using namespace faults;
  static const FaultInfo all[] = {kill_worker(), stop_worker(), pause_worker(), crash_loop(),
                                  skew_clock(),  crash_store(), pause_store()};
  return all;
}

}  // namespace assay
