// Client: hands jobs in, so that what was said to be accepted is there once.
//
// Thread-safe: calls take turns.
#pragma once

#include <memory>
#include <string>

#include "engine/handler.h"
#include "engine/retry_policy.h"
#include "harness/contract/driver.h"
#include "harness/contract/runtime.h"

namespace assay::engine {

struct Submission {
  std::string type = {};
  std::string payload = {};               // any bytes
  std::optional<std::string> queue = {};  // absent: the client's
  std::optional<Duration> delay = {};     // either this
  std::optional<Instant> run_at = {};     // or that
  std::optional<std::string> key = {};
  std::optional<std::int64_t> limit = {};  // in the profile's unit; absent or 0: the default
  std::optional<Duration> timeout = {};    // of one run
  std::optional<std::int64_t> priority = {};
  std::optional<JobId> id = {};  // absent: drawn
};

// What is refused before any store is asked.
struct Bounds {
  std::size_t name_bytes = 255;  // of a type, a queue, a key, an id
  std::size_t payload_bytes = 1 << 20;
  std::int64_t limit = 10'000;
  Duration timeout = std::chrono::days(7);
  Duration ahead = std::chrono::days(366);
};

// Says what is wrong with it in a sentence.
std::optional<Error> objection_to(const Submission& submission, const Bounds& bounds, Instant now);

struct ClientOptions {
  std::string name = "client";
  std::string queue = "default";
  Bounds bounds = {};
  // Between tries of a call that the store did not answer, and how many there are.
  RetryPolicy tries{.base = Duration{100}, .cap = Duration{5'000}, .runs = 6};
  // Each job is announced by a row of the outbox, in the commit that makes it.
  bool outbox = false;
  // Of ids and jitter. Two clients that share a store must not share it.
  std::uint64_t seed = 0;
};

// How a job that was waited for has ended.
struct Waited {
  JobId id = {};
  bool existed = false;
  std::optional<JobState> state = {};  // absent: it has ended, and is not kept any more
  std::optional<DeadView> dead = {};   // why, where it is
};

class Client {
 public:
  // Runtime and driver are borrowed for life.
  static Result<std::unique_ptr<Client>> make(Runtime& runtime, Driver& driver,
                                              ClientOptions options);
  ~Client();

  // The job is stored when this succeeds. Where the store did not answer it is asked again for the
  // same id, so that a lost answer makes no second job. An error that is not definite leaves open
  // whether the job is there; the same submission with the same id may be made again.
  // `existed` says that an earlier submission made the job, not a lost try of this one.
  Result<Enqueued> submit(const Submission& submission);

  // Hands it in like that and returns when the job has ended, whoever made it: with a key that a
  // job holds that one is waited for, or the submission is refused, as the profile has it. Refused
  // as unavailable once its patience is over, or where the store answers no more; the job goes on,
  // and who asks again with the same key waits for the same one. Other calls do not wait meanwhile.
  Result<Waited> submit_and_wait(const Submission& submission, Duration patience);

  // The event becomes a job of type "event" in the queue that its target names, under that key if
  // there is one: sent again with the same key it is the same job. It is handed in as by submit.
  Result<Enqueued> send(const OutgoingEvent& event, std::optional<std::string> key = {});

 private:
  class Body;
  explicit Client(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace assay::engine
