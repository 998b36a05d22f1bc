#include "engine/scheduler.h"

#include <algorithm>
#include <mutex>
#include <system_error>

#include "engine/detail/line.h"
#include "engine/detail/schedule_record.h"
#include "engine/failure.h"
#include "engine/outbox.h"
#include "harness/contract/random.h"

namespace assay::engine {

using detail::Firing;
using detail::ScheduleRecord;

namespace {

std::optional<Error> objection_to(const SchedulerOptions& options) {
  constexpr Duration a_year = std::chrono::days(366);
  if (options.name.empty()) return invalid("the scheduler has no name");
  if (options.every < Duration{1} || options.every > a_year)
    return invalid("the time between two looks is not positive, or longer than a year");
  for (const Duration one : {options.outage_min, options.outage_max})
    if (one < Duration{0} || one > a_year)
      return invalid("a duration is negative, or longer than a year");
  if (options.page < 1 || options.page > most_in_page)
    return invalid("a page does not hold between 1 and 1000");
  return std::nullopt;
}

OutboxRow row_of(const Schedule& schedule, Instant window) {
  OutboxRow row{RowKind::announce_task, window_id(schedule.name, window), 1, schedule.queue};
  row.due_at = at_once;
  return row;
}

}  // namespace

class Scheduler::Body {
 public:
  Body(Runtime& runtime, Driver& driver, SchedulerOptions options)
      : runtime_(runtime),
        clock_(runtime.clock()),
        driver_(driver),
        options_(std::move(options)),
        monitor_(runtime.monitor("the scheduler's lock")),
        line_(driver, options_.name),
        random_(Random(options_.seed).fork("scheduler/" + options_.name)) {}

  Status start() {
    tell({}, PhaseBegan{Phase::started});
    try {
      task_ = runtime_.start(options_.name, [this](std::stop_token) { run(); });
      return Done{};
    } catch (const std::system_error& error) {
      return Error{ErrorCode::unavailable, std::string("cannot start a task: ") + error.what(),
                   LeaseReason::unstated, true};
    }
  }

  void shutdown() {
    {
      const std::lock_guard lock(*monitor_);
      if (std::exchange(is_ending_, true)) return;
      monitor_->notify_all();
    }
    if (task_) static_cast<void>(task_->join_until(std::nullopt));
    task_.reset();
    line_.hang_up();
    tell({}, PhaseBegan{Phase::ended});
  }

  Result<std::optional<Instant>> turn() {
    std::optional<Instant> next;
    std::optional<std::string> after;
    for (;;) {
      const Scan scan{std::string(detail::schedule_prefix), after, options_.page};
      const auto page = line_.call([&](Session& session) -> Result<RecordPage> {
        Records* records = session.records();
        if (!records) return unsupported("the driver keeps no records, so no schedules");
        return records->scan(clock_.now(), scan);
      });
      if (!page.ok()) return page.error();
      const auto now = time();
      if (!now.ok()) return now.error();
      for (const Record& record : page.value().records) {
        if (ends()) return next;
        after = record.key;
        const auto seen = look_at(record, *now);
        if (!seen.ok()) return seen;
        if (*seen) next = next ? std::min(*next, **seen) : **seen;
      }
      if (!page.value().more || page.value().records.empty()) return next;
    }
  }

 private:
  // The time that schedules go by: that of the store, where it has one, so that schedulers whose
  // clocks differ agree.
  Result<Instant> time() {
    if (driver_.profile().clock == ClockKnob::caller) return clock_.now();
    return driver_.now();
  }

  // The next window of the schedule, by our own clock.
  Result<std::optional<Instant>> look_at(const Record& record, Instant now) {
    const auto schedule = detail::schedule_in(record);
    if (!schedule) return std::optional<Instant>();
    std::optional<Instant> next = schedule->view.next;
    if (schedule->is_removed || schedule->view.is_paused) next.reset();
    if (const auto firing = detail::due(*schedule, now)) {
      if (auto trouble = fire(record, *firing)) return *trouble;
      next = firing->after.view.next;
    }
    if (next) next = later(clock_.now(), *next - now);
    return next;
  }

