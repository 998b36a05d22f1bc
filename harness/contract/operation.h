// Request, Response: the calls of a Session as data, so that plans, histories and wires can carry
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/contract/job.h"
#include "harness/contract/result.h"

namespace assay {

// Which claim a settle or an extension speaks for. `attempt` is there where the fence uses it.
struct Hold {
  JobId job_id = {};
  Token token = {};
  std::optional<std::int64_t> attempt = {};

  bool operator==(const Hold&) const = default;
};

struct Enqueue {
  NewJob job = {};
  bool operator==(const Enqueue&) const = default;
};
struct Reserve {
  std::vector<std::string> queues = {};  // one or more
  Duration lease = {};
  std::string worker = {};
  std::int64_t max = 1;
  std::optional<JobId> job_id = {};  // only with claim_style: by_id
  bool operator==(const Reserve&) const = default;
};
struct Extend {
  Hold hold = {};
  Duration lease = {};
  bool operator==(const Extend&) const = default;
};
struct Ack {
  Hold hold = {};
  bool operator==(const Ack&) const = default;
};
struct Retry {
  Hold hold = {};
  Instant run_at = {};
  std::int64_t attempts = 0;  // the new counter
  std::string error = {};
  bool operator==(const Retry&) const = default;
};
struct Fail {
  Hold hold = {};
  std::int64_t attempts = 0;
  std::string reason = {};
  std::string error = {};
  bool operator==(const Fail&) const = default;
};
struct Nack {
  Hold hold = {};
  std::string error = {};
  bool unrecoverable = false;
  bool operator==(const Nack&) const = default;
};
struct Cancel {
  JobId job_id = {};
  bool operator==(const Cancel&) const = default;
};
struct Pause {
  std::string queue = {};
  bool operator==(const Pause&) const = default;
};
struct Resume {
  std::string queue = {};
  bool operator==(const Resume&) const = default;
};
struct Get {
  JobId job_id = {};
  bool operator==(const Get&) const = default;
};
struct List {
  std::string queue = {};
  std::optional<JobState> state = {};
  std::int64_t limit = 100;
  std::optional<std::string> cursor = {};
  bool operator==(const List&) const = default;
};
struct Dead {
  std::string queue = {};
  std::int64_t limit = 100;
  std::optional<std::string> cursor = {};
  bool operator==(const Dead&) const = default;
};
struct Requeue {
  JobId job_id = {};
  std::optional<Instant> run_at = {};
  bool reset_attempts = false;
  bool operator==(const Requeue&) const = default;
};
struct Close {
  bool operator==(const Close&) const = default;
};

using Request = std::variant<Enqueue, Reserve, Extend, Ack, Retry, Fail, Nack, Cancel, Pause,
                             Resume, Get, List, Dead, Requeue, Close>;

struct Enqueued {
  JobId id = {};
  bool existed = false;
  bool operator==(const Enqueued&) const = default;
};
struct Claims {
  std::vector<Claim> claims = {};  // empty when nothing is runnable
  bool operator==(const Claims&) const = default;
};
struct Extended {
  Instant expires_at = {};
  bool operator==(const Extended&) const = default;
};
struct Nacked {
  JobState state = JobState::ready;
  std::optional<Instant> run_at = {};  // when it may run again; absent once dead
  bool operator==(const Nacked&) const = default;
};
struct Cancelled {
  JobState state = JobState::cancelled;
  bool operator==(const Cancelled&) const = default;
};
struct JobPage {
  std::vector<Job> jobs = {};
  std::optional<std::string> cursor = {};  // absent on the last page
  bool operator==(const JobPage&) const = default;
};
struct DeadPage {
  std::vector<DeadEntry> entries = {};
  std::optional<std::string> cursor = {};
  bool operator==(const DeadPage&) const = default;
};
struct Requeued {
  JobId job_id = {};  // a new one where replay: fresh_job
  bool operator==(const Requeued&) const = default;
};

using Response = std::variant<Done, Enqueued, Claims, Extended, Nacked, Cancelled, JobView, JobPage,
                              DeadPage, Requeued>;

// The protocol's word for a request: "enqueue", "ack", ...
std::string_view name_of(const Request& request);

}  // namespace assay
