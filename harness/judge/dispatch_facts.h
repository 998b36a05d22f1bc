// DispatchFacts: what a history shows of wake-ups and of rows of the outbox: what was sent, who
// heard it and what became of it; what was written with which change, and when it was dealt with.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/history.h"
#include "harness/judge/mark.h"

namespace assay {

// A message.
struct WakeUpSent {
  std::int64_t number = 0;
  JobId says = {};
  int by = -1;  // which worker
  Mark at = {};
  std::optional<Mark> dropped = {};
  bool is_doubled = false, is_shown_again = false;  // on purpose
};

// A delivery of one.
struct WakeUpHeard {
  std::int64_t number = 0, receipt = 0;
  JobId says = {};
  int worker = -1;
  Mark at = {};
  Instant hidden_until = {};  // from the first
  std::vector<std::pair<Mark, Instant>> prolonged = {};
  std::optional<Mark> deleted = {};
  std::optional<Mark> heard_again = {};  // by anybody: this one is worth nothing then
};

// A row, from its first writing until it is dealt with. The same row written anew meanwhile is one.
struct RowSeen {
  struct Writing {
    Mark at = {};
    int by = -1;                 // which worker
    std::string companion = {};  // in the same commit: "ack", "nack", "enqueue", "alone", ...
  };
  std::string id = {};
  std::string kind = {}, target = {};
  JobId task = {};
  std::int64_t run = 0;
  std::vector<Writing> written = {};  // one or more
  std::optional<Mark> dropped = {}, parked = {};
  int dropped_by = -1;
  bool made_job = false;           // of the target's queue, in the commit that dropped it
  std::vector<Mark> routed = {};   // to the target
  std::vector<Mark> refused = {};  // by the target
  bool routed_elsewhere = false;

  bool announces() const { return kind == "announce_task"; }
  bool routes() const { return kind == "route_event"; }
  bool is_over() const { return dropped || parked; }
};

class DispatchFacts {
 public:
  // `worker`: that the event is about, by index.
  void take(Mark here, const EngineEvent& event, int worker);

  std::vector<WakeUpSent> sent;
  std::vector<WakeUpHeard> heard;
  std::vector<RowSeen> rows;

  // Of one job, in their order.
  std::vector<const WakeUpSent*> sent_about(const JobId& id) const;
  std::vector<const WakeUpHeard*> heard_about(const JobId& id) const;

 private:
  void take_heard(Mark here, const EngineEvent& event, int worker);
  void take_spoiled(Mark here, const EngineEvent& event);
  void take_written(Mark here, const EngineEvent& event, int worker);
  void take_row(Mark here, const EngineEvent& event, int worker);
  WakeUpHeard* delivery(const EngineEvent& event);

  std::map<std::string, std::size_t> open_;         // rows, by id
  std::map<std::int64_t, std::size_t> by_receipt_;  // deliveries
  std::map<JobId, std::vector<std::size_t>> sent_about_, heard_about_;
};

}  // namespace assay
