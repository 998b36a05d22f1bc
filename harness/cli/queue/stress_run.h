// run_stress: one stress, from its first job to its last look.
#pragma once

#include <stop_token>

#include "harness/cli/queue/stress_history.h"
#include "harness/cli/queue/stress_load.h"
#include "harness/contract/runtime.h"
#include "harness/run/recorded_driver.h"

namespace assay::cli::queue {

struct StressEnd {
  Status ran = Done{};        // the error is the driver's, or the machine's
  std::size_t not_ended = 0;  // jobs that were made
};

// Shows how it stands on stderr, unless it is to be quiet. Requires: the namespace is set up.
StressEnd run_stress(Runtime& runtime, RecordedDriver& driver, const StressOptions& options,
                     StressHistory& history, bool quiet, const std::stop_token& stop);

}  // namespace assay::cli::queue
