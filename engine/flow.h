// Flow: jobs that follow from each other, declared as plain data.
//
// - a step is one job;
// - a chain's parts run one after the other: each begins once the one before has succeeded;
// - a group's parts run side by side;
// - a chord is a group and a finalizer, a step that is enqueued once, when all of the group ended.
//
// Parts may be flows of any kind; a finalizer is a step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/client.h"

namespace assay::engine {

struct Step {
  std::string type = {};
  std::string payload = {};                // any bytes
  std::optional<std::string> queue = {};   // absent: that of the one who submits
  std::optional<Duration> delay = {};      // after what comes before it has ended
  std::optional<std::int64_t> limit = {};  // as of a Submission
  std::optional<Duration> timeout = {};
  std::optional<std::int64_t> priority = {};

  bool operator==(const Step&) const = default;
};

enum class FlowKind { step, chain, group, chord };
std::string_view name_of(FlowKind kind);

struct Flow {
  FlowKind kind = FlowKind::step;
  Step step = {};                // of a step; of a chord: the finalizer
  std::vector<Flow> parts = {};  // of all others

  bool operator==(const Flow&) const = default;
};

Flow step(std::string type, std::string payload = "");
Flow step(Step step);
Flow chain(std::vector<Flow> parts);
Flow group(std::vector<Flow> parts);
Flow chord(std::vector<Flow> members, Step finalizer);

// What becomes of a flow when a member is dead, or was cancelled by somebody.
enum class OnFailure {
  // Nothing more is enqueued; what runs may end. The flow goes on where every dead member is
  // requeued and succeeds.
  fail_fast,
  // A chord's finalizer runs all the same, and is told. What follows in a chain does not run, and
  // counts as failed in turn. A dead member that succeeds later changes its own result alone.
  go_on,
};
std::string_view name_of(OnFailure policy);

struct FlowBounds {
  std::size_t id_bytes = 80;  // letters, digits, '.', '_' and '-'
  std::size_t depth = 16;
  std::size_t steps = 100'000;
  std::size_t payload_bytes = 1'000'000;  // of a step
};

// Of the result of one member.
inline constexpr std::size_t most_result_bytes = 1'000'000;

// Says what is wrong with it in a sentence.
std::optional<Error> objection_to(const std::string& flow_id, const Flow& flow,
                                  const FlowBounds& bounds, const Profile& profile);

}  // namespace assay::engine
