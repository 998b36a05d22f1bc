#include "harness/run/intercepted_driver.h"

#include "harness/contract/wakeups.h"

namespace assay {
namespace {

class InterceptedRecords final : public Records {
 public:
  InterceptedRecords(Records& inner, const SessionSpec& spec, const Interception& by)
      : inner_(inner), spec_(spec), by_(by) {}

  Result<Committed> commit(Instant now, const Commit& commit) override {
    if (const Status may = allowed(); !may.ok()) return may.error();
    if (!by_.commit) return inner_.commit(now, commit);
    return by_.commit(spec_, now, commit, [this](Instant then, const Commit& instead) {
      return inner_.commit(then, instead);
    });
  }
  Result<std::optional<Record>> read(Instant now, const std::string& key) override {
    if (const Status may = allowed(); !may.ok()) return may.error();
    return inner_.read(now, key);
  }
  Result<RecordPage> scan(Instant now, const Scan& scan) override {
    if (const Status may = allowed(); !may.ok()) return may.error();
    if (!by_.scan) return inner_.scan(now, scan);
    return by_.scan(spec_, now, scan, [this](Instant then, const Scan& instead) {
      return inner_.scan(then, instead);
    });
  }

 private:
  Status allowed() const { return by_.records ? by_.records(spec_) : Status(Done{}); }

  Records& inner_;
  const SessionSpec& spec_;
  const Interception& by_;
};

class InterceptedSession final : public Session {
 public:
  InterceptedSession(std::unique_ptr<Session> inner, SessionSpec spec, const Interception& by)
      : inner_(std::move(inner)), spec_(std::move(spec)), by_(by) {}

  Result<Enqueued> enqueue(Instant now, const Enqueue& r) override {
    return made<Enqueued>(now, r);
  }
  Result<Claims> reserve(Instant now, const Reserve& r) override { return made<Claims>(now, r); }
  Result<Extended> extend(Instant now, const Extend& r) override { return made<Extended>(now, r); }
  Status ack(Instant now, const Ack& r) override { return made<Done>(now, r); }
  std::vector<Result<Enqueued>> enqueue_all(Instant now,
                                            std::span<const Enqueue> requests) override {
    return all<Enqueued>(now, requests, &Session::enqueue_all);
  }
  std::vector<Status> ack_all(Instant now, std::span<const Ack> requests) override {
    return all<Done>(now, requests, &Session::ack_all);
  }
  Status retry(Instant now, const Retry& r) override { return made<Done>(now, r); }
  Status fail(Instant now, const Fail& r) override { return made<Done>(now, r); }
  Result<Nacked> nack(Instant now, const Nack& r) override { return made<Nacked>(now, r); }
  Result<Cancelled> cancel(Instant now, const Cancel& r) override {
    return made<Cancelled>(now, r);
  }
  Status pause(Instant now, const Pause& r) override { return made<Done>(now, r); }
  Status resume(Instant now, const Resume& r) override { return made<Done>(now, r); }
  Result<JobView> get(Instant now, const Get& r) override { return made<JobView>(now, r); }
  Result<JobPage> list(Instant now, const List& r) override { return made<JobPage>(now, r); }
  Result<DeadPage> dead(Instant now, const Dead& r) override { return made<DeadPage>(now, r); }
  Result<Requeued> requeue(Instant now, const Requeue& r) override {
    return made<Requeued>(now, r);
  }
  Records* records() override {
    Records* const given = inner_->records();
    const bool stands_between = by_.records || by_.commit || by_.scan;
    if (given && stands_between && !records_) records_.emplace(*given, spec_, by_);
    return records_ ? &*records_ : given;
  }
  Status close() override { return made<Done>(last_, Close{}); }
  ClientProcess* process() override { return inner_->process(); }
  void abandon() override { inner_->abandon(); }

 private:
  template <class Answer>
  Result<Answer> made(Instant now, const Request& request) {
    last_ = now;
    const Interception::Next straight = [&](Instant then, const Request& instead) {
      return perform(*inner_, then, instead);
    };
    return narrow<Answer>(by_.call ? by_.call(spec_, now, request, straight)
                                   : straight(now, request));
  }

  // A batch stays one, so that the driver's own way with batches is met.
  template <class Answer, class One>
  std::vector<Result<Answer>> all(
      Instant now, std::span<const One> requests,
      std::vector<Result<Answer>> (Session::*make)(Instant, std::span<const One>)) {
    std::vector<Result<Answer>> answers;
    if (!by_.together) {
      for (const One& one : requests) answers.push_back(made<Answer>(now, one));
      return answers;
    }
    last_ = now;
    const std::vector<Request> wide(requests.begin(), requests.end());
    const auto next = [&](Instant then, std::span<const Request> instead) {
      std::vector<One> some;
      for (const Request& one : instead) some.push_back(std::get<One>(one));
      std::vector<Result<Response>> given;
      for (auto& answer : (inner_.get()->*make)(then, some))
        given.push_back(answer.ok() ? Result<Response>(Response(*answer))
                                    : Result<Response>(answer.error()));
      return given;
    };
    for (auto& answer : by_.together(spec_, now, wide, next))
      answers.push_back(narrow<Answer>(std::move(answer)));
    return answers;
  }

  template <class Answer>
  static Result<Answer> narrow(Result<Response> answer) {
    if (!answer.ok()) return answer.error();
    if (auto* given = std::get_if<Answer>(&*answer)) return std::move(*given);
    return Error{ErrorCode::internal, "an answer of another kind"};
  }

  std::unique_ptr<Session> inner_;
  const SessionSpec spec_;
  const Interception& by_;
  Instant last_ = run_epoch;  // that somebody's clock showed
  std::optional<InterceptedRecords> records_;
};

}  // namespace

Result<std::unique_ptr<WakeUps>> InterceptedDriver::wakeups(
    const std::vector<std::string>& queues) {
  return inner_.wakeups(queues);
}

Result<std::unique_ptr<Session>> InterceptedDriver::open(const SessionSpec& spec) {
  if (interception_.open)
    if (const Status may = interception_.open(spec); !may.ok()) return may.error();
  auto opened = inner_.open(spec);
  if (opened.ok() && interception_.opened) interception_.opened(**opened);
  if (!opened.ok() || !interception_.is_any()) return opened;
  return std::unique_ptr<Session>(new InterceptedSession(std::move(*opened), spec, interception_));
}

}  // namespace assay
