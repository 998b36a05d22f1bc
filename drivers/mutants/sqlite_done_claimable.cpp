// sqlite_done_claimable: a claim takes done jobs for waiting ones.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_done_claimable() {
  return within_sqlite(
      {
          .name = "sqlite_done_claimable",
          .rules = {"ACK-3", "CLAIM-4"},
          .summary = "a claim takes done jobs for waiting ones",
      },
      [](SqliteStatements& sql) {
        alter(sql.next_rank, "state = 'waiting'", "state IN ('waiting', 'done')");
        alter(sql.due, "state = 'waiting'", "state IN ('waiting', 'done')");
      });
}

}  // namespace assay::mutants
