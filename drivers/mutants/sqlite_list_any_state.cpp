// sqlite_list_any_state: a listing does not look at the state asked for.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_list_any_state() {
  return within_sqlite(
      {
          .name = "sqlite_list_any_state",
          .rules = {"ADMIN-2"},
          .summary = "a listing does not look at the state asked for",
      },
      [](SqliteStatements& sql) { alter(sql.list, ":state IS NULL OR", "TRUE OR"); });
}

}  // namespace assay::mutants
