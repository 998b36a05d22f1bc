// What the judges of an engine's rules share: who, when, and how a rule is decided at the end of a
// history.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/engine_facts.h"
#include "harness/judge/property.h"

namespace assay::properties {

struct EngineView {
  const EngineFacts& facts;
  Verdicts& verdicts;

  // A trigger, and a conviction unless it holds. The last of the operations is where it shows.
  template <class Story>
  void expect(const char* rule, bool holds, std::vector<OpId> ops, const Story& story) const {
    verdicts.triggered(rule);
    if (!holds) convict(rule, std::move(ops), story());
  }
  void convict(const char* rule, std::vector<OpId> ops, std::string story) const;

  const EngineWorker& worker(int index) const {
    return facts.workers[static_cast<std::size_t>(index)];
  }
  const Assignment* under(const HandlerRun& run) const {
    return run.under ? &facts.assignments[*run.under] : nullptr;
  }
  const HandlerRun* run_of(const Assignment& assignment) const {
    return assignment.run ? &facts.runs[*assignment.run] : nullptr;
  }
  const EngineCall& call(std::size_t index) const { return facts.calls[index]; }
  OpId claimed(const Assignment& assignment) const { return call(assignment.claimed).op; }
  // The last call that had begun by then: where something shows that no call says.
  OpId before(Mark mark) const;

  // When the handler was through with, one way or another; absent: it was not until the end.
  std::optional<Mark> over(const HandlerRun& run) const;
  // Until when its lease had to be kept.
  Mark kept_until(const HandlerRun& run) const;

  // It may have been told to stop in the very instant in which it ended: then it is put back.
  bool may_be_interrupted(const HandlerRun& run) const;
  // It failed or threw, and nobody stopped it.
  bool failed_by_itself(const HandlerRun& run) const;

  // Which run of the job this is, by the counter that the store showed; and how many it has.
  std::int64_t run_number(const Claim& claim) const;
  std::int64_t runs_allowed_to(const Assignment& assignment) const;

  // "job X", "+1.500 s", "w's run of job X"
  static std::string job(const JobId& id) { return "job " + id; }
  std::string at(Instant instant) const;
  std::string run(const HandlerRun& run) const;
};

}  // namespace assay::properties
