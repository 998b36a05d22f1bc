// sqlite_claims_at_once_share_a_job: a claim looks for a job and takes it in two transactions.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_claims_at_once_share_a_job() {
  return within_sqlite(
      {
          .name = "sqlite_claims_at_once_share_a_job",
          .rules = {"CLAIM-1"},
          .race = "one_job_has_one_claimer",
          .summary = "a claim looks for a job and takes it in two transactions",
      },
      [](SqliteStatements& sql) { let_others_in_before(sql.claim); });
}

}  // namespace assay::mutants
