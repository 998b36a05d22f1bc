// sqlite_pause_forgotten: nobody looks whether a queue is paused.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_pause_forgotten() {
  return within_sqlite(
      {
          .name = "sqlite_pause_forgotten",
          .rules = {"PAUSE-1"},
          .summary = "nobody looks whether a queue is paused",
      },
      [](SqliteStatements& sql) { alter(sql.is_paused, "WHERE", "WHERE FALSE AND"); });
}

}  // namespace assay::mutants
