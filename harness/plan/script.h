// Script: what a job does when an engine runs it, as text in its payload: an act for each run, the
// last one again and again. "fail | 200 ok": fails at once, then works for 200 ms and succeeds.
//
//   [OUTPUT ...] [LENGTH [OUTPUT ...]] ok|fail|throw|odd|unrecoverable [deaf LENGTH] [stubborn]
//   [to TARGET]
//   OUTPUT: put NAME | append NAME | commit NAME
//
// `odd` throws what is no exception; whoever is deaf goes on for so long after being told to stop,
// and whoever is stubborn does all that it has to do. Outputs are made where they stand: before the
// length of time or behind it. With its success it sends an event to the target. Lengths are in
// milliseconds. What is no script is a job that succeeds at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/time.h"

namespace assay {

// What a handler leaves in the store beside its job's end: with its success, or (commit) at once.
struct OutputAct {
  enum class Kind { put, append, commit };
  Kind kind = Kind::put;
  std::string name = {};
  bool operator==(const OutputAct&) const = default;
};
std::string_view name_of(OutputAct::Kind kind);
std::optional<OutputAct::Kind> output_kind_from(std::string_view name);

struct Act {
  enum class End { ok, fail, throws, odd, unrecoverable };
  Duration length{0};
  End end = End::ok;
  Duration deaf{0};
  bool stubborn = false;
  std::vector<OutputAct> first = {}, then = {};  // before the length of time, and behind it
  std::string to = {};
  bool operator==(const Act&) const = default;
};

std::vector<Act> acts_in(std::string_view script);      // one or more
Act act_of(std::string_view script, std::int64_t run);  // runs count from 1

// The types of jobs that workers of an engine's plan have handlers for; of any other there is none.
inline constexpr std::string_view acted_types[] = {"act", "other", "event"};
// Where events go that nobody takes.
inline constexpr std::string_view nowhere = "nowhere";

}  // namespace assay
