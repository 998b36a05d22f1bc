// EngineDesk: what people do with an engine beside running its workers: they hand flows in, have
// them swept, and look at what is kept of flows and of the outputs of jobs.
//
// Not thread-safe: one a client. All that it says to the store is said over the driver that it was
// made with.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/contract/job.h"
#include "harness/plan/flow_text.h"

namespace assay {

struct FlowSeen {
  std::string state = {};  // "running", "done", "failed", "cancelled", "submitting"
  // By the names of the steps: "waiting", "enqueued", "succeeded", "dead", "cancelled", "skipped".
  std::vector<std::pair<std::string, std::string>> members = {};
};

// Appended ones are called "NAME/UNIQUE".
struct OutputSeen {
  std::string name = {}, value = {};
  std::int64_t version = 0;
};

class EngineDesk {
 public:
  virtual ~EngineDesk() = default;

  // Each step is a job of type "act", its payload that of `payload_of`. Gives whether an earlier
  // one made it.
  virtual Result<bool> submit(const FlowText& flow) = 0;
  virtual Status sweep() = 0;
  virtual Result<FlowSeen> show(const FlowText& flow) = 0;
  virtual Result<std::vector<OutputSeen>> outputs(const JobId& job) = 0;
};

}  // namespace assay
