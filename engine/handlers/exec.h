// exec: runs a program with the payload as its input. Status 0 is success, `unrecoverable_status`
// a failure for good, anything else a failure. The end of what it wrote to its error stream, else
// of its output, becomes the error. In a flow its output is its result, and a program whose job has
// no payload gets the result of the step before it instead.
//
// Whatever the program does stays with its job: it and all that it forks are killed when it ends or
// when the handler is interrupted, at first politely; what it writes beyond the bound is read and
// forgotten. It runs in the machine's own time: under a virtual clock all else stands still
// meanwhile.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/handler.h"

namespace assay::engine::handlers {

struct Execution {
  std::string output, log;  // of its two streams, from the beginning, up to the bound
  bool is_whole = true;     // nothing was forgotten
};

struct ExecOptions {
  std::vector<std::string> words = {};  // the program, looked up in PATH, and its arguments
  // Besides our own, and JOB_ID, JOB_TYPE, JOB_QUEUE and JOB_RUN.
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::optional<std::string> folder = {};
  int unrecoverable_status = 65;  // EX_DATAERR: the input was wrong, and will be
  std::size_t output_bytes = 64 << 10;
  double polite_seconds = 2;  // between the request to end, SIGTERM, and the end
  // Told when the program has ended; by many tasks at once. Null: nobody listens.
  std::function<void(const Job&, const Execution&)> listener = {};
};

Handler exec(ExecOptions options);

}  // namespace assay::engine::handlers
