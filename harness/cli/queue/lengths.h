// length_from: a length of time that a person may have typed.
#pragma once

#include <optional>
#include <string>

#include "harness/cli/usage.h"
#include "harness/contract/time.h"

namespace assay::cli::queue {

// The error names the option.
inline Result<std::optional<Duration>> length_from(const std::optional<std::string>& text,
                                                   const std::string& option) {
  if (!text) return std::optional<Duration>{};
  const auto seconds = seconds_from(*text);
  if (!seconds) return invalid(option + ": " + seconds.error().message);
  return std::optional(Duration{static_cast<std::int64_t>(*seconds * 1000)});
}

}  // namespace assay::cli::queue
