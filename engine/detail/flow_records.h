// What is written in the records of a flow, and how it is read back.
#pragma once

#include "engine/detail/flow_shape.h"
#include "harness/contract/records.h"

namespace assay::engine::detail {

struct Header {
  bool is_whole = false;  // everything is written, and the flow has begun
  std::string fingerprint = {};
  std::string nonce = {};  // of the submission that made it
  OnFailure policy = OnFailure::fail_fast;
  std::string shape = {};
  std::int64_t steps = 0;
  std::string queue = {};  // where stewards are sent
  std::vector<std::string> queues = {};
  Instant at = {};
};

struct NamedStep {
  std::string path = {};
  Step step = {};  // with its queue
};

// What is known to whoever counts for a join.
struct Join {
  OnFailure policy = OnFailure::fail_fast;
  std::int64_t from = 1;
  std::string queue = {};                  // where stewards are sent
  std::string only_end = {};               // the one step that ends it, where there is one
  std::vector<NamedStep> starts = {};      // what begins next: these,
  std::optional<std::string> launch = {};  // or all that begins with that part

  bool has_next() const { return launch.has_value() || !starts.empty(); }
};

enum class Outcome { succeeded, dead, cancelled, skipped };
std::string_view name_of(Outcome outcome);

struct Member {
  Outcome outcome = Outcome::succeeded;
  JobId job_id = {};
  std::optional<std::int64_t> result_bytes = {};  // absent: it has none
  std::string error = {};                         // or, of one that was skipped, why
};

struct Stop {
  bool is_cancelled = false;
  std::string by = {};  // the path of who failed
  Instant at = {};
};

struct Launch {
  std::int64_t done = 0, all = 0;
};

std::string packed(const Header& header);
std::string packed(const Step& step);
std::string packed(const Join& join);
std::string packed(const Member& member);
std::string packed(const Stop& stop);
std::string packed(const Launch& launch);

std::optional<Header> unpacked_header(std::string_view text);
std::optional<Step> unpacked_step(std::string_view text);
std::optional<Join> unpacked_join(std::string_view text);
std::optional<Member> unpacked_member(std::string_view text);
std::optional<Stop> unpacked_stop(std::string_view text);
std::optional<Launch> unpacked_launch(std::string_view text);

template <class What>
struct Versioned {
  What value = {};
  std::int64_t version = 0;
};

// Nothing where there is no such record; an error where it cannot be read, or is none of ours.
template <class What>
Result<std::optional<Versioned<What>>> read_as(Records& records, Instant now,
                                               const std::string& key,
                                               std::optional<What> (*unpack)(std::string_view)) {
  const auto found = records.read(now, key);
  if (!found.ok()) return found.error();
  if (!*found) return std::optional<Versioned<What>>();
  auto value = unpack((*found)->value);
  if (!value)
    return Error{ErrorCode::internal, "the record '" + key + "' is damaged", LeaseReason::unstated,
                 true};
  return std::optional(Versioned<What>{std::move(*value), (*found)->version});
}

// The job of a step.
Enqueue job_of(const std::string& flow, const NamedStep& step, Instant now);
// The job of a steward.
Enqueue errand_of(const std::string& flow, const std::string& errand, const std::string& path,
                  const std::string& queue);

// The session's records, or a sentence.
Result<Records*> records_of(Session& session);

}  // namespace assay::engine::detail
