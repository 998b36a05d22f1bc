#include "engine/detail/schedule_record.h"

#include <algorithm>

#include "engine/detail/fields.h"
#include "engine/failure.h"

namespace assay::engine::detail {

std::string key_of_schedule(const std::string& name) { return std::string(schedule_prefix) + name; }

static std::optional<std::int64_t> ms_of(const std::optional<Instant>& at) {
  if (!at) return std::nullopt;
  return to_ms(*at);
}

static std::optional<Instant> instant_of(const std::optional<std::int64_t>& ms) {
  if (!ms) return std::nullopt;
  return instant_from_ms(*ms);
}

std::string text_of(const ScheduleRecord& record) {
  const Schedule& schedule = record.view.schedule;
  Fields fields;
  fields.set("name", schedule.name);
  fields.set("cron", schedule.cron);
  fields.set("queue", schedule.queue);
  fields.set("type", schedule.type);
  fields.set("payload", schedule.payload);
  fields.set("limit", schedule.limit);
  if (schedule.timeout) fields.set("timeout", schedule.timeout->count());
  fields.set("priority", schedule.priority);
  fields.set("missed", std::string(name_of(schedule.missed)));
  fields.set("catch_up", schedule.catch_up);
  fields.set("in_time", schedule.in_time.count());
  fields.set("paused", record.view.is_paused ? 1 : 0);
  fields.set("next", ms_of(record.view.next));
  fields.set("last", ms_of(record.view.last));
  fields.set("fired", record.view.fired);
  fields.set("last_error", record.view.last_error);
  fields.set("removed", record.is_removed ? 1 : 0);
  fields.set("dealt_with", ms_of(record.dealt_with));
  return fields.text();
}

std::optional<ScheduleRecord> schedule_in(const Record& record) {
  const auto fields = Fields::read(record.value);
  if (!fields) return std::nullopt;
  const auto text = [&](const char* name) { return fields->get(name).value_or(""); };
  ScheduleRecord read;
  Schedule& schedule = read.view.schedule;
  schedule.name = text("name");
  schedule.cron = text("cron");
  schedule.queue = text("queue");
  schedule.type = text("type");
  schedule.payload = text("payload");
  schedule.limit = fields->number("limit");
  if (const auto timeout = fields->number("timeout")) schedule.timeout = Duration{*timeout};
  schedule.priority = fields->number("priority");
  const auto missed = missed_runs_from(text("missed"));
  if (!missed || key_of_schedule(schedule.name) != record.key) return std::nullopt;
  schedule.missed = *missed;
  schedule.catch_up = fields->number("catch_up").value_or(1);
  schedule.in_time = Duration{fields->number("in_time").value_or(0)};
  if (objection_to(schedule)) return std::nullopt;
  read.view.is_paused = fields->number("paused").value_or(0) != 0;
  read.view.next = instant_of(fields->number("next"));
  read.view.last = instant_of(fields->number("last"));
  read.view.fired = fields->number("fired").value_or(0);
  read.view.last_error = fields->get("last_error");
  read.is_removed = fields->number("removed").value_or(0) != 0;
  read.dealt_with = instant_of(fields->number("dealt_with"));
  return read;
}

// The latest of those in [first, last], at most so many; oldest first.
static std::vector<Instant> latest_in(const Cron& cron, Instant first, Instant last,
                                      std::int64_t at_most) {
  std::vector<Instant> found;
  for (auto one = cron.last_until(last);
       one && *one >= first && static_cast<std::int64_t>(found.size()) < at_most;
       one = cron.last_until(*one - Duration{1}))
    found.push_back(*one);
  std::ranges::reverse(found);
  return found;
}

// Which windows from `first` to `now` make a job. One that is still in time was not missed.
static std::vector<Instant> to_fire(const Schedule& schedule, const Cron& cron, Instant first,
                                    Instant now) {
  const Instant in_time = std::max(first, now - schedule.in_time);
  switch (schedule.missed) {
    case MissedRuns::latest:
      break;
    case MissedRuns::skip:
      return latest_in(cron, in_time, now, most_catch_up);
    case MissedRuns::catch_up: {
      std::vector<Instant> windows =
          latest_in(cron, first, in_time - Duration{1}, schedule.catch_up);
      for (const Instant one : latest_in(cron, in_time, now, most_catch_up)) windows.push_back(one);
      return windows;
    }
  }
  return latest_in(cron, first, now, 1);
}

std::optional<Firing> due(const ScheduleRecord& record, Instant now) {
  const ScheduleView& view = record.view;
  if (record.is_removed || view.is_paused || !view.next || *view.next > now) return std::nullopt;
  const auto cron = Cron::parse(view.schedule.cron);
  if (!cron.ok()) return std::nullopt;
  Firing firing;
  firing.windows = to_fire(view.schedule, *cron, *view.next, now);
  const Instant last_due = cron->last_until(now).value_or(*view.next);
  const bool all_skipped = firing.windows.empty();
  if (all_skipped || *view.next < firing.windows.front()) {
    const Instant until = all_skipped ? last_due : firing.windows.front() - Duration{1};
    firing.skipped = {*view.next, cron->last_until(until).value_or(*view.next)};
  }
  firing.after = record;
  firing.after.dealt_with = last_due;
  firing.after.view.next = cron->next_after(last_due);
  firing.after.view.fired += static_cast<std::int64_t>(firing.windows.size());
  if (!all_skipped) firing.after.view.last = firing.windows.back();
  return firing;
}

Enqueue job_of(const Schedule& schedule, Instant window) {
  NewJob job;
  job.id = window_id(schedule.name, window);
  job.queue = schedule.queue;
  job.type = schedule.type;
  job.payload = schedule.payload;
  job.max_attempts = schedule.limit;
  job.timeout = schedule.timeout;
  job.priority = schedule.priority;
  return {job};
}

}  // namespace assay::engine::detail