  // Moves the schedule on and makes the jobs, both or neither. Whoever is second finds the record
  // changed, and has nothing to do.
  std::optional<Error> fire(const Record& record, const Firing& firing) {
    const Schedule& schedule = firing.after.view.schedule;
    Commit commit;
    commit.puts.push_back({record.key, detail::text_of(firing.after), record.version});
    for (const Instant window : firing.windows) {
      commit.enqueues.push_back(detail::job_of(schedule, window));
      if (options_.outbox) commit.puts.push_back(put_of(row_of(schedule, window)));
    }
    const auto done = make(commit);
    if (!done.ok()) {
      if (done.error().code == ErrorCode::conflict) return std::nullopt;
      if (detail::is_trouble(done.error())) return done.error();
      return pass_over(record, firing, done.error());
    }
    if (firing.skipped)
      tell({}, WindowsSkipped{schedule.name, firing.skipped->first, firing.skipped->second});
    for (const Instant window : firing.windows) {
      const JobId id = window_id(schedule.name, window);
      tell(id, WindowFired{schedule.name, window});
      if (!options_.outbox) continue;
      tell(id, RowWritten{row_id(row_of(schedule, window))});
    }
    return std::nullopt;
  }

  // The store does not take such jobs: the schedule goes on, and shows why.
  std::optional<Error> pass_over(const Record& record, const Firing& firing, const Error& why) {
    ScheduleRecord after = firing.after;
    after.view.fired -= static_cast<std::int64_t>(firing.windows.size());
    after.view.last = detail::schedule_in(record)->view.last;
    after.view.last_error = why.message;
    Commit commit;
    commit.puts.push_back({record.key, detail::text_of(after), record.version});
    const auto done = make(commit);
    if (!done.ok() && done.error().code != ErrorCode::conflict) return done.error();
    if (done.ok()) {
      const Instant first = firing.skipped ? firing.skipped->first : firing.windows.front();
      tell({}, WindowsSkipped{after.view.schedule.name, first, *after.dealt_with});
    }
    return std::nullopt;
  }

  Result<Committed> make(const Commit& commit) {
    return line_.call(
        [&](Session& session) { return session.records()->commit(clock_.now(), commit); });
  }

  void tell(const JobId& job, Happening what) {
    const std::lock_guard lock(*monitor_);
    if (options_.observer)
      options_.observer->see({clock_.now(), options_.name, -1, {job, {}, 0}, std::move(what)});
  }

  bool ends() const {
    const std::lock_guard lock(*monitor_);
    return is_ending_;
  }

  void run() {
    for (int troubles = 0; !ends();) {
      const auto next = turn();
      const Instant since = clock_.now();
      Instant until = later(since, options_.every);
      if (next.ok()) {
        troubles = 0;
        if (*next) until = std::clamp(**next, later(since, Duration{1}), until);
      } else {
        const Duration delay = outage(++troubles);
        until = later(since, delay);
        tell({}, BackingOff{next.error(), delay});
      }
      const std::lock_guard lock(*monitor_);
      // A clock that is set back must not make it wait for as long again.
      while (!is_ending_ && clock_.now() >= since && monitor_->wait_until(until)) {
      }
    }
  }

  Duration outage(int troubles) {
    RetryPolicy window;
    window.base = std::max(options_.outage_min, Duration{1});
    window.cap = std::max(options_.outage_max, window.base);
    return std::max(delay_after(window, troubles, random_), Duration{1});
  }

  Runtime& runtime_;
  Clock& clock_;
  Driver& driver_;
  const SchedulerOptions options_;
  const std::unique_ptr<Monitor> monitor_;
  bool is_ending_ = false;
  detail::Line line_;
  Random random_;
  std::unique_ptr<Task> task_;
};

Scheduler::Scheduler(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Scheduler::~Scheduler() { body_->shutdown(); }

Result<std::unique_ptr<Scheduler>> Scheduler::make(Runtime& runtime, Driver& driver,
                                                   SchedulerOptions options) {
  if (auto objection = objection_to(options)) return *objection;
  return std::unique_ptr<Scheduler>(
      new Scheduler(std::make_unique<Body>(runtime, driver, std::move(options))));
}

Status Scheduler::start() { return body_->start(); }
void Scheduler::shutdown() { body_->shutdown(); }
Result<std::optional<Instant>> Scheduler::turn() { return body_->turn(); }

}  // namespace assay::engine
