// postgres_claims_at_once_share_a_job: a claim looks for a job and takes it in two round trips,
// without a lock.
#include "drivers/mutants/in_postgres.h"

namespace assay::mutants {

Mutant postgres_claims_at_once_share_a_job() {
  return within_postgres(
      {
          .name = "postgres_claims_at_once_share_a_job",
          .rules = {"CLAIM-1"},
          .race = "one_job_has_one_claimer",
          .summary = "a claim looks for a job and takes it in two round trips, without a lock",
      },
      [](PostgresStatements& sql) {
        choose_then_take(sql, "ARRAY(SELECT id FROM jobs WHERE ctid = ANY(picked_))", "'{}'",
                         std::string("id = ANY(") + seen + "::bytea[])");
      });
}

}  // namespace assay::mutants
