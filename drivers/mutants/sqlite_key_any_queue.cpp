// sqlite_key_any_queue: a key is looked up in every queue.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_key_any_queue() {
  return within_sqlite(
      {
          .name = "sqlite_key_any_queue",
          .rules = {"XIDEMP-1"},
          .summary = "a key is looked up in every queue",
      },
      [](SqliteStatements& sql) { sql.key_in_queue = sql.key_anywhere; });
}

}  // namespace assay::mutants
