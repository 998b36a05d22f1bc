// PostgresSession: one client of a namespace. Each call is one statement, so one transaction.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "drivers/postgres/detail/connection.h"
#include "drivers/postgres/detail/rows.h"
#include "drivers/postgres/statements.h"
#include "drivers/stored/validate.h"
#include "harness/contract/driver.h"
#include "harness/contract/random.h"

namespace assay::pg {

// What all sessions of a driver share; the driver owns it.
struct Shared {
  Profile profile;
  PostgresStatements sql;
  Clock& clock;
  Location location;
};

// The namespace that a session is on: the number is that of its making, never used twice.
struct Place {
  std::string schema;
  std::int64_t era = 0;
};

// As the functions of the schema call it.
const char* counter_name(Counter counter);

// Whether the store keeps the name as it is, and not a digest of it.
inline bool is_brief(const std::string& name) { return name.size() <= 64; }

// Whether a claim may be worth a quick try, from how the last ones went.
class QuickClaims {
 public:
  // The rank to try, if any.
  std::optional<std::int64_t> rank_for(const Reserve& request);
  void hit() { misses_ = 0; }
  void missed();
  void found(const Reserve& request, std::int64_t rank);

 private:
  static bool is_plain(const Reserve& request);

  std::string queue_;
  std::int64_t rank_ = 0;
  bool known_ = false;
  int misses_ = 0;  // in a row,
  int pass_ = 0;    // so that this many claims make no try
};

class PostgresSession final : public Session, private Records {
 public:
  // Both references are borrowed; `release` gets the connection back at close.
  PostgresSession(const Shared& shared, Place place, Random random, Connection& connection,
                  std::function<void(Connection&)> release);
  ~PostgresSession() override;

  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override;
  Result<Claims> reserve(Instant now, const Reserve& request) override;
  Result<Extended> extend(Instant now, const Extend& request) override;
  Status ack(Instant now, const Ack& request) override;
  std::vector<Result<Enqueued>> enqueue_all(Instant now,
                                            std::span<const Enqueue> requests) override;
  std::vector<Status> ack_all(Instant now, std::span<const Ack> requests) override;
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

  // What a statement needs to know of the present.
  struct Present {
    std::optional<std::int64_t> caller;  // absent: the store's clock
    std::optional<std::int64_t> clock;   // the base of the store's clock; absent: the server's own
  };

  // The frame of every call.
  template <class T, class Request, class Body>
  Result<T> call(Phase phase, Instant caller_now, const Request& request, Body body);

  // The frame of many calls at once, sent in chunks of one statement and so one transaction each.
  // `body` answers what it can of a chunk; what it leaves unanswered by an exception gets its
  // error, or is asked for `alone` where the server took the chunk back.
  template <class T, class Request>
  using Unanswered = std::vector<std::pair<const Request*, std::optional<Result<T>>*>>;
  template <class T, class Request, class ChunkEnd, class Body, class Alone>
  std::vector<Result<T>> in_chunks(Instant caller_now, std::span<const Request> requests,
                                   ChunkEnd chunk_end, Body body, Alone alone);

  // Sends a chunk; what it threw, and whether it was the server that refused, so that none of it
  // took effect.
  struct Chunk {
    std::optional<Error> error;
    bool taken_back = false;
  };
  Chunk send(Instant caller_now, const std::function<void(Present)>& body);

  // Calls a function of the schema.
  template <class... Values>
  pqxx::result ask(const std::string& function, const Present& at, const Values&... values) {
    const auto one_round = [&](const std::string& name) {
      return connection_->call(name, place_.era, at.caller, at.clock, values...);
    };
    return is_quick(function) ? one_round(function) : ask_in_rounds(function, one_round);
  }

  // Whether the call is one round trip, as all are in the right driver.
  bool is_quick(const std::string& function) const {
    return shared_.sql.rounds.empty() || !shared_.sql.rounds.contains(function);
  }
  pqxx::result ask_in_rounds(const std::string& function,
                             const std::function<pqxx::result(const std::string&)>& call);

  // The same for a plain statement.
  template <class... Values>
  pqxx::result ask_plainly(const std::string& sql, const Present& at, const Values&... values) {
    return connection_->ask(sql, place_.era, at.caller, at.clock, values...);
  }

  // The same for functions that begin with a hold.
  template <class... Values>
  pqxx::result ask_held(const std::string& function, const Present& at, const Hold& hold,
                        bool strict, const Values&... values) {
    return ask(function, at, to_hex(hold.job_id), to_hex(hold.token), attempt_of(hold), unfenced(),
               strict, dead_at_equal(), values...);
  }

