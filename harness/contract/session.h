// Session: one client of a queue, seen through the calls the contract speaks of (docs/contract.md).
//
// Not thread-safe: one a client. No exception leaves it: what the store does comes back as an
// Error, an indefinite one unless the call certainly had no effect. Each call takes the caller's
// clock: a driver whose profile says `clock: caller` lives by it, one that says `clock: store`
// ignores it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/contract/operation.h"

namespace assay {

class Records;

// The process of its own that a client lives in.
class ClientProcess {
 public:
  virtual ~ClientProcess() = default;
  virtual int pid() const = 0;
  // "was killed by signal 9"; nothing while it runs. Waits for its end as long as told.
  virtual std::optional<std::string> ending(double wait_seconds) = 0;
};

class Session {
 public:
  virtual ~Session() = default;

  virtual Result<Enqueued> enqueue(Instant now, const Enqueue& request) = 0;
  virtual Result<Claims> reserve(Instant now, const Reserve& request) = 0;
  virtual Result<Extended> extend(Instant now, const Extend& request) = 0;
  virtual Status ack(Instant now, const Ack& request) = 0;

  // Many at once: each is answered for itself, in their order, as if it had been made alone after
  // the one before. A driver may send them together; the default makes one call after the other.
  virtual std::vector<Result<Enqueued>> enqueue_all(Instant now, std::span<const Enqueue> requests);
  virtual std::vector<Status> ack_all(Instant now, std::span<const Ack> requests);

  // Only some contracts have these; the default refuses as unsupported.
  virtual Status retry(Instant now, const Retry& request);        // decider: engine
  virtual Status fail(Instant now, const Fail& request);          // decider: engine
  virtual Result<Nacked> nack(Instant now, const Nack& request);  // decider: store
  virtual Result<Cancelled> cancel(Instant now, const Cancel& request);
  virtual Status pause(Instant now, const Pause& request);
  virtual Status resume(Instant now, const Resume& request);
  virtual Result<JobView> get(Instant now, const Get& request);
  virtual Result<JobPage> list(Instant now, const List& request);
  virtual Result<DeadPage> dead(Instant now, const Dead& request);
  virtual Result<Requeued> requeue(Instant now, const Requeue& request);

  // Null: the driver keeps none (records.h). Lives as long as the session.
  virtual Records* records() { return nullptr; }

  // A second close succeeds too; every other call after it is refused as closed.
  virtual Status close() = 0;

  // Null: it shares ours, or the process of other clients. Lives as long as the session.
  virtual ClientProcess* process() { return nullptr; }
  // Its client is dead: whatever stood behind it is not asked any more. Requires: no call follows.
  virtual void abandon() {}
};

// Makes the call that the request stands for.
Result<Response> perform(Session& session, Instant now, const Request& request);

}  // namespace assay
