#include "engine/in_process_channel.h"

#include <algorithm>
#include <mutex>

#include "engine/failure.h"

namespace assay::engine {

InProcessChannel::InProcessChannel(Runtime& runtime, Duration visibility, std::size_t bound)
    : clock_(runtime.clock()),
      visibility_(visibility),
      bound_(std::max<std::size_t>(bound, 1)),
      monitor_(runtime.monitor("the channel")) {}

Status InProcessChannel::announce(const JobId& task) {
  std::stop_source heard;
  {
    const std::lock_guard lock(*monitor_);
    entries_.push_back({task, {}, clock_.now()});
    if (entries_.size() > bound_) entries_.pop_front();
    heard = std::exchange(changes_, std::stop_source());
  }
  heard.request_stop();
  return Done{};
}

// A clock that was set back hides nothing for longer than its visibility time.
std::optional<Message> InProcessChannel::take(Instant now, Instant& next) {
  for (Entry& entry : entries_) {
    entry.visible_at = std::min(entry.visible_at, later(now, visibility_));
    const bool is_visible = entry.visible_at <= now || entry.receipt.empty();
    if (!is_visible) {
      next = std::min(next, entry.visible_at);
      continue;
    }
    entry.receipt = std::to_string(++receipts_);
    entry.visible_at = later(now, visibility_);
    return Message{entry.task, entry.receipt, entry.visible_at};
  }
  return std::nullopt;
}

// A sleep that is ended by either of two: a monitor cannot be woken by a stop token.
Result<std::optional<Message>> InProcessChannel::receive(Instant deadline, std::stop_token stop) {
  for (;;) {
    Instant next = deadline;
    std::stop_source ends;
    {
      const std::lock_guard lock(*monitor_);
      if (auto message = take(clock_.now(), next)) return std::optional(*message);
      ends = changes_;
    }
    if (stop.stop_requested() || clock_.now() >= deadline) return std::optional<Message>();
    std::stop_source either;
    const std::stop_callback comes(ends.get_token(), [&either] { either.request_stop(); });
    const std::stop_callback stops(stop, [&either] { either.request_stop(); });
    clock_.sleep_until(next, either.get_token());
  }
}

std::list<InProcessChannel::Entry>::iterator InProcessChannel::find(const Message& message) {
  return std::ranges::find_if(entries_, [&](const Entry& entry) {
    return !entry.receipt.empty() && entry.receipt == message.receipt;
  });
}

static Error gone() {
  return lease_lost(LeaseReason::not_held, "the message was deleted, or has come again");
}

Result<Instant> InProcessChannel::prolong(const Message& message) {
  const std::lock_guard lock(*monitor_);
  const auto found = find(message);
  if (found == entries_.end()) return gone();
  found->visible_at = later(clock_.now(), visibility_);
  return found->visible_at;
}

Status InProcessChannel::remove(const Message& message) {
  const std::lock_guard lock(*monitor_);
  const auto found = find(message);
  if (found == entries_.end()) return gone();
  entries_.erase(found);
  return Done{};
}

std::size_t InProcessChannel::size() const {
  const std::lock_guard lock(*monitor_);
  return entries_.size();
}

}  // namespace assay::engine
