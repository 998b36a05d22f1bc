#include "engine/queue_channel.h"

#include <algorithm>
#include <mutex>

#include "engine/detail/fields.h"
#include "engine/detail/line.h"
#include "engine/failure.h"
#include "harness/contract/random.h"
#include "harness/contract/wakeups.h"

namespace assay::engine {
namespace {

// Far more often than any message that is of use is received.
constexpr std::int64_t most_deliveries = 1'000;

std::string receipt_of(const Claim& claim) {
  detail::Fields fields;
  fields.set("job", claim.job.id);
  fields.set("token", claim.token);
  fields.set("attempt", claim.attempt);
  return fields.text();
}

Hold hold_of(const Message& message) {
  const auto fields = detail::Fields::read(message.receipt).value_or(detail::Fields());
  return {fields.get("job").value_or("none"), fields.get("token").value_or(""),
          fields.number("attempt")};
}

}  // namespace

class QueueChannel::Body {
 public:
  Body(Runtime& runtime, Driver& driver, Options options)
      : clock_(runtime.clock()),
        driver_(driver),
        options_(std::move(options)),
        monitor_(runtime.monitor("the channel's line")),
        desk_(driver, options_.name + "/desk"),
        ear_(driver, options_.name + "/ear"),
        random_(Random(options_.seed).fork("channel/" + options_.name)) {}

  const Options& options() const { return options_; }

  Status announce(const JobId& task) {
    const std::lock_guard lock(*monitor_);
    NewJob job;
    job.id = "wake-up-" + random_.hex(24);
    job.queue = options_.queue;
    job.type = "wake-up";
    job.payload = task;
    job.max_attempts = most_deliveries;
    const auto made = desk_.call([&](Session& s) { return s.enqueue(clock_.now(), {job}); });
    if (!made.ok()) return made.error();
    return Done{};
  }

  Result<std::optional<Message>> receive(Instant deadline, const std::stop_token& stop) {
    const Reserve reserve{{options_.queue}, options_.visibility, options_.name, 1, {}};
    if (options_.listens) listen();
    for (;;) {
      const Instant asked_at = clock_.now();
      auto claims = ear_.call([&](Session& s) { return s.reserve(asked_at, reserve); });
      if (!claims.ok()) return claims.error();
      if (!claims->claims.empty()) {
        const Claim& claim = claims->claims.front();
        return std::optional(
            Message{claim.job.payload, receipt_of(claim), later(asked_at, options_.visibility)});
      }
      const Instant now = clock_.now();
      if (stop.stop_requested() || now >= deadline) return std::optional<Message>();
      pause(std::min(deadline, later(now, options_.poll)) - now, stop);
    }
  }

  Result<Instant> prolong(const Message& message) {
    const std::lock_guard lock(*monitor_);
    const Instant sent_at = clock_.now();
    const auto extended = desk_.call([&](Session& s) {
      return s.extend(sent_at, {hold_of(message), options_.visibility});
    });
    if (!extended.ok()) return extended.error();
    return later(sent_at, options_.visibility);
  }

  Status remove(const Message& message) {
    const std::lock_guard lock(*monitor_);
    return desk_.call([&](Session& s) { return s.ack(clock_.now(), {hold_of(message)}); });
  }

 private:
  void listen() {
    if (wakeups_) return;
    auto opened = driver_.wakeups({options_.queue});
    if (opened.ok()) wakeups_ = std::move(*opened);
  }

  void pause(Duration length, const std::stop_token& stop) {
    if (wakeups_) {
      const auto heard = wakeups_->wait(length, stop);
      if (heard.ok()) return;
    }
    clock_.sleep_until(later(clock_.now(), length), stop);
  }

  Clock& clock_;
  Driver& driver_;
  const Options options_;
  const std::unique_ptr<Monitor> monitor_;  // guards the desk and the randomness
  detail::Line desk_;
  detail::Line ear_;  // of whoever receives
  std::unique_ptr<assay::WakeUps> wakeups_;
  Random random_;
};

QueueChannel::QueueChannel(std::unique_ptr<Body> body) : body_(std::move(body)) {}
QueueChannel::~QueueChannel() = default;

Result<std::unique_ptr<QueueChannel>> QueueChannel::make(Runtime& runtime, Driver& driver,
                                                         Options options) {
  if (driver.profile().claim_style != ClaimStyle::next)
    return invalid("a channel's queue must be one whose claims name no job");
  if (options.queue.empty()) return invalid("the queue's name is empty");
  if (options.visibility < Duration{3}) return invalid("the visibility time is too short");
  if (options.visibility > std::chrono::days(366) || options.poll > std::chrono::days(366))
    return invalid("a duration is longer than a year");
  if (options.poll < Duration{1}) return invalid("the poll is not positive");
  return std::unique_ptr<QueueChannel>(
      new QueueChannel(std::make_unique<Body>(runtime, driver, std::move(options))));
}

Status QueueChannel::announce(const JobId& task) { return body_->announce(task); }
Result<std::optional<Message>> QueueChannel::receive(Instant deadline, std::stop_token stop) {
  return body_->receive(deadline, stop);
}
Result<Instant> QueueChannel::prolong(const Message& message) { return body_->prolong(message); }
Status QueueChannel::remove(const Message& message) { return body_->remove(message); }
Duration QueueChannel::visibility() const { return body_->options().visibility; }

}  // namespace assay::engine
