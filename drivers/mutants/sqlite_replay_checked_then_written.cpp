// sqlite_replay_checked_then_written: a replay looks whether the job is dead and brings it back
// in two transactions.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_replay_checked_then_written() {
  return within_sqlite(
      {
          .name = "sqlite_replay_checked_then_written",
          .rules = {"XADMIN-3"},
          .race = "two_replays_of_one_dead_job_meet",
          .summary =
              "a replay looks whether the job is dead and brings it back in two transactions",
      },
      [](SqliteStatements& sql) { look_then_write(sql.requeue); });
}

}  // namespace assay::mutants
