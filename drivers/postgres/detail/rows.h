// Row: a job as the store keeps it, as the driver's statements answer it.
#pragma once

#include "drivers/postgres/detail/connection.h"
#include "harness/contract/job.h"

namespace assay::pg {

// How the last settle of the job's present life was answered.
struct LastSettle {
  std::string kind;
  Token token;
  std::optional<std::int64_t> attempt;
  std::string state;  // as a nack answered it
  std::optional<std::int64_t> run_at_ms;
};

struct Row {
  std::int64_t seq = 0;
  std::int64_t rank = 0;
  Job job = {};
  std::optional<std::int64_t> given_run_at_ms = {};
  std::optional<std::string> token = {};  // this and the next three: while leased
  std::optional<std::int64_t> attempt = {};
  std::optional<std::int64_t> expires_at_ms = {};
  std::optional<std::string> worker = {};
  std::int64_t version = 0;
  std::optional<LastSettle> last_settle = {};
  std::optional<DeadView> dead = {};
};

// What the statements answer before the job's columns.
std::string verdict_of(const pqxx::row& answer);
std::int64_t now_of(const pqxx::row& answer);
bool has_job(const pqxx::row& answer);
std::string id_of(const pqxx::row& answer);
std::int64_t expiry_of(const pqxx::row& answer);

// What a commit answers of one of its parts: the place among those of its kind, from 1 on, and a
// version or what is left.
struct PartAnswer {
  std::int64_t place = 0;
  std::int64_t number = 0;
  bool counted = false;
};
PartAnswer part_of(const pqxx::row& answer);

// Requires: has_job(answer). `hidden` shows a job that waits for its retry as ready.
Row read_row(const pqxx::row& answer, bool hidden);

// What a quick claim answers: only what a claim shows.
Row read_quick_claim(const pqxx::row& answer, const std::string& queue);

}  // namespace assay::pg
