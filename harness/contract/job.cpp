#include "harness/contract/job.h"

#include <array>

namespace assay {

static constexpr std::array<std::string_view, 6> state_names{"scheduled", "ready", "leased",
                                                             "done",      "dead",  "cancelled"};

std::string_view name_of(JobState state) { return state_names[static_cast<std::size_t>(state)]; }

std::optional<JobState> job_state_from(std::string_view name) {
  for (std::size_t i = 0; i < state_names.size(); ++i)
    if (state_names[i] == name) return static_cast<JobState>(i);
  return std::nullopt;
}

}  // namespace assay
