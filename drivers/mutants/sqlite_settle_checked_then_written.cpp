// sqlite_settle_checked_then_written: a settle checks its token and writes in two transactions.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_settle_checked_then_written() {
  return within_sqlite(
      {
          .name = "sqlite_settle_checked_then_written",
          .rules = {"FENCE-2", "STATE-4"},
          .race = "two_settles_of_one_claim_meet",
          .summary = "a settle checks its token and writes in two transactions",
      },
      [](SqliteStatements& sql) {
        look_then_write(sql.ack);
        look_then_write(sql.retry);
        look_then_write(sql.fail);
      });
}

}  // namespace assay::mutants
