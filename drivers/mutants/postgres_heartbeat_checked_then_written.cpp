// postgres_heartbeat_checked_then_written: a heartbeat checks its token and writes the lease in
// two round trips.
#include "drivers/mutants/in_postgres.h"

namespace assay::mutants {

Mutant postgres_heartbeat_checked_then_written() {
  return within_postgres(
      {
          .name = "postgres_heartbeat_checked_then_written",
          .rules = {"ACK-5", "STATE-4"},
          .race = "a_heartbeat_meets_a_settle",
          .summary = "a heartbeat checks its token and writes the lease in two round trips",
      },
      [](PostgresStatements& sql) {
        look_then_write(sql, sql.extend, "extend");
        alter(sql.extend, "UPDATE jobs SET ", "UPDATE jobs SET state = 'l', token = token_, ");
      });
}

}  // namespace assay::mutants
