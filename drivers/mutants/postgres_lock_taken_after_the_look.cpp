// postgres_lock_taken_after_the_look: a claim takes an advisory lock, but only after it has
// chosen its job.
#include "drivers/mutants/in_postgres.h"

namespace assay::mutants {

Mutant postgres_lock_taken_after_the_look() {
  return within_postgres(
      {
          .name = "postgres_lock_taken_after_the_look",
          .rules = {"CLAIM-1"},
          .race = "one_job_has_one_claimer",
          .summary = "a claim takes an advisory lock, but only after it has chosen its job",
      },
      [](PostgresStatements& sql) {
        choose_then_take(sql, "ARRAY(SELECT id FROM jobs WHERE ctid = ANY(picked_))", "'{}'",
                         std::string("id = ANY(") + seen + "::bytea[])");
        sql.rounds["reserve"] = {"look_reserve", "BEGIN", "SELECT pg_advisory_xact_lock(1)",
                                 "reserve", "COMMIT"};
      });
}

}  // namespace assay::mutants
