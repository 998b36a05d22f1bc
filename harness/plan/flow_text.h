// FlowText: a flow of jobs, as a plan carries it:
//
//   ID = [go_on] PART
//   PART: NAME: SCRIPT | chain(PART, ...) | group(PART, ...) | chord(PART, ...; NAME: SCRIPT)
//
// "f = chain(a: fail | ok, chord(b: 200 ok, c: ok; d: ok))". Each step has a name of its own and a
// script (harness/plan/script.h); the last one of a chord comes when all of its parts have ended.
// Under go_on that is so though some of them died; else a flow with a dead step goes no further.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/result.h"

namespace assay {

struct FlowPart {
  enum class Kind { step, chain, group, chord };
  Kind kind = Kind::step;
  std::string name = {}, script = {};  // of a step; of a chord: of its last one
  std::vector<FlowPart> parts = {};    // of all others
  bool operator==(const FlowPart&) const = default;
};

struct FlowText {
  std::string id = {};
  bool goes_on = false;
  FlowPart root = {};
  bool operator==(const FlowText&) const = default;
};

// Refused with a sentence: what is no flow, what is nested too deep or has too many steps.
Result<FlowText> flow_in(std::string_view text);
std::string text_of(const FlowText& flow);

// The same with less of it, the smallest first.
std::vector<std::string> smaller_flows(std::string_view text);

// Which step a job is of is written in its payload by whoever made the plan, in front of its
// script: nobody needs to be asked for it.
struct FlowMember {
  std::string flow = {}, step = {};
  auto operator<=>(const FlowMember&) const = default;
};
std::string payload_of(const FlowMember& member, std::string_view script);
std::optional<FlowMember> member_in(std::string_view payload);

// --- who follows whom ---

struct FlowStep {
  std::string name = {};
  std::vector<std::size_t> after = {};  // steps that must have ended; empty: it is one of the first
  bool is_last_of_chord = false;        // else those before it must have succeeded
  // Of a chord's last one: steps without whose success the chord does not begin.
  std::vector<std::size_t> chord_after = {};
  bool operator==(const FlowStep&) const = default;
};

struct FlowOrder {
  std::vector<FlowStep> steps = {};  // each behind those that it comes after
  // Of each group, and of each chord's: the first steps of each of its parts.
  std::vector<std::vector<std::vector<std::size_t>>> groups = {};
};
FlowOrder order_of(const FlowText& flow);

}  // namespace assay
