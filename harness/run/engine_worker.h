// work: one worker of an engine as a process of its own: does what its order says until it is told
// to stop, and writes down what happens as it happens (harness/run/worker_order.h).
#pragma once

#include "harness/run/engine.h"
#include "harness/run/worker_order.h"

namespace assay {

// Reads `in` behind the order, writes to `out`. The error says why it could not work; it was
// written, too. Driver and engine are those of the order.
Status work(const WorkerOrder& order, const DriverInfo& driver, const EngineInfo& engine, int in,
            int out);

}  // namespace assay
