// Inputs: what a job of a flow gets from those that came before it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/contract/job.h"
#include "harness/contract/result.h"

namespace assay::engine {

// How one that came before ended.
struct InputView {
  std::string path = {};  // in the flow
  JobId job_id = {};
  bool succeeded = false;
  std::optional<std::string> result = {};  // absent: its handler gave none
  std::string error = {};
};

struct InputPage {
  std::vector<InputView> inputs = {};     // as the flow was written
  std::optional<std::string> after = {};  // ask again, behind this; absent: that was all
};

// Thread-safe.
class Inputs {
 public:
  virtual ~Inputs() = default;

  // The result of the step before it in its chain, or of the one whose end led to this. Nothing
  // where there is none, where it gave no result, where there are several, and outside of flows.
  virtual Result<std::optional<std::string>> result() = 0;

  // All those whose ends led to this: of a finalizer, the ends of its group. Empty outside of flows
  // and of a first step.
  virtual Result<InputPage> page(const std::optional<std::string>& after = {}, int limit = 100) = 0;
};

}  // namespace assay::engine
