// Failures that an engine must record: of which run, what it made of them, and what of that is
// certain.
#pragma once

#include <vector>

#include "properties/detail/engine.h"

namespace assay::properties {

// A run that ended in a failure, and the claim that it was under.
struct EngineFailure {
  const HandlerRun& run;
  const Assignment& mine;
  const EngineFacts::JobStory& story;
  bool is_unrecoverable = false;
  bool may_be_either = false;  // whether it was unrecoverable, or ran out of time, is not known
  std::int64_t number = 1;     // of the run, by the counter that the store showed
  std::int64_t allowed = 1;

  bool is_last() const { return number >= allowed; }
};

// In the order in which they began. Those of a run that was told to stop for another reason than
// its time, or may have been, are none.
std::vector<EngineFailure> failures_in(const EngineView& view);

// The first thing that was said of it; null: nothing.
const EngineCall* settle_of(const EngineView& view, const EngineFailure& failure);

// How many failures of the job were recorded before the claim, at least and at most.
struct Recorded {
  std::int64_t least = 0, most = 0;
};
Recorded recorded_before(const EngineView& view, const EngineFacts::JobStory& story,
                         const Assignment& mine);

// Whether a look after the settle contradicts that the job is dead.
bool is_seen_alive(const EngineView& view, const EngineFailure& failure, const EngineCall& settle);

// RETRY-1 to RETRY-6, RETRY-13, DLQ-1.
void judge_failures(const EngineView& view);

}  // namespace assay::properties
