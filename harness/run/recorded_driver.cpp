#include "harness/run/recorded_driver.h"

#include <fmt/format.h>

#include "harness/contract/records.h"
#include "harness/contract/wakeups.h"
#include "harness/run/detail/commit_parts.h"
#include "harness/run/detail/compact.h"
#include "harness/run/detail/store_clock.h"

namespace assay {
namespace {

template <class T>
Result<Response> widen(const Result<T>& answer) {
  if (!answer.ok()) return answer.error();
  return Response(*answer);
}

}  // namespace

class RecordedSession final : public Session, private Records {
 public:
  RecordedSession(RecordedDriver& driver, std::unique_ptr<Session> inner, int client)
      : driver_(driver), inner_(std::move(inner)), client_(client) {}

  int client() const { return client_; }

  Result<Enqueued> enqueue(Instant now, const Enqueue& r) override {
    return made(now, r, [&] { return inner_->enqueue(now, r); });
  }
  Result<Claims> reserve(Instant now, const Reserve& r) override {
    return made(now, r, [&] { return inner_->reserve(now, r); });
  }
  Result<Extended> extend(Instant now, const Extend& r) override {
    return made(now, r, [&] { return inner_->extend(now, r); });
  }
  Status ack(Instant now, const Ack& r) override {
    return made(now, r, [&] { return inner_->ack(now, r); });
  }
  std::vector<Result<Enqueued>> enqueue_all(Instant now,
                                            std::span<const Enqueue> requests) override {
    return together(now, requests, [&] { return inner_->enqueue_all(now, requests); });
  }
  std::vector<Status> ack_all(Instant now, std::span<const Ack> requests) override {
    return together(now, requests, [&] { return inner_->ack_all(now, requests); });
  }
  Status retry(Instant now, const Retry& r) override {
    return made(now, r, [&] { return inner_->retry(now, r); });
  }
  Status fail(Instant now, const Fail& r) override {
    return made(now, r, [&] { return inner_->fail(now, r); });
  }
  Result<Nacked> nack(Instant now, const Nack& r) override {
    return made(now, r, [&] { return inner_->nack(now, r); });
  }
  Result<Cancelled> cancel(Instant now, const Cancel& r) override {
    return made(now, r, [&] { return inner_->cancel(now, r); });
  }
  Status pause(Instant now, const Pause& r) override {
    return made(now, r, [&] { return inner_->pause(now, r); });
  }
  Status resume(Instant now, const Resume& r) override {
    return made(now, r, [&] { return inner_->resume(now, r); });
  }
  Result<JobView> get(Instant now, const Get& r) override {
    return made(now, r, [&] { return inner_->get(now, r); });
  }
  Result<JobPage> list(Instant now, const List& r) override {
    return made(now, r, [&] { return inner_->list(now, r); });
  }
  Result<DeadPage> dead(Instant now, const Dead& r) override {
    return made(now, r, [&] { return inner_->dead(now, r); });
  }
  Result<Requeued> requeue(Instant now, const Requeue& r) override {
    return made(now, r, [&] { return inner_->requeue(now, r); });
  }
  Status close() override {
    return made(last_, Close{}, [&] { return inner_->close(); });
  }

  assay::Records* records() override { return inner_->records() ? this : nullptr; }
  ClientProcess* process() override { return inner_->process(); }
  void abandon() override { inner_->abandon(); }

 private:
  template <class Call>
  auto made(std::optional<Instant> now, Request request, Call call) -> decltype(call()) {
    const auto begun = begin(now, {std::move(request)});
    auto answer = call();
    driver_.end(begun, {widen(answer)});
    return answer;
  }

  template <class One, class Call>
  auto together(Instant now, std::span<const One> requests, Call call) -> decltype(call()) {
    const auto begun = begin(now, {requests.begin(), requests.end()});
    auto answers = call();
    std::vector<Result<Response>> told;
    for (const auto& answer : answers) told.push_back(widen(answer));
    driver_.end(begun, std::move(told));
    return answers;
  }

  Result<Committed> commit(Instant now, const Commit& commit) override {
    const auto begun = begin(now, detail::parts_of(commit));
    auto answer = inner_->records()->commit(now, commit);
    driver_.end(begun, detail::answers_to_parts(commit, answer));
    return answer;
  }
  Result<std::optional<Record>> read(Instant now, const std::string& key) override {
    return inner_->records()->read(now, key);
  }
  Result<RecordPage> scan(Instant now, const Scan& scan) override {
    return inner_->records()->scan(now, scan);
  }

  RecordedDriver::Begun begin(std::optional<Instant> now, std::vector<Request> requests) {
    last_ = now;
    return driver_.begin(client_, now, std::move(requests));
  }

