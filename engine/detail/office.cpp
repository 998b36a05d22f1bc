#include "engine/detail/office.h"

#include <algorithm>

#include "engine/failure.h"

namespace assay::engine::detail {

// As many as are remembered.
static constexpr std::size_t most_entries = 100'000;

static std::string key_of(const JobId& task, const std::string& why) { return why + " of " + task; }

bool Announced::is_due(const JobId& task, const std::string& why, Instant now) const {
  const auto found = entries_.find(key_of(task, why));
  if (found == entries_.end()) return true;
  const Entry& entry = found->second;
  const auto doubled = again_after_ * (std::int64_t{1} << std::min(entry.times - 1, 10));
  // Noted in the future: the clock was set back.
  return now < entry.at || now >= later(entry.at, doubled);
}

void Announced::note(const JobId& task, const std::string& why, Instant now, What what) {
  const std::string key = key_of(task, why);
  Entry& entry = entries_[key];
  entry = {now, std::max(entry.times + (what == What::is_to_be ? 1 : 0), 1)};
  oldest_.emplace_back(key, now);
  while (oldest_.size() > most_entries) {
    const auto found = entries_.find(oldest_.front().first);
    // What was noted again since is remembered by that.
    if (found != entries_.end() && found->second.at <= oldest_.front().second)
      entries_.erase(found);
    oldest_.pop_front();
  }
}

Office::Office(Runtime& runtime, Driver& its_driver, DispatcherOptions its)
    : clock(runtime.clock()),
      driver(its_driver),
      options(std::move(its)),
      profile(its_driver.profile()),
      monitor(runtime.monitor("the dispatcher's lock")),
      random_(Random(options.seed).fork("dispatcher/" + options.name)),
      announced_(options.stale_after) {}

Result<Instant> Office::store_now() const {
  if (profile.clock == ClockKnob::caller) return now();
  return driver.now();
}

void Office::tell(const JobId& task, std::int64_t run, Happening what) {
  const std::lock_guard lock(*monitor);
  tallies.count(what);
  if (options.observer)
    options.observer->see({now(), options.name, -1, {task, {}, run}, std::move(what)});
}

bool Office::ends() const {
  const std::lock_guard lock(*monitor);
  return is_ending;
}

void Office::hint() {
  const std::lock_guard lock(*monitor);
  ++hints;
  monitor->notify_all();
}

Duration Office::drawn_up_to(Duration longest) {
  const std::lock_guard lock(*monitor);
  return Duration{static_cast<std::int64_t>(
      random_.below(static_cast<std::uint64_t>(std::max(longest, Duration{0}).count()) + 1))};
}

Duration Office::delay_of_row(std::int64_t tries) {
  const std::lock_guard lock(*monitor);
  return delay_after(options.rows, tries, random_);
}

void Office::note(const JobId& task, const std::string& why, Announced::What what) {
  const std::lock_guard lock(*monitor);
  announced_.note(task, why, now(), what);
}

std::string why_of_run(std::int64_t run) { return "run " + std::to_string(run); }

std::optional<Error> Office::announce(Line& line, LoopName loop, const Job& task,
                                      const std::string& why) {
  {
    const std::lock_guard lock(*monitor);
    if (!announced_.is_due(task.id, why, now())) return std::nullopt;
  }
  OutboxRow row;
  row.task = task.id;
  row.run = next_run(profile, task);
  row.target = task.queue;
  row.due_at = at_once;
  Commit commit;
  commit.puts.push_back(put_of(row));
  // One that waits already says the same, and keeps its tries.
  commit.puts.back().if_version = 0;
  const auto written = detail::commit(line, now(), commit);
  if (!written.ok() && written.error().code != ErrorCode::conflict) return written.error();
  note(task.id, why, Announced::What::is_to_be);
  if (!written.ok()) return std::nullopt;
  tell(task.id, row.run, RowWritten{row_id(row)});
  tell(task.id, row.run, TaskHandled{loop, false});
  hint();
  return std::nullopt;
}

Result<Committed> commit(Line& line, Instant now, const Commit& commit) {
  return line.call([&](Session& session) -> Result<Committed> {
    Records* records = session.records();
    if (!records) return unsupported("the driver keeps no records");
    return records->commit(now, commit);
  });
}

}  // namespace assay::engine::detail
