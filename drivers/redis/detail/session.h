// RedisSession: one client of a namespace on a server. Each call is one script; a refused one
// changes nothing.
#pragma once

#include <functional>
#include <new>

#include "drivers/redis/detail/rows.h"
#include "drivers/redis/detail/scripts.h"
#include "drivers/stored/validate.h"
#include "harness/contract/driver.h"
#include "harness/contract/random.h"

namespace assay::rds {

// What all sessions of a driver share; the driver owns it.
struct Shared {
  Profile profile;
  Scripts scripts;
  std::string where;  // for messages
};

// A namespace as it was set up.
struct Namespace {
  std::string key;  // of its root
  std::string generation;
};

class RedisSession final : public Session, private Records {
 public:
  // The references are borrowed; `release` gets the connection back at close.
  RedisSession(const Shared& shared, Namespace name_space, Random random, Connection& connection,
               std::function<void(Connection&)> release);
  ~RedisSession() override;

  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override;
  Result<Claims> reserve(Instant now, const Reserve& request) override;
  std::vector<Result<Enqueued>> enqueue_all(Instant now,
                                            std::span<const Enqueue> requests) override;
  std::vector<Status> ack_all(Instant now, std::span<const Ack> requests) override;
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

  // The frame of every call: what is refused here, and what becomes of a Failure.
  template <class T, class Request, class Body>
  Result<T> call(const Request& request, Body body);

  // Many calls of one script, sent together in chunks; `read` makes a success of an answer.
  template <class T, class Request, class Build, class Read>
  std::vector<Result<T>> call_all(Op op, std::span<const Request> requests, Build build, Read read);
  template <class T, class Request, class Build, class Read>
  void call_some(Op op, std::span<const Request> requests, std::vector<Result<T>>& answers,
                 Build build, Read read);

  // The beginning of a command: what every script takes.
  Words begin(Op op, Instant now, std::string_view subject) const;
  Words enqueuing(Instant now, const NewJob& job);
  Words settling(Op op, Instant now, const Hold& hold) const;

  // What a call's own words are, behind those that begin it.
  void add_job(Words& words, const NewJob& job);
  static void add_settle(Words& words, const Retry& request);
  static void add_settle(Words& words, const Fail& request);
  void add_settle(Words& words, const Nack& request);

  struct Parts;
  Words commit_words(Instant now, Parts& parts);
  static Committed committed(const Value& reply, const Parts& parts);
  Error refusal_of(const Value& reply, const Parts& parts) const;

  // The script's answer, or why it refused. `id` is the job's, for the message.
  Result<Reply> run(Op op, const Words& words, const std::string& id = {});

  // Why the script refused, if it did.
  std::optional<Error> refusal_in(const Value& reply, const std::string& id) const;

  // A new job's id, or {1, id} of one that existed.
  static Enqueued enqueued(const Value& answer);

  template <class Request, class Take>
  Status read_pages(Instant now, const Request& request, std::string_view set,
                    std::string_view state, Take take);
  Claim claim_of(const Value& row) const;
  std::int64_t jitter();

  const Shared& shared_;
  Namespace namespace_;
  Random random_;
  Connection* connection_;  // null once closed
  std::function<void(Connection&)> release_;
};

// What a nack answers.
Nacked read_nacked(std::string_view text);

template <class T, class Request, class Body>
Result<T> RedisSession::call(const Request& request, Body body) {
  if (!connection_) return Error{ErrorCode::closed, "the session is closed"};
  if (stored::Refusal refused = stored::refusal(shared_.profile, request)) return *refused;
  try {
    return body();
  } catch (const Failure& failure) {
    return to_error(failure, shared_.where);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::internal, shared_.where + ": out of memory"};
  }
}

}  // namespace assay::rds
