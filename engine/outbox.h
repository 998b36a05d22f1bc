// Outbox: what is still to be done in the world because of a change in the store. A row is a record
// that is written in the commit of the change, so there is never one without the other; a
// dispatcher's outbox loop does what it says, and then drops it.
//
// There are two kinds: announce a task, and route an event. What a row says may be done more than
// once, never not at all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/contract/driver.h"
#include "harness/contract/records.h"
#include "harness/contract/runtime.h"

namespace assay::engine {

enum class RowKind { announce_task, route_event };
std::string_view name_of(RowKind kind);

// Whatever the clock of whoever wrote it says.
inline constexpr Instant at_once = {};

struct OutboxRow {
  RowKind kind = RowKind::announce_task;
  JobId task = {};          // the one to be announced, or the one that sends the event
  std::int64_t run = 1;     // of the task, counting from 1: the one announced, or the sender
  std::string target = {};  // the task's queue, or where the event goes
  std::string body = {};    // of an event, any bytes; an announcement has none

  // Not before, by the time of the store. Absent: for an announcement, when the task itself may
  // run, which is looked up; for an event, at once.
  std::optional<Instant> due_at = {};

  std::int64_t tries = 0;  // that failed
  std::optional<std::string> last_error = {};

  bool operator==(const OutboxRow&) const = default;
};

// Made of the kind, the task, the run and the target: the same thing written twice is one row.
std::string row_id(const OutboxRow& row);

// To be put in a commit. One that is there already is written anew.
Put put_of(const OutboxRow& row);

// The run that a waiting job will have next, counting from 1.
std::int64_t next_run(const Profile& profile, const Job& job);

// A row as it is kept; absent where something else made the record.
std::optional<OutboxRow> row_in(const Record& record);

// A row that is shown. `row` is absent where it cannot be read.
struct ShownRow {
  std::string id = {};
  std::optional<OutboxRow> row = {};
  bool is_parked = false;  // it failed too often, and is not tried any more
  bool operator==(const ShownRow&) const = default;
};
struct RowPage {
  std::vector<ShownRow> rows = {};
  bool more = false;  // ask again, behind the last one
};

// For people. Not thread-safe. The clock and the session are borrowed for life.
class Outbox {
 public:
  Outbox(Clock& clock, Session& session) : clock_(clock), session_(session) {}

  // In the order of their ids, behind this one.
  Result<RowPage> pending(std::optional<std::string> after = {}, std::int64_t limit = 100);
  Result<RowPage> parked(std::optional<std::string> after = {}, std::int64_t limit = 100);

  // A parked one is tried again, from the beginning; or is gone for good.
  Status release(const std::string& id);
  Status discard(const std::string& id);

 private:
  Result<RowPage> page(const std::string& prefix, std::optional<std::string> after,
                       std::int64_t limit, bool is_parked);
  Result<Record> parked_record(const std::string& id);

  Clock& clock_;
  Session& session_;
};

// Where rows are kept; an id follows.
inline constexpr std::string_view outbox_prefix = "outbox/";
inline constexpr std::string_view parked_prefix = "outbox-parked/";

}  // namespace assay::engine
