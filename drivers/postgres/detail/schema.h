// The schema of a namespace: its name, what it is made of, and whether one that is there is ours.
#pragma once

#include <string>

#include "drivers/postgres/detail/connection.h"
#include "drivers/postgres/statements.h"
#include "harness/contract/result.h"

namespace assay::pg {

inline constexpr int schema_version = 4;

// Nobody else's schema has such a name by chance.
std::string schema_of(const std::string& name_space);

// The schema, empty; one of ours that was there is dropped. Its era comes back. One that is not
// ours, or newer than we are, is refused and left as it is. Throws.
std::int64_t make_schema(Connection& connection, const std::string& schema,
                         const PostgresStatements& statements);

// The era of the schema that somebody made. Throws.
Result<std::int64_t> find_schema(Connection& connection, const std::string& schema);

// The same, or that of a schema that was made since nobody had. Throws.
Result<std::int64_t> find_or_make_schema(Connection& connection, const std::string& schema,
                                         const PostgresStatements& statements);

// It is as make_schema left it, but of the same era. Requires: nobody uses it. Throws.
void empty_schema(Connection& connection, const std::string& schema);

// It is gone, where it is ours. Throws.
void drop_schema(Connection& connection, const std::string& schema);

}  // namespace assay::pg
