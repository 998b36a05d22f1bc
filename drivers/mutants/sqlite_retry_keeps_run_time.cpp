// sqlite_retry_keeps_run_time: a retry leaves the run time as it was.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_retry_keeps_run_time() {
  return within_sqlite(
      {
          .name = "sqlite_retry_keeps_run_time",
          .rules = {"RETRY-7"},
          .summary = "a retry leaves the run time as it was",
      },
      [](SqliteStatements& sql) {
        alter(sql.retry, "run_at = :run_at, due_at = max(created_at, :run_at), ", "");
      });
}

}  // namespace assay::mutants
