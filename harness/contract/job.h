// Job, Claim and what inspection shows of them: plain data, as the calls of a Session take and give
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/time.h"

namespace assay {

using JobId = std::string;
using Token = std::string;

enum class JobState { scheduled, ready, leased, done, dead, cancelled };

inline constexpr bool is_terminal(JobState state) {
  return state == JobState::done || state == JobState::dead || state == JobState::cancelled;
}

std::string_view name_of(JobState state);
std::optional<JobState> job_state_from(std::string_view name);

// What a producer hands in. An absent field: id made by the driver, run now, the engine's default
// limit (so does a limit of 0), no timeout, no key, priority 0, no failure so far.
struct NewJob {
  std::optional<JobId> id = {};
  std::string queue = {};
  std::string type = {};
  std::string payload = {};  // any bytes
  std::optional<Instant> run_at = {};
  std::optional<std::int64_t> max_attempts = {};
  std::optional<Duration> timeout = {};
  std::optional<std::string> key = {};
  std::optional<std::int64_t> priority = {};
  std::optional<std::int64_t> attempts = {};

  bool operator==(const NewJob&) const = default;
};

struct Job {
  JobId id = {};
  std::string queue = {};
  std::string type = {};
  std::string payload = {};
  std::optional<Instant> run_at = {};  // not before; absent: at once
  std::optional<std::int64_t> max_attempts = {};
  std::optional<Duration> timeout = {};
  std::optional<std::string> key = {};
  std::int64_t priority = 0;
  std::int64_t attempts = 0;  // what it counts is the profile's knob `counter`
  std::optional<std::string> last_error = {};
  std::optional<Instant> created_at = {};  // absent: the driver does not say
  JobState state = JobState::ready;

  bool operator==(const Job&) const = default;
};

// One delivery. `attempt` and `version` are there where the profile's fence uses them.
struct Claim {
  Job job = {};
  Token token = {};
  std::optional<std::int64_t> attempt = {};
  std::optional<std::int64_t> version = {};
  Instant expires_at = {};

  bool operator==(const Claim&) const = default;
};

struct LeaseView {
  Token token = {};
  Instant expires_at = {};
  std::optional<std::string> worker = {};

  bool operator==(const LeaseView&) const = default;
};

struct DeadView {
  std::string reason = {};
  std::optional<std::string> error = {};
  Instant at = {};

  bool operator==(const DeadView&) const = default;
};

// What `get` shows: the job, its lease while leased, its obituary once dead.
struct JobView {
  Job job = {};
  std::optional<LeaseView> lease = {};
  std::optional<DeadView> dead = {};

  bool operator==(const JobView&) const = default;
};

struct DeadEntry {
  JobId job_id = {};
  Job job = {};
  std::string reason = {};
  std::optional<std::string> error = {};
  Instant at = {};

  bool operator==(const DeadEntry&) const = default;
};

}  // namespace assay
