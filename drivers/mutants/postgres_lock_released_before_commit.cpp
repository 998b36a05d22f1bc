// postgres_lock_released_before_commit: a claim gives its advisory lock back before it commits:
// who takes it then does not see the claim.
#include "drivers/mutants/in_postgres.h"

namespace assay::mutants {

Mutant postgres_lock_released_before_commit() {
  return within_postgres(
      {
          .name = "postgres_lock_released_before_commit",
          .rules = {"CLAIM-1"},
          .race = "one_job_has_one_claimer",
          .summary = "a claim gives its advisory lock back before it commits",
      },
      [](PostgresStatements& sql) {
        choose_unlocked(sql.reserve);
        take_where(sql.reserve, "id = ANY(ARRAY(SELECT id FROM jobs WHERE ctid = ANY(picked_)))");
        sql.rounds["reserve"] = {"BEGIN", "SELECT pg_advisory_lock(1)", "reserve",
                                 "SELECT pg_advisory_unlock(1)", "COMMIT"};
      });
}

}  // namespace assay::mutants
