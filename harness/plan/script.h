// Script: what a job does when an engine runs it, as text in its payload: an act for each run, the
// last one again and again. "fail | 200 ok": fails at once, then works for 200 ms and succeeds.
//
//   [LENGTH] ok|fail|throw|odd|unrecoverable [deaf LENGTH]
//
// `odd` throws what is no exception; whoever is deaf goes on for so long after being told to stop.
// Lengths are in milliseconds. What is no script is a job that succeeds at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/time.h"

namespace assay {

struct Act {
  enum class End { ok, fail, throws, odd, unrecoverable };
  Duration length{0};
  End end = End::ok;
  Duration deaf{0};
  bool operator==(const Act&) const = default;
};

std::vector<Act> acts_in(std::string_view script);      // one or more
Act act_of(std::string_view script, std::int64_t run);  // runs count from 1

// The types of jobs that workers of an engine's plan have handlers for; of any other there is none.
inline constexpr std::string_view acted_types[] = {"act", "other"};

}  // namespace assay
