// postgres_claim_not_checked_again: a claim checks in a subquery that its job waits. Who waited
// for the lock of the row gets it as it is now, and READ COMMITTED evaluates the condition on the
// row again, but not the subquery.
#include "drivers/mutants/in_postgres.h"

namespace assay::mutants {

Mutant postgres_claim_not_checked_again() {
  return within_postgres(
      {
          .name = "postgres_claim_not_checked_again",
          .rules = {"CLAIM-1"},
          .race = "one_job_has_one_claimer",
          .summary = "a claim checks in a subquery that its job waits, and READ COMMITTED does not "
                     "check that again",
      },
      [](PostgresStatements& sql) {
        choose_unlocked(sql.reserve);
        take_where(sql.reserve, R"sql(id IN (SELECT id FROM jobs WHERE ctid = ANY(picked_)
    AND (state = 'w' OR expires_at <= dead_by_)))sql");
        sql.rounds["reserve"] = {"BEGIN", "reserve", "COMMIT"};
      });
}

}  // namespace assay::mutants
