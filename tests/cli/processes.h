// Processes of this machine that a test looks for.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>

#include "harness/contract/clock.h"
#include "harness/contract/text_of.h"

namespace assay::tests {

// Those that have this in their environment, with their command lines.
inline std::map<pid_t, std::string> processes_with(const std::string& variable) {
  std::map<pid_t, std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && text_of(entry.path() / "environ").find(variable) != std::string::npos)
      found[pid] = text_of(entry.path() / "cmdline");
  }
  return found;
}

// False: not within a minute.
template <class Until>
bool wait_until(Until until) {
  RealClock clock;
  const Stopwatch watch;
  while (!until() && watch.seconds() < 60) clock.sleep_until(clock.now() + Duration{20}, {});
  return until();
}

}  // namespace assay::tests
