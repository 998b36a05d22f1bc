// sqlite_pause_checked_then_claimed: a claim looks whether its queue is paused, and takes a job,
// in two transactions.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_pause_checked_then_claimed() {
  return within_sqlite(
      {
          .name = "sqlite_pause_checked_then_claimed",
          .rules = {"PAUSE-1"},
          .race = "a_job_behind_a_pause_meets_claims",
          .summary =
              "a claim looks whether its queue is paused, and takes a job, in two transactions",
      },
      [](SqliteStatements& sql) {
        let_others_in_before(sql.next_rank);
        let_others_in_before(sql.by_id);
      });
}

}  // namespace assay::mutants
