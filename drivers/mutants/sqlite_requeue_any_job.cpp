// sqlite_requeue_any_job: a job that is not dead can be replayed too.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_requeue_any_job() {
  return within_sqlite(
      {
          .name = "sqlite_requeue_any_job",
          .rules = {"XADMIN-3"},
          .summary = "a job that is not dead can be replayed too",
      },
      [](SqliteStatements& sql) { alter(sql.requeue, " AND state = 'dead'", ""); });
}

}  // namespace assay::mutants
