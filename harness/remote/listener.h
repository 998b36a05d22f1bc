// Listener: what a process says, until it ends or, where that is enough, to the end of its first
// line.
#pragma once

#include <stop_token>
#include <string>

#include "harness/remote/process.h"

namespace assay {

class Listener {
 public:
  // The process is borrowed.
  explicit Listener(Process& process) : process_(process) {}

  // False where neither happened in time, or `stop` was requested.
  bool listen(bool first_line, double seconds, const std::stop_token& stop = {});

  std::string said, complained;

 private:
  void take(int stream, int descriptor);

  Process& process_;
  bool open_[2] = {true, true};
};

}  // namespace assay
