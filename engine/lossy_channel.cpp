#include "engine/lossy_channel.h"

#include <algorithm>
#include <mutex>

#include "engine/failure.h"

namespace assay::engine {

std::optional<Error> objection_to(const Losses& losses) {
  for (const int percent : {losses.drop_percent, losses.duplicate_percent, losses.delay_percent,
                            losses.reorder_percent, losses.undelete_percent})
    if (percent < 0 || percent > 100) return invalid("a percentage is not between 0 and 100");
  for (const Duration one : {losses.delay, losses.reorder_within})
    if (one < Duration{0} || one > std::chrono::days(366))
      return invalid("a delay is negative, or longer than a year");
  return std::nullopt;
}

Result<std::unique_ptr<LossyChannel>> LossyChannel::make(Runtime& runtime, Channel& inner,
                                                         Options options) {
  if (auto objection = objection_to(options.losses)) return *objection;
  return std::unique_ptr<LossyChannel>(new LossyChannel(runtime, inner, std::move(options)));
}

LossyChannel::LossyChannel(Runtime& runtime, Channel& inner, Options options)
    : clock_(runtime.clock()),
      inner_(inner),
      options_(std::move(options)),
      monitor_(runtime.monitor("the lossy channel")),
      random_(Random(options_.seed).fork("channel/" + options_.name)) {}

bool LossyChannel::strikes(int percent) { return static_cast<int>(random_.below(100)) < percent; }

Duration LossyChannel::drawn_up_to(Duration longest) {
  return Duration{
      static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(longest.count()) + 1))};
}

void LossyChannel::spoil(const JobId& task, Spoiling how, std::int64_t& count) {
  ++count;
  if (options_.observer)
    options_.observer->see({clock_.now(), options_.name, -1, {task, {}, 0}, WakeUpSpoiled{how}});
}

// Each is drawn whatever came before it, so that one knob does not change what another one does.
void LossyChannel::draw_way(const JobId& task, std::vector<JobId>& now) {
  const Losses& losses = options_.losses;
  const bool is_delayed = strikes(losses.delay_percent);
  const bool is_reordered = strikes(losses.reorder_percent);
  const Duration delay = drawn_up_to(losses.delay);
  if (is_delayed && losses.delay > Duration{0}) {
    spoil(task, Spoiling::delayed, counts_.delayed);
    held_.push_back({task, later(clock_.now(), delay)});
  } else if (is_reordered && losses.reorder_within > Duration{0}) {
    spoil(task, Spoiling::reordered, counts_.reordered);
    held_.push_back({task, later(clock_.now(), losses.reorder_within), true});
  } else {
    now.push_back(task);
  }
}

Status LossyChannel::announce(const JobId& task) {
  std::vector<JobId> now;
  std::stop_source changed;
  {
    const std::lock_guard lock(*monitor_);
    const bool is_dropped = strikes(options_.losses.drop_percent);
    const bool is_doubled = strikes(options_.losses.duplicate_percent);
    if (is_dropped) {
      spoil(task, Spoiling::dropped, counts_.dropped);
      return Done{};
    }
    draw_way(task, now);
    if (is_doubled) {
      spoil(task, Spoiling::doubled, counts_.doubled);
      draw_way(task, now);
    }
    if (!now.empty()) {
      for (const Held& one : held_)
        if (one.for_the_next) now.push_back(one.task);
      std::erase_if(held_, [](const Held& one) { return one.for_the_next; });
    }
    changed = std::exchange(changes_, std::stop_source());
  }
  changed.request_stop();
  return send(now);
}

Status LossyChannel::send(const std::vector<JobId>& tasks) {
  Status first_trouble = Done{};
  for (const JobId& task : tasks) {
    const Status sent = inner_.announce(task);
    if (!sent.ok() && first_trouble.ok()) first_trouble = sent;
  }
  return first_trouble;
}

std::vector<JobId> LossyChannel::due(Instant& next) {
  std::vector<JobId> tasks;
  const Instant now = clock_.now();
  for (auto one = held_.begin(); one != held_.end();) {
    if (one->until <= now) {
      tasks.push_back(one->task);
      one = held_.erase(one);
    } else {
      next = std::min(next, one->until);
      ++one;
    }
  }
  return tasks;
}

Result<std::optional<Message>> LossyChannel::receive(Instant deadline, std::stop_token stop) {
  for (;;) {
    Instant next = deadline;
    std::stop_source ends;
    std::vector<JobId> tasks;
    {
      const std::lock_guard lock(*monitor_);
      tasks = due(next);
      ends = changes_;
    }
    // One that could not be handed on is lost, as messages are here.
    static_cast<void>(send(tasks));
    std::stop_source either;
    const std::stop_callback comes(ends.get_token(), [&either] { either.request_stop(); });
    const std::stop_callback stops(stop, [&either] { either.request_stop(); });
    auto received = inner_.receive(next, either.get_token());
    if (!received.ok() || *received) return received;
    if (stop.stop_requested() || clock_.now() >= deadline) return received;
  }
}

Status LossyChannel::remove(const Message& message) {
  {
    const std::lock_guard lock(*monitor_);
    if (strikes(options_.losses.undelete_percent)) {
      spoil(message.task, Spoiling::undeleted, counts_.undeleted);
      return Done{};
    }
  }
  return inner_.remove(message);
}

LossyChannel::Counts LossyChannel::counts() const {
  const std::lock_guard lock(*monitor_);
  return counts_;
}

}  // namespace assay::engine
