#include "reports/going_on.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace assay {

void GoingOn::hear(const FaultEvent& event) {
  const std::lock_guard lock(mutex_);
  if (event.stage == FaultEvent::Stage::begun) ++on_[event.fault];
  if (event.stage == FaultEvent::Stage::ended && --on_[event.fault] <= 0) on_.erase(event.fault);
}

std::string GoingOn::text() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, count] : on_)
    names.push_back(count == 1 ? name : fmt::format("{} {}", count, name));
  return names.empty() ? "" : fmt::format(", {} on", fmt::join(names, " and "));
}

}  // namespace assay
