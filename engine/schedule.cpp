#include "engine/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/client.h"
#include "engine/detail/schedule_record.h"

namespace assay::engine {

using detail::ScheduleRecord;

static constexpr std::array<std::string_view, 3> missed_names{"latest", "skip", "catch_up"};

std::string_view name_of(MissedRuns missed) {
  return missed_names[static_cast<std::size_t>(missed)];
}

std::optional<MissedRuns> missed_runs_from(std::string_view name) {
  const auto found = std::ranges::find(missed_names, name);
  if (found == missed_names.end()) return std::nullopt;
  return static_cast<MissedRuns>(found - missed_names.begin());
}

// So that a job's id, which has the window beside it, stays within 255 bytes.
static constexpr std::size_t longest_name = 200;

std::optional<Error> objection_to(const Schedule& schedule) {
  if (schedule.name.empty()) return invalid("the schedule has no name");
  if (schedule.name.size() > longest_name)
    return invalid(fmt::format("the schedule's name has {} bytes, {} are allowed",
                               schedule.name.size(), longest_name));
  if (schedule.name.find('\0') != schedule.name.npos)
    return invalid("the schedule's name has a zero byte");
  const auto cron = Cron::parse(schedule.cron);
  if (!cron.ok()) return cron.error();
  if (schedule.catch_up < 1 || schedule.catch_up > most_catch_up)
    return invalid(fmt::format("the bound of catching up is {}, not between 1 and {}",
                               schedule.catch_up, most_catch_up));
  if (schedule.in_time < Duration{0} || schedule.in_time > std::chrono::hours(1))
    return invalid("a window is in time for at most an hour");
  Submission job;
  job.type = schedule.type;
  job.queue = schedule.queue;
  job.payload = schedule.payload;
  job.limit = schedule.limit;
  job.timeout = schedule.timeout;
  Bounds bounds;
  // With the other fields, as a record, and with as many jobs as a commit may hold.
  bounds.payload_bytes = 128 << 10;
  return objection_to(job, bounds, run_epoch);
}

JobId window_id(const std::string& schedule, Instant window) {
  const auto day = std::chrono::floor<std::chrono::days>(window);
  const std::chrono::year_month_day date(day);
  const auto minute = std::chrono::floor<std::chrono::minutes>(window - day).count();
  return fmt::format("cron/{}/{:04}-{:02}-{:02}T{:02}:{:02}Z", schedule,
                     static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), minute / 60, minute % 60);
}

static Error no_records() { return unsupported("the driver keeps no records, so no schedules"); }

// Reads it, has it changed, and writes it unless somebody else was faster: then once more. A
// change says nothing where nothing is to be written.
template <class Change>
Status Schedules::change(const std::string& name, Change make) {
  Records* records = session_.records();
  if (!records) return no_records();
  const std::string key = detail::key_of_schedule(name);
  if (auto objection = objection_to_key(key)) return *objection;
  for (int tries = 0; tries < 100; ++tries) {
    const auto found = records->read(clock_.now(), key);
    if (!found.ok()) return found.error();
    std::optional<ScheduleRecord> old;
    if (*found) old = detail::schedule_in(**found);
    if (*found && !old) return conflict("the record " + key + " is no schedule");
    const Result<std::optional<ScheduleRecord>> changed = make(old);
    if (!changed.ok()) return changed.error();
    if (!*changed) return Done{};
    Commit commit;
    commit.puts.push_back({key, detail::text_of(**changed), *found ? (*found)->version : 0});
    const auto written = records->commit(clock_.now(), commit);
    if (written.ok()) return Done{};
    if (written.error().code != ErrorCode::conflict) return written.error();
  }
  return Error{ErrorCode::unavailable, "the schedule is being changed all the time",
               LeaseReason::unstated, true};
}

// The first window that is neither past nor was dealt with.
static std::optional<Instant> first_window(const ScheduleRecord& record, Instant now) {
  return Cron::parse(record.view.schedule.cron)
      .value()
      .next_after(std::max(now, record.dealt_with.value_or(now)));
}

using Changed = Result<std::optional<ScheduleRecord>>;

Status Schedules::declare(const Schedule& schedule) {
  if (auto objection = objection_to(schedule)) return *objection;
  return change(schedule.name, [&](const std::optional<ScheduleRecord>& old) -> Changed {
    if (old && !old->is_removed && old->view.schedule == schedule)
      return std::optional<ScheduleRecord>();
    ScheduleRecord record = old.value_or(ScheduleRecord{});
    const bool same_times = old && !old->is_removed && old->view.schedule.cron == schedule.cron;
    if (record.is_removed) record.view = {};
    record.is_removed = false;
    record.view.schedule = schedule;
    if (!same_times) record.view.next = first_window(record, clock_.now());
    return std::optional(record);
  });
}

static Error unknown(const std::string& name) { return not_found("no schedule is called " + name); }

Status Schedules::pause(const std::string& name) {
  return change(name, [&](std::optional<ScheduleRecord> record) -> Changed {
    if (!record || record->is_removed) return unknown(name);
    if (record->view.is_paused) return std::optional<ScheduleRecord>();
    record->view.is_paused = true;
    return record;
  });
}

Status Schedules::resume(const std::string& name) {
  return change(name, [&](std::optional<ScheduleRecord> record) -> Changed {
    if (!record || record->is_removed) return unknown(name);
    if (!record->view.is_paused) return std::optional<ScheduleRecord>();
    record->view.is_paused = false;
    record->view.next = first_window(*record, clock_.now());
    return record;
  });
}

Status Schedules::remove(const std::string& name) {
  return change(name, [&](std::optional<ScheduleRecord> record) -> Changed {
    if (!record) return unknown(name);
    if (record->is_removed) return std::optional<ScheduleRecord>();
    record->is_removed = true;
    record->view.schedule.payload.clear();
    return record;
  });
}

Result<ScheduleView> Schedules::get(const std::string& name) {
  Records* records = session_.records();
  if (!records) return no_records();
  const std::string key = detail::key_of_schedule(name);
  if (auto objection = objection_to_key(key)) return *objection;
  const auto found = records->read(clock_.now(), key);
  if (!found.ok()) return found.error();
  const auto record = *found ? detail::schedule_in(**found) : std::nullopt;
  if (!record || record->is_removed) return unknown(name);
  return record->view;
}

Result<SchedulePage> Schedules::list(std::optional<std::string> after, std::int64_t limit) {
  Records* records = session_.records();
  if (!records) return no_records();
  Scan scan{std::string(detail::schedule_prefix), {}, limit};
  if (after) scan.after = detail::key_of_schedule(*after);
  const auto found = records->scan(clock_.now(), scan);
  if (!found.ok()) return found.error();
  SchedulePage page;
  for (const Record& one : found->records)
    if (const auto record = detail::schedule_in(one); record && !record->is_removed)
      page.schedules.push_back(record->view);
  if (found->more && !found->records.empty())
    page.after = found->records.back().key.substr(detail::schedule_prefix.size());
  return page;
}

}  // namespace assay::engine
