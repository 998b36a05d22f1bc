// sqlite_key_looked_up_then_taken: a key is looked up and taken in two transactions.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_key_looked_up_then_taken() {
  return within_sqlite(
      {
          .name = "sqlite_key_looked_up_then_taken",
          .rules = {"IDEMP-10"},
          .race = "one_key_makes_one_job",
          .summary = "a key is looked up and taken in two transactions",
      },
      [](SqliteStatements& sql) { let_others_in_before(sql.insert); });
}

}  // namespace assay::mutants
