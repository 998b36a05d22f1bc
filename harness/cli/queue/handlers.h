// The handlers that `assay queue work` has: those that are built in, under their own names, and
// those that a person registers for a type: NAME=echo, NAME=flaky:30, NAME=exec:'COMMAND'.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/handler.h"
#include "harness/contract/result.h"

namespace assay::cli::queue {

struct HandlersWanted {
  std::vector<std::string> registered = {};  // TYPE=HANDLER, as the person typed them
  std::optional<Duration> timeout = {};      // of jobs that bring none
  // Told of what a job printed, or echoed; by many tasks at once.
  std::function<void(const Job&, const std::string& output)> said = {};
  std::uint64_t seed = 0;
};

// The errors are sentences.
Result<std::map<std::string, engine::HandlerSpec>> handlers_for(const HandlersWanted& wanted);

}  // namespace assay::cli::queue
