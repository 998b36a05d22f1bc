// sqlite_dead_without_reason: a dead letter does not say why.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_dead_without_reason() {
  return within_sqlite(
      {
          .name = "sqlite_dead_without_reason",
          .rules = {"DLQ-3"},
          .summary = "a dead letter does not say why",
      },
      [](SqliteStatements& sql) {
        alter(sql.fail, "dead_reason = :reason", "dead_reason = NULL");
      });
}

}  // namespace assay::mutants