  RecordedDriver& driver_;
  const std::unique_ptr<Session> inner_;
  const int client_;
  std::optional<Instant> last_;  // the clock of its last call: a close brings none of its own
};

RecordedDriver::RecordedDriver(Driver& inner, RecordedOptions options)
    : inner_(inner),
      options_(std::move(options)),
      by_caller_(inner.profile().clock == ClockKnob::caller),
      in_real_time_(inner.profile().in_real_time()),
      store_clock_(in_real_time_ ? std::make_unique<detail::StoreClock>() : nullptr) {
  CHECK(by_caller_ || in_real_time_ || options_.clock);
}

RecordedDriver::~RecordedDriver() = default;

History RecordedDriver::history() const {
  const std::lock_guard lock(mutex_);
  return {options_.driver, inner_.profile(), options_.plan, clients_, events_};
}

std::vector<Event> RecordedDriver::take_events() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

std::vector<std::string> RecordedDriver::clients() const {
  const std::lock_guard lock(mutex_);
  return clients_;
}

void RecordedDriver::write_down(Event event) {
  if (options_.told) options_.told(event, clients_);
  events_.push_back(std::move(event));
}

void RecordedDriver::record(Event event) {
  const std::lock_guard lock(mutex_);
  write_down(std::move(event));
}

Status RecordedDriver::compare_clocks() {
  if (!store_clock_) return Done{};
  std::unique_lock lock(mutex_);
  detail::StoreClock compared = *store_clock_;
  lock.unlock();  // nobody else's call waits for the store's answers
  if (Status alike = compared.compare(inner_); !alike.ok()) return alike;
  lock.lock();
  *store_clock_ = compared;
  return Done{};
}

Status RecordedDriver::setup(const Setup& setup) {
  if (Status ready = inner_.setup(setup); !ready.ok()) return ready;
  {
    const std::lock_guard lock(mutex_);
    offset_ = Duration{0};
  }
  return compare_clocks();
}

int RecordedDriver::client_of(const Session& session) {
  return dynamic_cast<const RecordedSession&>(session).client();
}

Result<std::unique_ptr<Session>> RecordedDriver::open(const SessionSpec& spec) {
  auto opened = inner_.open(spec);
  if (!opened.ok()) return opened;
  const std::lock_guard lock(mutex_);
  const int before = sessions_[spec.name]++;
  clients_.push_back(before == 0 ? spec.name : fmt::format("{} ({})", spec.name, before + 1));
  return std::unique_ptr<Session>(std::make_unique<RecordedSession>(
      *this, std::move(*opened), static_cast<int>(clients_.size()) - 1));
}

Result<Instant> RecordedDriver::advance(Duration by) {
  auto moved = inner_.advance(by);
  if (!moved.ok()) return moved;
  const std::lock_guard lock(mutex_);
  offset_ += by;
  write_down(ClockEvent{*moved});
  return moved;
}

Result<std::unique_ptr<WakeUps>> RecordedDriver::wakeups(const std::vector<std::string>& queues) {
  return inner_.wakeups(queues);
}

Instant RecordedDriver::earliest(Instant callers) const {
  if (by_caller_) return callers;
  return in_real_time_ ? store_clock_->earliest() : options_.clock->now() + offset_;
}

std::optional<Instant> RecordedDriver::latest(Instant began) const {
  if (by_caller_) return std::nullopt;
  if (in_real_time_) return store_clock_->latest();
  const Instant now = options_.clock->now() + offset_;
  return now == began ? std::nullopt : std::optional(now);
}

RecordedDriver::Begun RecordedDriver::begin(int client, std::optional<Instant> now,
                                            std::vector<Request> requests) {
  for (Request& request : requests) detail::compact(request);
  const std::lock_guard lock(mutex_);
  callers_ = now.value_or(callers_);
  const Begun begun{next_op_, earliest(callers_)};
  for (Request& request : requests)
    write_down(CallEvent{next_op_++, client, begun.at, std::move(request)});
  return begun;
}

void RecordedDriver::end(const Begun& begun, std::vector<Result<Response>> answers) {
  for (auto& answer : answers)
    if (answer.ok()) detail::compact(*answer);
  const std::lock_guard lock(mutex_);
  const auto ended = latest(begun.at);
  for (OpId op = begun.first; auto& answer : answers) {
    if (answer.ok())
      write_down(ReturnEvent{op++, OutcomeKind::ok, std::move(*answer), Error{}, ended});
    else
      write_down(ReturnEvent{
          op++, is_definite(answer.error()) ? OutcomeKind::refused : OutcomeKind::unknown, Done{},
          answer.error(), ended});
  }
}

}  // namespace assay
