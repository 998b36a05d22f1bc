// What the judges of dispatchers, wake-ups and outboxes share.
#pragma once

#include "properties/detail/engine.h"

namespace assay::properties {

struct DispatchView : EngineView {
  const DispatchFacts& seen() const { return facts.dispatch; }

  // A dispatcher of that queue that was at work all the time, could reach the store, and had got
  // over whatever kept it from that before; -1: there was none.
  int dispatcher(const std::string& queue, Instant from, Instant to) const;
  // One was at work when everybody was watched in the end.
  bool has_dispatcher_at_end() const;

  // A claim that was given and never settled, as far as anybody knows, so that its lease ran out.
  bool ran_out(const Assignment& assignment) const;
  // A claim without an answer may have taken the job then.
  bool perhaps_taken(const Job& job, Instant from, Instant to) const;
  bool was_sent(const JobId& id, Instant from, Instant to) const;
  bool was_given(const JobId& id, Instant from, Instant to) const;
  // Somebody asked for it by its name.
  bool was_asked_for(const JobId& id, Instant from, Instant to) const;
  bool was_cancelled(const JobId& id) const;
  bool has_ended(const JobId& id) const;  // in the end, or nobody knows
  // Settled as a success, cancelled, dead: told to somebody who looked then.
  bool was_seen_ended(const JobId& id, int by, Mark from, Mark to) const;

  // The row that a change of the job's state was committed with: by that worker, in one of its
  // calls between the two. Null: there is none.
  const RowSeen* row_with(const JobId& id, int worker, std::string_view companion, Mark from,
                          Mark to) const;

  // The row of an event that a job sent by succeeding, so. Null: there is none.
  const RowSeen* event_with(const HandlerRun& run, const std::string& target, Mark from,
                            Mark to) const;

  // Why the runs of a job are not those of one that ran once at a time, and not again after its
  // success; empty: they are. `ops` are those that show it.
  std::string trouble_in_runs(const JobId& id, std::vector<OpId>& ops) const;
};

// A failure after which the job is to run again, as its worker was told.
struct RetrySeen {
  const EngineCall* settle = nullptr;
  Mark first = {};  // the first try of the settle
  Instant due = {};
};
std::optional<RetrySeen> retry_after(const EngineView& view, const Assignment& assignment);

}  // namespace assay::properties
