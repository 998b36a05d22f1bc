// SqliteSession: one client of a namespace in a store. Each call is one transaction; a refused one
// is rolled back.
#pragma once

#include <functional>
#include <new>

#include "drivers/sqlite/detail/connection.h"
#include "drivers/sqlite/detail/rows.h"
#include "drivers/sqlite/statements.h"
#include "drivers/stored/mailbox.h"
#include "drivers/stored/validate.h"
#include "harness/contract/driver.h"
#include "harness/contract/random.h"

namespace assay::lite {

// What all sessions of a driver share; the driver owns it.
struct Shared {
  Profile profile;
  SqliteStatements sql;
  Clock& clock;
  std::string where;               // for messages
  mutable stored::Bell bell = {};  // rung by sessions of this process
};

class SqliteSession final : public Session, private Records {
 public:
  // Both references are borrowed; `release` gets the connection back at close.
  SqliteSession(const Shared& shared, std::int64_t ns, Random random, Connection& connection,
                std::function<void(Connection&)> release);
  ~SqliteSession() override;

  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override;
  Result<Claims> reserve(Instant now, const Reserve& request) override;
  Result<Extended> extend(Instant now, const Extend& request) override;
  Status ack(Instant now, const Ack& request) override;
  Status retry(Instant now, const Retry& request) override;
  Status fail(Instant now, const Fail& request) override;
  Result<Nacked> nack(Instant now, const Nack& request) override;
  Result<Cancelled> cancel(Instant now, const Cancel& request) override;
  Status pause(Instant now, const Pause& request) override;
  Status resume(Instant now, const Resume& request) override;
  Result<JobView> get(Instant now, const Get& request) override;
  Result<JobPage> list(Instant now, const List& request) override;
  Result<DeadPage> dead(Instant now, const Dead& request) override;
  Result<Requeued> requeue(Instant now, const Requeue& request) override;
  Records* records() override { return this; }
  Status close() override;

 private:
  Result<Committed> commit(Instant now, const Commit& request) override;
  Result<std::optional<Record>> read(Instant now, const std::string& key) override;
  Result<RecordPage> scan(Instant now, const Scan& request) override;

  using Kind = Transaction::Kind;
  struct Candidate;
  struct Lapsed;
  struct Verdict;

  // The frame of every call: `body` takes the present time in ms and runs in a transaction.
  template <class T, class Request, class Body>
  Result<T> call(Kind kind, Instant caller_now, const Request& request, Body body);

  Query ask(const std::string& sql) { return Query(*connection_, sql, ns_); }
  Query& shown(Query& query, std::int64_t now) const;  // binds what showing a job needs

  Result<std::int64_t> present_ms(Instant caller_now);
  std::int64_t next_sequence();
  // It stands in line now; whoever listens is told once it is certain.
  void arrives(std::int64_t now, std::int64_t run_at, const std::string& queue, const JobId& id);
  std::optional<Row> find(std::int64_t now, const JobId& id);
  std::int64_t first_attempts() const;
  std::int64_t runs_allowed(std::optional<std::int64_t> limit) const;
  Duration draw_backoff(std::int64_t failure);

  Result<Enqueued> enqueue_at(std::int64_t now, const NewJob& job);
  std::optional<JobId> key_holder(const std::string& queue, const std::string& type,
                                  const std::string& key);
  JobId insert(std::int64_t now, const NewJob& job, std::int64_t attempts);

  Result<Claims> reserve_at(std::int64_t now, const Reserve& request);
  bool is_paused(const std::string& queue);
  std::int64_t dead_by(std::int64_t now) const;
  bool sweeps() const;
  void sweep(std::int64_t now, const std::string& queue, const Reserve& request);
  void expire(std::int64_t now, const Lapsed& lapsed);
  void collect(std::int64_t now, const std::string& queue, const Reserve& request,
               std::vector<Candidate>& found);
  void collect_due(std::int64_t now, const std::string& queue, std::int64_t max,
                   std::vector<Candidate>& found);
  // Nothing where a variant finds that somebody else has it meanwhile.
  std::optional<Claim> claim(std::int64_t now, std::int64_t row, const Reserve& request);

  Query& held(Query& query, const Hold& hold, std::int64_t dead_by) const;
  Query& settling(Query& query, std::int64_t now, const Hold& hold, std::string_view kind) const;
  Result<LastSettle> refused_or_repeated(std::int64_t now, const Hold& hold, std::string_view kind);
  // Whether it changed anything: a repetition does not.
  using Settled = Result<bool>;
  Settled settled(std::int64_t now, const Hold& hold, std::string_view kind, bool applied);
  Verdict judge_failure(const Job& job, bool unrecoverable) const;
  Result<Extended> extend_at(std::int64_t now, const Extend& request);
  Settled settle_at(std::int64_t now, const Ack& request);
  Settled settle_at(std::int64_t now, const Retry& request);
  Settled settle_at(std::int64_t now, const Fail& request);
  Settled settle_at(std::int64_t now, const Nack& request, Nacked& answer);

  struct Committer;
  Result<Committed> commit_at(std::int64_t now, const Commit& request);

  Result<Requeued> requeue_at(std::int64_t now, const Requeue& request);
  Result<Requeued> replay_fresh(std::int64_t now, const Requeue& request, const Job& job);

  const Shared& shared_;
  std::int64_t ns_;
  Random random_;
  Connection* connection_;  // null once closed
  std::function<void(Connection&)> release_;
  std::vector<WakeUp> arrivals_;  // of the call under way
};

std::int64_t plus(std::int64_t ms, Duration length);  // stops at the largest number

template <class T, class Request, class Body>
Result<T> SqliteSession::call(Kind kind, Instant caller_now, const Request& request, Body body) {
  if (!connection_) return Error{ErrorCode::closed, "the session is closed"};
  if (stored::Refusal refused = stored::refusal(shared_.profile, request)) return *refused;
  std::lock_guard lock(connection_->mutex());
  try {
    Transaction transaction(*connection_, kind);
    const Result<std::int64_t> now = present_ms(caller_now);
    if (!now.ok()) return now.error();
    arrivals_.clear();
    Result<T> result = body(*now);
    if (result.ok()) transaction.commit();
    if (result.ok())
      for (const WakeUp& arrival : arrivals_) shared_.bell.ring(arrival.queue, arrival.job_id);
    return result;
  } catch (const Failure& failure) {
    return to_error(failure, shared_.where);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::internal, shared_.where + ": out of memory"};
  }
}

}  // namespace assay::lite
