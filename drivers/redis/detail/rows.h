// Rows: jobs as the scripts answer them.
#pragma once

#include "drivers/redis/detail/reply.h"
#include "harness/contract/job.h"

namespace assay::rds {

// What no script looks into: type, timeout, key and priority, as one text.
std::string pack_info(const NewJob& job);

// A job with its lease and its obituary, if it has them.
JobView read_view(const Value& row);
Job read_job(const Value& row);

// Requires: the row is a leased job's.
struct RowLease {
  Token token;
  std::int64_t fence;
  std::int64_t version;
  Instant expires_at;
};
RowLease read_lease(const Value& row);

}  // namespace assay::rds
