#include "harness/run/detail/wakeup_post.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/run/detail/engine_trouble.h"

namespace assay::detail {

// A sleep that is ended by either of two.
class WakeUpPost::Line final : public WakeUpLine {
 public:
  Line(WakeUpPost& post, std::string worker, std::vector<std::string> queues,
       std::function<bool()> is_dead)
      : post_(post),
        worker_(std::move(worker)),
        queues_(std::move(queues)),
        is_dead_(std::move(is_dead)) {}

  Status announce(const std::string& queue, const std::string& says) override {
    if (is_dead_()) return no_answer();
    post_.announce(worker_, queue, says);
    return Done{};
  }

  Result<std::optional<HeardWakeUp>> receive(Instant deadline, std::stop_token stop) override {
    for (;;) {
      if (is_dead_()) return no_answer();
      Instant next = deadline;
      if (auto heard = post_.take(worker_, queues_, next)) return heard;
      if (stop.stop_requested() || post_.clock_.now() >= deadline)
        return std::optional<HeardWakeUp>();
      std::stop_source either;
      const std::stop_callback comes(post_.changes_.get_token(), [&] { either.request_stop(); });
      const std::stop_callback stops(stop, [&] { either.request_stop(); });
      post_.clock_.sleep_until(next, either.get_token());
    }
  }

  Result<Instant> prolong(const std::string& receipt) override {
    if (is_dead_()) return no_answer();
    const auto found = post_.find(receipt);
    if (found == post_.messages_.end()) return gone();
    found->visible_at = post_.clock_.now() + visibility();
    post_.tell(EngineEvent::Kind::wakeup_prolonged, worker_, *found, found->visible_at);
    return found->visible_at;
  }

  Status remove(const std::string& receipt) override {
    if (is_dead_()) return no_answer();
    const auto found = post_.find(receipt);
    if (found == post_.messages_.end()) return gone();
    post_.tell(EngineEvent::Kind::wakeup_deleted, worker_, *found);
    post_.messages_.erase(found);
    return Done{};
  }

  Duration visibility() const override { return post_.options_.visibility; }

 private:
  static Error gone() {
    return {ErrorCode::lease_lost, "the message was deleted, or has come again",
            LeaseReason::not_held};
  }

