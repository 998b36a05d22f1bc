// Rows: jobs as the scripts keep and answer them (scripts/job.lua).
#pragma once

#include "drivers/redis/detail/reply.h"
#include "harness/contract/job.h"

namespace assay::rds {

// What of a new job never changes, behind its creation. `rank` is empty for the middle one, and
// `key` is the one within its scope.
struct FixedParts {
  std::int64_t attempts;
  std::string_view rank;
  std::string_view key;
};
std::string pack_fixed(const NewJob& job, const FixedParts& parts);

// A job with its lease and its obituary, if it has them.
JobView read_view(const Value& row);

// Requires: the row is one that a claim answers.
struct ClaimRow {
  Job job;
  Token token;
  std::int64_t fence;
  std::int64_t version;
  Instant expires_at;
};
ClaimRow read_claim(const Value& row);

}  // namespace assay::rds
