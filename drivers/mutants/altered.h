// within_sqlite: a mutant of the sqlite driver with an altered statement.
#pragma once

#include <string>
#include <utility>

#include "drivers/mutants/mutant.h"
#include "drivers/sqlite/sqlite.h"
#include "harness/contract/check.h"

namespace assay::mutants {

// Puts `now` where `before` was. Requires: it is there.
inline void alter(std::string& sql, std::string_view before, std::string_view now) {
  const std::size_t at = sql.find(before);
  CHECK(at != std::string::npos);
  sql.replace(at, before.size(), now);
}

// `change` takes the right statements and spoils them.
template <class Change>
Mutant within_sqlite(Mutant mutant, Change change) {
  mutant.subject = "sqlite";
  mutant.driver = [name = std::string(mutant.name), summary = std::string(mutant.summary),
                   profile = std::string(mutant.profile), change] {
    SqliteStatements statements = sqlite_statements();
    change(statements);
    DriverInfo info = sqlite_with(name, summary, std::move(statements));
    info.default_profile = profile;
    return info;
  };
  return mutant;
}

}  // namespace assay::mutants
