// Process: a program that we started, with pipes to its three streams.
//
// However it ends, and however we end, nothing of it stays: between us and the program stands a
// small warden process that adopts whatever the program forks, and kills all of it when this object
// goes, or when we are killed ourselves.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/contract/result.h"

namespace assay {

struct Command {
  std::vector<std::string> words;  // the program, looked up in PATH, and its arguments
  std::vector<std::pair<std::string, std::string>> environment;  // besides our own
  std::optional<std::string> folder;                             // to run in; absent: ours
};

class Process {
 public:
  // An error where the program cannot be started at all: it does not exist, the folder does not.
  static Result<std::unique_ptr<Process>> start(const Command& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  int input() const { return input_; }    // we write; does not block
  int output() const { return output_; }  // we read; does not block
  int log() const { return log_; }        // its stderr; we read; does not block

  // "ended with status 3", "was killed by signal 9"; nothing while it runs. Waits for its end as
  // long as told.
  std::optional<std::string> ending(double wait_seconds = 0);

  // As waitpid gives it, once it has ended and its end is known.
  std::optional<int> wait_status() const { return status_; }
  // Readable when it has ended.
  int report() const { return report_; }

  // End of its input: a well-behaved driver ends by itself.
  void close_input();

 private:
  Process() = default;

  pid_t pid_ = -1;
  pid_t warden_ = -1;
  int input_ = -1, output_ = -1, log_ = -1;
  int leash_ = -1;   // held by us alone: when it closes, the warden kills
  int report_ = -1;  // from the warden: how the program ended
  std::optional<std::string> ending_;
  std::optional<int> status_;
};

}  // namespace assay
