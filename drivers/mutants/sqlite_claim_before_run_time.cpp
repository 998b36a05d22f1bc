// sqlite_claim_before_run_time: a claim does not look at the run time.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_claim_before_run_time() {
  return within_sqlite(
      {
          .name = "sqlite_claim_before_run_time",
          .rules = {"SCHED-1", "CLAIM-2"},
          .summary = "a claim does not look at the run time",
      },
      [](SqliteStatements& sql) { alter(sql.due, "AND due_at <= :now", ""); });
}

}  // namespace assay::mutants
