// sqlite_ack_unfenced: an ack does not look at the token.
#include "drivers/mutants/altered.h"

namespace assay::mutants {

Mutant sqlite_ack_unfenced() {
  return within_sqlite(
      {
          .name = "sqlite_ack_unfenced",
          .rules = {"FENCE-1", "FENCE-2"},
          .summary = "an ack does not look at the token",
      },
      [](SqliteStatements& sql) {
        alter(sql.ack, "(:unfenced OR (token = :token AND attempt IS :attempt))", "TRUE");
      });
}

}  // namespace assay::mutants