  Present present(Instant caller_now) const;
  bool hidden() const { return shared_.profile.retry_view == RetryView::ready_hidden; }
  bool unfenced() const {
    return shared_.profile.fence == Fence::none ||
           shared_.profile.late_settle == LateSettle::unfenced;
  }
  std::optional<std::int64_t> attempt_of(const Hold& hold) const {
    return shared_.profile.fence == Fence::token_attempt ? hold.attempt : std::nullopt;
  }
  bool dead_at_equal() const { return shared_.profile.lease_edge == LeaseEdge::dead_at_equal; }
  bool strict() const { return shared_.profile.late_settle == LateSettle::reject; }
  bool releases() const { return shared_.profile.idem == Idem::reject_active; }
  bool keyed() const { return shared_.profile.idem != Idem::none; }
  std::string scope() const;
  std::int64_t first_attempts() const;
  std::int64_t draw() { return static_cast<std::int64_t>(random_.next()); }

  Result<Enqueued> enqueued(const pqxx::row& answer, const NewJob& job) const;
  JobId next_id();
  // Nothing where a closer look is needed; nothing was made then.
  std::optional<JobId> enqueue_quickly(std::int64_t now_ms, const NewJob& job);
  // None where they are not alike, or must be looked at closer.
  std::vector<JobId> enqueue_alike(std::int64_t now_ms, const std::vector<const NewJob*>& jobs);
  bool is_met_by_nothing(const NewJob& job) const;
  // `ask` takes the arrays of the jobs' columns.
  template <class Ask>
  auto with_all(const std::vector<const NewJob*>& jobs, Ask ask) const;
  pqxx::result ask_for_all(const Present& at, const std::vector<const NewJob*>& jobs);
  Claim claim_from(Row row) const;
  std::optional<std::string> numbering() const;
  std::int64_t dead_by(std::int64_t now_ms) const;
  pqxx::result claim_quickly(const Present& at, const Reserve& request);
  pqxx::result claim_carefully(const Present& at, const Reserve& request);
  Result<LastSettle> refused_or_repeated(const pqxx::row& answer, const Hold& hold,
                                         std::string_view kind) const;
  // Whether it changed anything: a repetition does not.
  Result<bool> settled(const pqxx::row& answer, const Hold& hold, std::string_view kind) const;
  Result<bool> nacked(const pqxx::row& answer, const Hold& hold, Nacked& told) const;

  struct Parts;
  pqxx::result ask_to_commit(const Present& at, const Parts& parts);
  Result<Committed> committed(const pqxx::result& answers, const Parts& parts) const;
  Error refused(const pqxx::row& place, const pqxx::row& why, const Parts& parts) const;

  const Shared& shared_;
  Place place_;
  Random random_;
  Connection* connection_;  // null once closed
  std::function<void(Connection&)> release_;
  QuickClaims quick_;
  std::string ids_;  // what the ids begin with that this session makes
  std::int64_t made_ = 0;
};

template <class T, class Request, class Body>
Result<T> PostgresSession::call(Phase phase, Instant caller_now, const Request& request,
                                Body body) {
  if (!connection_) return Error{ErrorCode::closed, "the session is closed"};
  if (stored::Refusal refused = stored::refusal(shared_.profile, request)) return *refused;
  Phase reached = Phase::connecting;
  try {
    connection_->use_schema(place_.schema);
    connection_->make_ready();
    reached = phase;
    return body(present(caller_now));
  } catch (...) {
    return to_error(reached, shared_.location);
  }
}

template <class T, class Request, class ChunkEnd, class Body, class Alone>
std::vector<Result<T>> PostgresSession::in_chunks(Instant caller_now,
                                                  std::span<const Request> requests,
                                                  ChunkEnd chunk_end, Body body, Alone alone) {
  std::vector<std::optional<Result<T>>> answers(requests.size());
  for (std::size_t from = 0, end = 0; from < requests.size(); from = end) {
    end = chunk_end(requests, from);
    Unanswered<T, Request> open;
    for (std::size_t i = from; i < end; ++i) {
      if (!connection_) answers[i] = Error{ErrorCode::closed, "the session is closed"};
      if (stored::Refusal refused = stored::refusal(shared_.profile, requests[i]);
          refused && !answers[i])
        answers[i] = *refused;
      if (!answers[i]) open.emplace_back(&requests[i], &answers[i]);
    }
    if (open.empty()) continue;
    const Chunk sent = send(caller_now, [&](Present at) { body(at, open); });
    for (const auto& [request, answer] : open)
      if (!*answer) *answer = sent.taken_back ? alone(*request) : *sent.error;
  }
  std::vector<Result<T>> all;
  for (auto& answer : answers) all.push_back(*std::move(answer));
  return all;
}

}  // namespace assay::pg
