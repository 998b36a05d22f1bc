// postgres_settle_checked_then_written: a settle checks its token and writes in two round trips.
#include "drivers/mutants/in_postgres.h"

namespace assay::mutants {

Mutant postgres_settle_checked_then_written() {
  return within_postgres(
      {
          .name = "postgres_settle_checked_then_written",
          .rules = {"FENCE-2"},
          .race = "two_settles_of_one_claim_meet",
          .summary = "a settle checks its token and writes in two round trips",
      },
      [](PostgresStatements& sql) {
        look_then_write(sql, sql.ack, "ack");
        look_then_write(sql, sql.settle, "settle");
      });
}

}  // namespace assay::mutants
