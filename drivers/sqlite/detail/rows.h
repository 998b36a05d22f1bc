// Row: a job as the store keeps it.
#pragma once

#include "drivers/sqlite/detail/connection.h"
#include "harness/contract/job.h"

namespace assay::lite {

// How the last settle of the job's present life was answered.
struct LastSettle {
  std::string kind;
  Token token;
  std::optional<std::int64_t> attempt;
  std::string state;  // as a nack answered it
  std::optional<std::int64_t> run_at_ms;
};

struct Row {
  std::int64_t row = 0;
  Job job = {};
  std::optional<std::int64_t> given_run_at_ms = {};
  std::int64_t lease_losses = 0;
  std::optional<std::string> token = {};  // this and the next four: while leased
  std::optional<std::int64_t> attempt = {};
  std::optional<std::int64_t> expires_at_ms = {};
  std::optional<std::string> worker = {};
  std::int64_t version = 0;
  std::optional<LastSettle> last_settle = {};
  std::optional<DeadView> dead = {};
  bool dead_listed = false;
};

// Requires: the query is on a row of the statements' common columns.
Row read_row(const Query& query);

}  // namespace assay::lite
