// sqlite_counter_read_then_written: a claim reads the counter and writes it back in two
// transactions.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_counter_read_then_written() {
  return within_sqlite(
      {
          .name = "sqlite_counter_read_then_written",
          .rules = {"RETRY-1", "RETRY-7"},
          .race = "a_retry_meets_the_next_claim",
          .summary = "a claim reads the counter and writes it back in two transactions",
      },
      [](SqliteStatements& sql) {
        alter(sql.claim, "attempts = attempts + :starts", "attempts = :seen + :starts");
        alter(sql.claim, "WHERE row = :row",
              "WHERE row = :row AND state = 'waiting' AND run_at <= :now");
        sql.claim.insert(0, "SELECT attempts FROM jobs WHERE row = :row; ");
      });
}

}  // namespace assay::mutants
