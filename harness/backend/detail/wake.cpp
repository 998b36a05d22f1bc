#include "harness/backend/detail/wake.h"

#include <fmt/format.h>
#include <signal.h>

#include <fstream>

namespace assay::detail {

namespace {

// One that does not catch it would die of it; such are those that have no timers.
bool catches_alarms(pid_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string word; status >> word;) {
    if (word != "SigCgt:") continue;
    std::uint64_t caught = 0;
    return status >> std::hex >> caught && (caught >> (SIGALRM - 1) & 1) != 0;
  }
  return false;
}

}  // namespace

void wake_postgres(const std::string& pid_file) {
  pid_t first = 0, child = 0;
  if (!(std::ifstream(pid_file) >> first)) return;
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", first));
  while (children >> child)
    if (catches_alarms(child)) ::kill(child, SIGALRM);
}

}  // namespace assay::detail
