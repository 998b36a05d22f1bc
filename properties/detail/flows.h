// Flows as a history shows them: what was declared before anything ran, and what became of each
// step, known by what its job carries.
#pragma once

#include <map>

#include "harness/plan/flow_text.h"
#include "properties/detail/engine.h"

namespace assay::properties {

struct StepStory {
  std::vector<std::size_t> enqueues = {};  // calls
  std::vector<std::size_t> assignments = {};
  std::vector<std::size_t> runs = {};
  std::vector<std::size_t> settles = {};  // and cancels
  std::optional<JobState> last_seen = {};
  bool was_seen = false;
  std::string shown = {};  // as the engine keeps it, in the end
};

struct FlowStory {
  FlowText text = {};
  FlowOrder order = {};
  std::vector<StepStory> steps = {};  // as in the order
  Mark declared = {};
  std::optional<Mark> accepted = {};  // whoever handed it in was told so
  std::string shown = {};             // its state, as the engine keeps it
};

std::vector<FlowStory> flows_in(const EngineFacts& facts);

// What is certain of a step in the end.
enum class StepFate {
  succeeded,
  failed,
  skipped,   // since one before it failed
  expected,  // all before it ended as they must, and it is not there
  waiting,   // it may not be there
  unknown,
};

class FlowView {
 public:
  FlowView(const EngineView& view, const FlowStory& flow) : view_(view), flow_(flow) {}

  const FlowStory& flow() const { return flow_; }
  std::string step(std::size_t index) const;  // "step a of flow f"

  // The call that made it, where one was answered so; the first.
  const EngineCall* made(std::size_t index) const;
  // By when it was certainly there.
  std::optional<Mark> there(std::size_t index) const;
  std::optional<Mark> first_run(std::size_t index) const;
  // The ack that was taken for certain; the first.
  const EngineCall* success(std::size_t index) const;
  // Whether it may have ended so before that place.
  bool may_have_succeeded(std::size_t index, Place before) const;
  bool may_have_ended(std::size_t index, Mark before) const;
  // A step that should have waited for it, and did not; none: all have ended as they must.
  std::optional<std::size_t> not_waited_for(std::size_t index, Mark at) const;

  std::vector<StepFate> fates() const;  // in the end
  bool was_retried_before(std::size_t index) const;
  // From its first job to its last success, or to the end.
  bool was_under_way(Place place) const;

 private:
  bool may_have_failed(std::size_t index, Mark before) const;
  bool may_have_been_lost(std::size_t index, Mark before) const;
  bool may_be_skipped(std::size_t index, Mark before) const;
  StepFate fate_of(std::size_t index, const std::vector<StepFate>& before) const;
  const StepStory& story(std::size_t index) const { return flow_.steps[index]; }

  const EngineView& view_;
  const FlowStory& flow_;
};

}  // namespace assay::properties
