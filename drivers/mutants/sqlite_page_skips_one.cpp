// sqlite_page_skips_one: every page but the first leaves out a job.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_page_skips_one() {
  return within_sqlite(
      {
          .name = "sqlite_page_skips_one",
          .rules = {"ADMIN-2"},
          .summary = "every page but the first leaves out a job",
      },
      [](SqliteStatements& sql) {
        alter(sql.list, "LIMIT :limit", "LIMIT :limit OFFSET (:after_id <> x'')");
      });
}

}  // namespace assay::mutants
