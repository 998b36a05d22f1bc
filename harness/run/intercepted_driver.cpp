#include "harness/run/intercepted_driver.h"

#include "harness/contract/records.h"
#include "harness/contract/wakeups.h"

namespace assay {
namespace {

class InterceptedRecords final : public Records {
 public:
  InterceptedRecords(Records& inner, const SessionSpec& spec, const Interception& by)
      : inner_(inner), spec_(spec), by_(by) {}

  Result<Committed> commit(Instant now, const Commit& commit) override {
    if (const Status may = by_.records(spec_); !may.ok()) return may.error();
    return inner_.commit(now, commit);
  }
  Result<std::optional<Record>> read(Instant now, const std::string& key) override {
    if (const Status may = by_.records(spec_); !may.ok()) return may.error();
    return inner_.read(now, key);
  }
  Result<RecordPage> scan(Instant now, const Scan& scan) override {
    if (const Status may = by_.records(spec_); !may.ok()) return may.error();
    return inner_.scan(now, scan);
  }

 private:
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
    if (given && by_.records && !records_) records_.emplace(*given, spec_, by_);
    return records_ ? &*records_ : given;
  }
  Status close() override { return made<Done>(last_, Close{}); }
  ClientProcess* process() override { return inner_->process(); }
  void abandon() override { inner_->abandon(); }

 private:
  template <class Answer>
  Result<Answer> made(Instant now, const Request& request) {
    last_ = now;
    auto answer = by_.call(spec_, now, request, [&](Instant then, const Request& instead) {
      return perform(*inner_, then, instead);
    });
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
  if (opened.ok() && interception_.opened) interception_.opened(spec);
  if (!opened.ok() || !interception_.call) return opened;
  return std::unique_ptr<Session>(new InterceptedSession(std::move(*opened), spec, interception_));
}

}  // namespace assay
