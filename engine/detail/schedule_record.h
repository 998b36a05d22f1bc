// ScheduleRecord: a schedule as it is kept. One that was removed stays as a mark, so that none of
// its windows fires a second time should it be declared again.
#pragma once

#include "engine/schedule.h"

namespace assay::engine::detail {

inline constexpr std::string_view schedule_prefix = "schedule/";

struct ScheduleRecord {
  ScheduleView view = {};
  bool is_removed = false;
  std::optional<Instant> dealt_with = {};  // the last window that nothing more will be made of

  bool operator==(const ScheduleRecord&) const = default;
};

std::string key_of_schedule(const std::string& name);
std::string text_of(const ScheduleRecord& record);
// Nothing where something else made the record.
std::optional<ScheduleRecord> schedule_in(const Record& record);

// What of a schedule is due, and how it stands after that.
struct Firing {
  std::vector<Instant> windows = {};  // each makes a job; the oldest first
  std::optional<std::pair<Instant, Instant>>
      skipped;  // the first and the last of those that do not
  ScheduleRecord after = {};
};

// Absent: nothing is due.
std::optional<Firing> due(const ScheduleRecord& record, Instant now);

Enqueue job_of(const Schedule& schedule, Instant window);

}  // namespace assay::engine::detail
