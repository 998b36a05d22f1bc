// within_sqlite: a mutant of the sqlite driver with an altered statement.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "drivers/mutants/alter.h"
#include "drivers/mutants/mutant.h"
#include "drivers/sqlite/sqlite.h"

namespace assay::mutants {

// Others may come in before the statement: what its call has looked at may be true no longer.
inline void let_others_in_before(std::string& sql) { sql.insert(0, "SELECT 1; "); }

// What guards a change of one job is looked at first, in a transaction of its own; the change then
// trusts it.
inline void look_then_write(std::string& update) {
  const std::string one = " WHERE ns = :ns AND id = :id";
  const std::size_t where = update.find(one);
  CHECK(where != std::string::npos);
  const std::size_t end = std::min(update.find(" RETURNING", where), update.size());
  const std::string guard = update.substr(where, end - where);
  update.replace(where, guard.size(), one + " AND :seen");
  update.insert(0, "SELECT TRUE FROM jobs" + guard + "; ");
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
