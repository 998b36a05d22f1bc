// Usage: reading what people type, and telling them in one sentence what is wrong with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/result.h"

namespace assay::cli {

inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 64;
inline constexpr int exit_trouble = 3;

// How many letters must be changed, left out, added or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The names that were probably meant, nearest first; at most three, none if nothing is near.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& known);

// "there is no driver `memroy`; did you mean `memory`? `assay list drivers` lists them"
Error unknown(std::string_view what, std::string_view name, const std::vector<std::string>& known,
              std::string_view advice);

// "10s", "500ms", "5m", "1h", "1.5s" or plain seconds; more than zero, at most a week.
Result<double> seconds_from(std::string_view text);

// A whole number from `least` to `most`; `what` names it in the error.
struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
};
Result<std::uint64_t> number_from(std::string_view text, std::string_view what, Range range);

// Tells it on stderr. Returns exit_usage, or exit_trouble.
int wrong_usage(std::string_view sentence);
int trouble(std::string_view sentence);

}  // namespace assay::cli
