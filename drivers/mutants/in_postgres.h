// within_postgres: a mutant of the postgres driver with altered statements, and what calls of
// several round trips are made of.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "drivers/mutants/alter.h"
#include "drivers/mutants/mutant.h"
#include "drivers/postgres/postgres.h"

namespace assay::mutants {

// `change` takes the right statements and spoils them.
template <class Change>
Mutant within_postgres(Mutant mutant, Change change) {
  mutant.subject = "postgres";
  mutant.driver = [name = std::string(mutant.name), summary = std::string(mutant.summary),
                   profile = std::string(mutant.profile), change] {
    PostgresStatements statements = postgres_statements();
    change(statements);
    DriverInfo info = postgres_with(name, summary, std::move(statements));
    info.default_profile = profile;
    return info;
  };
  return mutant;
}

// What a round trip has seen stays with its connection, for the next one to trust.
inline std::string see(const std::string& what) {
  return "  PERFORM set_config('assay.seen', (" + what + ")::text, false);\n";
}
inline const char* const seen = "current_setting('assay.seen')";

// A function of the same parameters that does something else, called look_NAME.
inline std::string look(const std::string& function, const std::string& body) {
  static constexpr std::string_view begun = "USING ERRCODE = '3F000'; END IF;\n";
  std::string text = before(function, begun) + std::string(begun) + body + "\nEND $f$;\n";
  alter(text, "CREATE FUNCTION ", "CREATE FUNCTION look_");
  return text;
}

// The statement of a function that sets the variable.
inline std::string setting(const std::string& function, const std::string& variable) {
  return part(function, "  " + variable + " := ", ";\n") + ";\n";
}

inline void look_first(PostgresStatements& sql, const std::string& name, std::string look) {
  sql.more += std::move(look);
  sql.rounds[name] = {"look_" + name, name};
}

// What guards a change of one job is looked at first, in a round trip of its own; the change then
// trusts it.
inline void look_then_write(PostgresStatements& sql, std::string& function,
                            const std::string& name) {
  static const std::string where = " WHERE id = id_ AND ";
  const std::string behind = onward(function, where).substr(where.size());
  const std::string guard = behind.substr(0, std::min(behind.find(';'), behind.find(" RETURNING")));
  look_first(sql, name,
             look(function, setting(function, "id_") +
                                see("EXISTS (SELECT FROM jobs" + where + guard + ")")));
  while (function.find(where + guard) != std::string::npos)
    alter(function, where + guard, where + seen + "::boolean");
}

// Jobs are chosen without a lock.
inline void choose_unlocked(std::string& reserve) {
  std::string choice = onward(reserve, "  IF id_ IS NOT NULL THEN\n");
  reserve.resize(reserve.size() - choice.size());
  for (const std::string_view lock :
       {" FOR UPDATE SKIP LOCKED", "\n        FOR UPDATE SKIP LOCKED", " FOR UPDATE"})
    while (choice.find(lock) != std::string::npos) alter(choice, lock, "");
  reserve += choice;
}

// The jobs that a claim takes are told in another way.
inline void take_where(std::string& reserve, const std::string& where) {
  alter(reserve, "ctid = ANY(picked_) RETURNING", where + " RETURNING");
}

// The jobs are chosen in one round trip, which sees `what` of them, and those `where` are taken in
// another.
inline void choose_then_take(PostgresStatements& sql, const std::string& what,
                             const std::string& nothing, const std::string& where) {
  const std::string taking = "  RETURN QUERY UPDATE";
  std::string choice = before(sql.reserve, taking);
  alter(choice, setting(choice, "dead_by_"), see(nothing) + setting(choice, "dead_by_"));
  choose_unlocked(choice);
  choice += see(what) + "\nEND $f$;\n";
  alter(choice, "CREATE FUNCTION ", "CREATE FUNCTION look_");
  look_first(sql, "reserve", choice);
  alter(sql.reserve, part(sql.reserve, "  id_ := ", taking), "");
  take_where(sql.reserve, where);
}

}  // namespace assay::mutants
