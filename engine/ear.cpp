#include "engine/ear.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "engine/detail/line.h"
#include "engine/failure.h"

namespace assay::engine {
namespace {

enum class Use { heard, runs, over };

struct Kept {
  Message message = {};
  Use use = Use::heard;
  Instant prolong_at = {};
};

// What an event means for the messages of its task.
struct Meaning {
  std::optional<Use> operator()(const Claimed&) const { return Use::runs; }
  std::optional<Use> operator()(const NotClaimed&) const { return Use::over; }
  std::optional<Use> operator()(const SettleAnswered& e) const {
    if (e.error && detail::is_trouble(*e.error)) return std::nullopt;
    return Use::over;
  }
  template <class Other>
  std::optional<Use> operator()(const Other&) const {
    return std::nullopt;
  }
};

// The message is left to come again.
bool leaves(const Event& event) {
  return std::holds_alternative<LeftToLapse>(event.what) ||
         std::holds_alternative<DidNotReturn>(event.what);
}

}  // namespace

class Ear::Body {
 public:
  Body(Runtime& runtime, Channel& channel, bool by_id, EarOptions options)
      : clock_(runtime.clock()),
        channel_(channel),
        by_id_(by_id),
        options_(std::move(options)),
        monitor_(runtime.monitor("the ear")),
        porter_(runtime.start(options_.name + "/porter", [this](std::stop_token) { carry(); })) {}

  ~Body() {
    {
      const std::lock_guard lock(*monitor_);
      has_ended_ = true;
      monitor_->notify_all();
    }
    static_cast<void>(porter_->join_until(std::nullopt));
  }

  std::optional<WakeUp> wait_until(Instant deadline, const std::stop_token& stop) {
    while (has_room(deadline, stop)) {
      const auto received = channel_.receive(deadline, stop);
      if (received.ok() && !*received) return std::nullopt;
      if (received.ok()) {
        if (auto wakeup = hear(*received.value())) return wakeup;
        continue;
      }
      if (clock_.now() >= deadline) return std::nullopt;
      clock_.sleep_until(later(clock_.now(), options_.pause), stop);
    }
    return std::nullopt;
  }

  void see(const Event& event) {
    std::stop_source changed;
    {
      const std::lock_guard lock(*monitor_);
      if (options_.observer) options_.observer->see(event);
      if (event.delivery.job_id.empty() || !learn(event)) return;
      monitor_->notify_all();
      changed = std::exchange(changes_, std::stop_source());
    }
    changed.request_stop();
  }

 private:
  // Whether it meant something for a message.
  bool learn(const Event& event) {
    const auto found = kept_.find(event.delivery.job_id);
    if (found == kept_.end()) return false;
    if (leaves(event)) {
      kept_.erase(found);
      return true;
    }
    const auto use = std::visit(Meaning{}, event.what);
    if (!use) return false;
    // A message that came while the task ran here is refused, and does not speak for the others.
    const bool is_refusal = std::holds_alternative<NotClaimed>(event.what);
    for (Kept& one : found->second)
      if (!is_refusal || one.use == Use::heard) one.use = *use;
    return true;
  }

  // Waits until there is; false: the time is up.
  bool has_room(Instant deadline, const std::stop_token& stop) {
    const auto is_heard = [](const Kept& one) { return one.use == Use::heard; };
    while (!stop.stop_requested()) {
      std::stop_source changes;
      {
        const std::lock_guard lock(*monitor_);
        std::size_t heard = 0;
        for (const auto& [task, of_task] : kept_)
          heard += static_cast<std::size_t>(std::ranges::count_if(of_task, is_heard));
        if (heard < options_.ahead) return true;
        changes = changes_;
      }
      if (clock_.now() >= deadline) return false;
      // A sleep that is ended by either of two: a monitor cannot be woken by a stop token.
      std::stop_source either;
      const std::stop_callback room(changes.get_token(), [&either] { either.request_stop(); });
      const std::stop_callback stops(stop, [&either] { either.request_stop(); });
      clock_.sleep_until(deadline, either.get_token());
    }
    return false;
  }

  // Nothing where its task runs here.
  std::optional<WakeUp> hear(const Message& message) {
    const std::lock_guard lock(*monitor_);
    tell(message, WakeUpReceived{message.hidden_until});
    const WakeUp wakeup{by_id_ ? std::optional(message.task) : std::nullopt, options_.queue};
    auto& of_task = kept_[message.task];
    const bool runs_here = !of_task.empty() && of_task.front().use == Use::runs;
    const Use use = !by_id_ ? Use::over : runs_here ? Use::runs : Use::heard;
    of_task.push_back({message, use, next_prolonging()});
    monitor_->notify_all();
    if (runs_here) return std::nullopt;
    return wakeup;
  }

