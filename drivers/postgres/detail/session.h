// PostgresSession: one client of a namespace. Each call is one statement, so one transaction.
#pragma once

#include <functional>

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

class PostgresSession final : public Session {
 public:
  // Both references are borrowed; `release` gets the connection back at close.
  PostgresSession(const Shared& shared, Place place, Random random, Connection& connection,
                  std::function<void(Connection&)> release);
  ~PostgresSession() override;

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
  Status close() override;

 private:
  // What a statement needs to know of the present.
  struct Present {
    std::optional<std::int64_t> caller;  // absent: the store's clock
    std::optional<std::int64_t> clock;   // the base of the store's clock; absent: the server's own
  };

  // The frame of every call.
  template <class T, class Request, class Body>
  Result<T> call(Phase phase, Instant caller_now, const Request& request, Body body);

  // Calls a function of the schema.
  template <class... Values>
  pqxx::result ask(const std::string& function, const Present& at, const Values&... values) {
    return connection_->call(function, place_.era, at.caller, at.clock, values...);
  }

  // The same for those that begin with a hold.
  template <class... Values>
  pqxx::result ask_held(const std::string& function, const Present& at, const Hold& hold,
                        bool strict, const Values&... values) {
    const bool unfenced =
        shared_.profile.fence == Fence::none || shared_.profile.late_settle == LateSettle::unfenced;
    const auto attempt =
        shared_.profile.fence == Fence::token_attempt ? hold.attempt : std::nullopt;
    return ask(function, at, to_hex(hold.job_id), to_hex(hold.token), attempt, unfenced, strict,
               dead_at_equal(), values...);
  }

  Present present(Instant caller_now) const;
  bool hidden() const { return shared_.profile.retry_view == RetryView::ready_hidden; }
  bool dead_at_equal() const { return shared_.profile.lease_edge == LeaseEdge::dead_at_equal; }
  bool strict() const { return shared_.profile.late_settle == LateSettle::reject; }
  bool releases() const { return shared_.profile.idem == Idem::reject_active; }
  bool keyed() const { return shared_.profile.idem != Idem::none; }
  std::string scope() const;
  std::int64_t first_attempts() const;
  std::int64_t draw() { return static_cast<std::int64_t>(random_.next()); }

  Claim claim_from(Row row) const;
  Result<LastSettle> refused_or_repeated(const pqxx::row& answer, const Hold& hold,
                                         std::string_view kind) const;
  Status settled(const pqxx::row& answer, const Hold& hold, std::string_view kind) const;

  const Shared& shared_;
  Place place_;
  Random random_;
  Connection* connection_;  // null once closed
  std::function<void(Connection&)> release_;
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

}  // namespace assay::pg
