// sqlite_claim_any_queue: a claim looks into every queue there is.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_claim_any_queue() {
  return within_sqlite(
      {
          .name = "sqlite_claim_any_queue",
          .rules = {"CLAIM-6"},
          .summary = "a claim looks into every queue there is",
      },
      [](SqliteStatements& sql) {
        alter(sql.next_rank, " AND queue = :queue", "");
        alter(sql.due, " AND queue = :queue", "");
      });
}

}  // namespace assay::mutants
