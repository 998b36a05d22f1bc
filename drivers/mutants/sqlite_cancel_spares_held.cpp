// sqlite_cancel_spares_held: a cancel leaves a job with its holder and says that it is cancelled.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_cancel_spares_held() {
  return within_sqlite(
      {
          .name = "sqlite_cancel_spares_held",
          .rules = {"CANCEL-1"},
          .summary = "a cancel leaves a job with its holder and says that it is cancelled",
      },
      [](SqliteStatements& sql) {
        alter(sql.cancel, "state = 'cancelled'",
              "state = iif(state = 'leased', state, 'cancelled')");
        alter(sql.cancel, ", token = NULL, attempt = NULL, expires_at = NULL, worker = NULL", "");
      });
}

}  // namespace assay::mutants
