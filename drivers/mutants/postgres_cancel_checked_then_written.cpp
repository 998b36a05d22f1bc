// postgres_cancel_checked_then_written: a cancel looks whether the job has ended and ends it in
// two round trips.
#include "drivers/mutants/in_postgres.h"

namespace assay::mutants {

Mutant postgres_cancel_checked_then_written() {
  return within_postgres(
      {
          .name = "postgres_cancel_checked_then_written",
          .rules = {"CANCEL-4"},
          .race = "a_cancel_meets_a_claim_and_an_ack",
          .summary = "a cancel looks whether the job has ended and ends it in two round trips",
      },
      [](PostgresStatements& sql) { look_then_write(sql, sql.cancel, "cancel"); });
}

}  // namespace assay::mutants
