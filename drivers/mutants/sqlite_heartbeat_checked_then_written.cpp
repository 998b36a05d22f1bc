// sqlite_heartbeat_checked_then_written: a heartbeat checks its token and writes the lease in two
// transactions.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_heartbeat_checked_then_written() {
  return within_sqlite(
      {
          .name = "sqlite_heartbeat_checked_then_written",
          .rules = {"ACK-5", "STATE-4"},
          .race = "a_heartbeat_meets_a_settle",
          .summary = "a heartbeat checks its token and writes the lease in two transactions",
      },
      [](SqliteStatements& sql) {
        look_then_write(sql.extend);
        alter(sql.extend, "SET expires_at = max(expires_at, :expires_at)",
              "SET state = 'leased', token = :token, "
              "expires_at = max(coalesce(expires_at, :expires_at), :expires_at)");
      });
}

}  // namespace assay::mutants