  Instant next_prolonging() const {
    return later(clock_.now(), std::max(channel_.visibility() / 3, Duration{1}));
  }

  void tell(const Message& message, Happening what) {
    if (!options_.observer) return;
    options_.observer->see(
        {clock_.now(), options_.name, -1, {message.task, {}, 0}, std::move(what)});
  }

  // What is to be done next, if anything is to be done now; else when. A message that was merely
  // heard comes again when its time is up: it is forgotten then.
  std::optional<Kept> next_now(std::optional<Instant>& next) {
    const Instant now = clock_.now();
    for (auto of_task = kept_.begin(); of_task != kept_.end();) {
      const auto gone = std::erase_if(of_task->second, [&](const Kept& one) {
        return one.use == Use::heard && one.message.hidden_until <= now;
      });
      makes_room_ = makes_room_ || gone > 0;
      for (const Kept& one : of_task->second) {
        if (one.use == Use::over) return one;
        const Instant at = one.use == Use::runs ? one.prolong_at : one.message.hidden_until;
        if (at <= now) return one;
        next = next ? std::min(*next, at) : at;
      }
      of_task = of_task->second.empty() ? kept_.erase(of_task) : std::next(of_task);
    }
    return std::nullopt;
  }

  void carry() {
    std::unique_lock held(*monitor_);
    for (;;) {
      std::optional<Instant> next;
      const auto one = next_now(next);
      if (std::exchange(makes_room_, false)) {
        std::stop_source changed = std::exchange(changes_, std::stop_source());
        held.unlock();
        changed.request_stop();
        held.lock();
        continue;
      }
      if (one && (one->use == Use::over || !has_ended_)) {
        held.unlock();
        if (one->use == Use::over)
          remove(held, one->message);
        else
          prolong(held, one->message);
      } else if (has_ended_) {
        return;
      } else {
        monitor_->wait_until(next);
      }
    }
  }

  // Whether that succeeds or not, nothing more is to be done about it. The lock is taken again.
  void remove(std::unique_lock<Monitor>& held, const Message& message) {
    const Status removed = channel_.remove(message);
    held.lock();
    tell(message, WakeUpDeleted{removed.ok() ? std::nullopt : std::optional(removed.error())});
    forget(message);
  }

  void prolong(std::unique_lock<Monitor>& held, const Message& message) {
    const auto until = channel_.prolong(message);
    held.lock();
    if (until.ok()) {
      tell(message, WakeUpProlonged{std::nullopt, *until});
    } else {
      tell(message, WakeUpProlonged{until.error(), message.hidden_until});
      if (!detail::is_trouble(until.error())) return forget(message);
    }
    const auto of_task = kept_.find(message.task);
    if (of_task == kept_.end()) return;
    for (Kept& one : of_task->second)
      if (one.message.receipt == message.receipt) {
        if (until.ok()) one.message.hidden_until = *until;
        one.prolong_at = next_prolonging();
      }
  }

  void forget(const Message& message) {
    const auto of_task = kept_.find(message.task);
    if (of_task == kept_.end()) return;
    std::erase_if(of_task->second,
                  [&](const Kept& one) { return one.message.receipt == message.receipt; });
    if (of_task->second.empty()) kept_.erase(of_task);
  }

  Clock& clock_;
  Channel& channel_;
  const bool by_id_;
  const EarOptions options_;
  const std::unique_ptr<Monitor> monitor_;
  std::map<JobId, std::vector<Kept>> kept_;
  std::stop_source changes_;  // requested when there may be room for another message
  bool makes_room_ = false;
  bool has_ended_ = false;
  const std::unique_ptr<Task> porter_;  // the last: it uses all of the above
};

Ear::Ear(Runtime& runtime, Channel& channel, const Profile& profile, EarOptions options)
    : body_(std::make_unique<Body>(runtime, channel, profile.claim_style == ClaimStyle::by_id,
                                   std::move(options))) {}
Ear::~Ear() = default;

std::optional<WakeUp> Ear::wait_until(Instant deadline, std::stop_token stop) {
  return body_->wait_until(deadline, stop);
}
void Ear::see(const Event& event) { body_->see(event); }

}  // namespace assay::engine
