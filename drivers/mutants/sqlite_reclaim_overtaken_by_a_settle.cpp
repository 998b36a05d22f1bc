// sqlite_reclaim_overtaken_by_a_settle: an expired lease is looked for and its job put back in
// two transactions.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_reclaim_overtaken_by_a_settle() {
  return within_sqlite(
      {
          .name = "sqlite_reclaim_overtaken_by_a_settle",
          .rules = {"XLEASE-3"},
          .race = "an_expired_job_has_one_heir",
          .summary = "an expired lease is looked for and its job put back in two transactions",
      },
      [](SqliteStatements& sql) {
        let_others_in_before(sql.expire_wait);
        let_others_in_before(sql.expire_bury);
      });
}

}  // namespace assay::mutants
