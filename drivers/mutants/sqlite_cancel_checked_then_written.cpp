// sqlite_cancel_checked_then_written: a cancel looks whether the job has ended and ends it in two
// transactions.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_cancel_checked_then_written() {
  return within_sqlite(
      {
          .name = "sqlite_cancel_checked_then_written",
          .rules = {"CANCEL-4"},
          .race = "a_cancel_meets_a_claim_and_an_ack",
          .summary = "a cancel looks whether the job has ended and ends it in two transactions",
      },
      [](SqliteStatements& sql) { look_then_write(sql.cancel); });
}

}  // namespace assay::mutants
