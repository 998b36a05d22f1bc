// sqlite_extend_after_expiry: an extension does not look at the expiry.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_extend_after_expiry() {
  return within_sqlite(
      {
          .name = "sqlite_extend_after_expiry",
          .rules = {"LEASE-6"},
          .summary = "an extension does not look at the expiry",
      },
      [](SqliteStatements& sql) { alter(sql.extend, "AND expires_at > :dead_by", ""); });
}

}  // namespace assay::mutants
