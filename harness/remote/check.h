// Check: a first conversation with a driver behind the protocol. Every operation is tried, and each
// answer is held against docs/protocol.md. What the answers mean is not judged: that is for a
// certification.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/remote/connection.h"
#include "harness/remote/problems.h"

namespace assay {

// One thing that was tried; the same thing tried again is the same entry.
struct Trial {
  std::string what;                        // "reserve", "an operation that nobody knows"
  std::string answer;                      // "ok", "unsupported", "refused: lease_lost", ...
  std::vector<std::size_t> problems = {};  // indices into CheckReport::problems
};

struct CheckProblem {
  std::string what;  // the trial
  protocol::Problem problem;
  std::string sent = {};      // the request, shortened; empty where none was sent
  std::string received = {};  // the line that it is about, shortened; empty where none came
};

struct CheckReport {
  std::string driver;  // "my-queue 0.1, profile reference"; empty without a hello
  std::vector<Trial> trials;
  std::vector<CheckProblem> problems;
  std::string log;  // the end of what it wrote to stderr

  // Of several answers to the same thing the first is kept: the others are made in passing.
  void note(const std::string& what, const std::string& answer);
  void add(CheckProblem problem);  // once, however often it occurs
};

struct CheckOptions {
  Connectable to;
  ConnectionOptions connection;
  std::optional<std::string> url;  // handed to setup
  double farewell_seconds = 5;     // from the end of its input to the process's own end
};

// Whatever the driver does, not starting included, ends in the report.
CheckReport check_driver(CheckOptions options);

}  // namespace assay