  WakeUpPost& post_;
  const std::string worker_;
  const std::vector<std::string> queues_;
  const std::function<bool()> is_dead_;
};

WakeUpPost::WakeUpPost(Runtime& runtime, Options options)
    : clock_(runtime.clock()), options_(std::move(options)) {}

std::unique_ptr<WakeUpLine> WakeUpPost::line_of(std::string worker, std::vector<std::string> queues,
                                                std::function<bool()> is_dead) {
  return std::make_unique<Line>(*this, std::move(worker), std::move(queues), std::move(is_dead));
}

void WakeUpPost::tell(EngineEvent::Kind kind, const std::string& worker, const Message& message,
                      std::optional<Instant> until) {
  EngineEvent event{.kind = kind, .worker = worker};
  event.job_id = message.says;
  event.numbers["message"] = message.number;
  if (message.receipt > 0) event.numbers["receipt"] = message.receipt;
  if (until) event.numbers["until_ms"] = to_ms(*until);
  options_.tell(std::move(event));
}

// --- on its way ---

void WakeUpPost::announce(const std::string& worker, const std::string& queue,
                          const std::string& says) {
  Message message{++numbers_, queue, says, 0, clock_.now()};
  tell(EngineEvent::Kind::wakeup_sent, worker, message);
  if (const int spoiler = strikes(Spoiling::dropped); spoiler >= 0) return strike(spoiler, message);
  const int doubles = strikes(Spoiling::doubled);
  put(message);
  if (doubles < 0) return;
  strike(doubles, message);
  put(message);
}

void WakeUpPost::put(Message message) {
  std::stop_source heard = std::exchange(changes_, std::stop_source());
  if (const int spoiler = strikes(Spoiling::delayed); spoiler >= 0) {
    message.visible_at = clock_.now() + drawn(spoiler);
    message.spoiled_by = spoiler;
    strike(spoiler, message);
    messages_.push_back(std::move(message));
  } else if (const int holds = strikes(Spoiling::reordered); holds >= 0) {
    message.visible_at = clock_.now() + spoilers_[static_cast<std::size_t>(holds)].within;
    message.spoiled_by = holds;
    message.is_held = true;
    messages_.push_back(std::move(message));
  } else {
    // In front of those that it is to overtake.
    const auto held = std::ranges::find_if(messages_, &Message::is_held);
    messages_.insert(held, std::move(message));
    for (Message& other : messages_)
      if (std::exchange(other.is_held, false)) {
        other.visible_at = clock_.now();
        strike(other.spoiled_by, other);
      }
  }
  heard.request_stop();
}

std::optional<HeardWakeUp> WakeUpPost::take(const std::string& worker,
                                            const std::vector<std::string>& queues, Instant& next) {
  const Instant now = clock_.now();
  for (Message& message : messages_) {
    if (std::ranges::find(queues, message.queue) == queues.end()) continue;
    const bool comes_again = message.again_at && *message.again_at <= now;
    if (!comes_again && message.visible_at > now) {
      next = std::min(next, message.again_at.value_or(message.visible_at));
      continue;
    }
    if (comes_again && message.visible_at > now) strike(message.spoiled_by, message);
    message.is_held = false;
    message.again_at.reset();
    message.receipt = ++receipts_;
    message.visible_at = now + options_.visibility;
    tell(EngineEvent::Kind::wakeup_received, worker, message, message.visible_at);
    if (const int spoiler = strikes(Spoiling::shown_again); spoiler >= 0) {
      message.again_at = now + drawn(spoiler);
      message.spoiled_by = spoiler;
    }
    return HeardWakeUp{message.says, std::to_string(message.receipt), message.visible_at};
  }
  return std::nullopt;
}

std::list<WakeUpPost::Message>::iterator WakeUpPost::find(const std::string& receipt) {
  return std::ranges::find_if(messages_, [&](const Message& message) {
    return message.receipt > 0 && std::to_string(message.receipt) == receipt;
  });
}

// --- what goes wrong ---

int WakeUpPost::spoil(Spoiling how, int percent, Duration within) {
  const int number = static_cast<int>(spoilers_.size());
  Random random = Random(options_.seed).fork(fmt::format("{}/{}", name_of(how), number));
  spoilers_.push_back({how, percent, within, std::move(random)});
  return number;
}

void WakeUpPost::spare(int number) {
  spoilers_[static_cast<std::size_t>(number)].is_on = false;
  for (Message& message : messages_) {
    if (message.spoiled_by != number) continue;
    if (message.receipt == 0) message.visible_at = std::min(message.visible_at, clock_.now());
    message.is_held = false;
    message.again_at.reset();
    message.spoiled_by = -1;
  }
  std::exchange(changes_, std::stop_source()).request_stop();
}

std::uint64_t WakeUpPost::struck(int number) const {
  return spoilers_[static_cast<std::size_t>(number)].struck;
}

int WakeUpPost::strikes(Spoiling how) {
  int striker = -1;
  for (std::size_t i = 0; i < spoilers_.size(); ++i) {
    Spoiler& spoiler = spoilers_[i];
    if (!spoiler.is_on || spoiler.how != how) continue;
    const bool hits = static_cast<int>(spoiler.random.below(100)) < spoiler.percent;
    if (hits && striker < 0) striker = static_cast<int>(i);
  }
  return striker;
}

Duration WakeUpPost::drawn(int spoiler) {
  Spoiler& by = spoilers_[static_cast<std::size_t>(spoiler)];
  const auto bound = static_cast<std::uint64_t>(std::max<std::int64_t>(by.within.count(), 1));
  return Duration{1 + static_cast<std::int64_t>(by.random.below(bound))};
}

void WakeUpPost::strike(int spoiler, const Message& message) {
  Spoiler& by = spoilers_[static_cast<std::size_t>(spoiler)];
  ++by.struck;
  EngineEvent event{.kind = EngineEvent::Kind::wakeup_spoiled};
  event.job_id = message.says;
  event.word = name_of(by.how);
  event.numbers["message"] = message.number;
  options_.tell(std::move(event));
}

}  // namespace assay::detail
