#include "drivers/postgres/detail/schema.h"

#include "drivers/postgres/detail/sql.h"

namespace assay::pg {

static const std::string mark = "Assay queue, schema version ";

std::string schema_of(const std::string& name_space) { return "assay:" + name_space; }

// Requires: a name of schema_of, which needs no escapes.
static std::string identifier(const std::string& schema) { return "\"" + schema + "\""; }
static std::string literal(const std::string& schema) { return "'" + schema + "'"; }

// The head of every change: nobody else changes the schema until the transaction ends, and it is
// ours or not there.
static std::string check_owner(const std::string& schema) {
  return R"sql(DO $d$ DECLARE said text; BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended()sql" +
         literal(schema) + R"sql(, 0));
  SELECT coalesce(obj_description(oid, 'pg_namespace'), '') INTO said FROM pg_namespace
    WHERE nspname = )sql" +
         literal(schema) + R"sql(;
  IF said IS NULL THEN RETURN; END IF;
  IF said !~ '^)sql" +
         mark + R"sql([0-9]{1,9}$' THEN
    RAISE EXCEPTION 'the schema )sql" +
         identifier(schema) +
         R"sql( is not a store of Assay: it was left as it is; drop or rename it, or name another database in the url'
      USING ERRCODE = 'AY001';
  END IF;
  IF substring(said FROM '[0-9]+$')::integer > )sql" +
         std::to_string(schema_version) + R"sql( THEN
    RAISE EXCEPTION 'the schema )sql" +
         identifier(schema) + R"sql( has the schema version %, this program knows )sql" +
         std::to_string(schema_version) +
         R"sql(: use the newer program, or name another database in the url',
      substring(said FROM '[0-9]+$') USING ERRCODE = 'AY001';
  END IF;
END $d$;
)sql";
}

// Fails where there is one by then.
static std::int64_t create_schema(Connection& connection, const std::string& schema,
                                  const PostgresStatements& s, const std::string& before) {
  const std::string name = identifier(schema);
  const auto answer = connection.run(
      check_owner(schema) + before + "CREATE SCHEMA " + name + ";\nCOMMENT ON SCHEMA " + name +
      " IS '" + mark + std::to_string(schema_version) + "';\nSET search_path TO " + name +
      ";\nSET check_function_bodies TO off;\n" + s.tables + s.enqueue + s.enqueue_all + s.reserve +
      s.extend + s.ack + s.ack_all + s.settle + s.nack + s.cancel + s.requeue + s.replay +
      s.commit + s.more + "INSERT INTO meta (version, era, offset_ms) VALUES (" +
      std::to_string(schema_version) + ", " + era() + ", 0) RETURNING era;");
  connection.is_in(schema);
  return answer.at(0).at(0).as<std::int64_t>();
}

std::int64_t make_schema(Connection& connection, const std::string& schema,
                         const PostgresStatements& s) {
  return create_schema(connection, schema, s,
                       "DROP SCHEMA IF EXISTS " + identifier(schema) + " CASCADE;\n");
}

Result<std::int64_t> find_schema(Connection& connection, const std::string& schema) {
  connection.run(check_owner(schema));
  const auto there = connection.run("SELECT FROM pg_namespace WHERE nspname = " + literal(schema));
  if (there.empty())
    return not_found("there is no schema " + identifier(schema) +
                     ": the process that creates the namespace must set it up first");
  const auto meta = connection.run("SELECT era, version FROM " + identifier(schema) + ".meta");
  if (const int version = meta.at(0).at(1).as<int>(); version < schema_version)
    return invalid("the schema " + identifier(schema) + " has the schema version " +
                   std::to_string(version) + ", this program knows " +
                   std::to_string(schema_version) +
                   ": it was left as it is; use the older program, or have the namespace made "
                   "anew, which empties it");
  return meta.at(0).at(0).as<std::int64_t>();
}

Result<std::int64_t> find_or_make_schema(Connection& connection, const std::string& schema,
                                         const PostgresStatements& s) {
  // Others may make it, and drop it, too.
  constexpr int tries = 10;
  for (int tried = 1;; ++tried) {
    auto found = find_schema(connection, schema);
    if (found.ok() || found.error().code != ErrorCode::not_found || tried == tries) return found;
    try {
      return create_schema(connection, schema, s, "");
    } catch (const pqxx::sql_error& error) {
      if (error.sqlstate() != "42P06") throw;  // duplicate_schema
    }
  }
}

void empty_schema(Connection& connection, const std::string& schema) {
  const std::string name = identifier(schema);
  connection.run("DELETE FROM " + name + ".jobs; DELETE FROM " + name + ".paused; DELETE FROM " +
                 name + ".records; DELETE FROM " + name + ".marks; UPDATE " + name +
                 ".meta SET offset_ms = 0 WHERE offset_ms <> 0; SELECT setval('" + name +
                 ".seqs', 1, false);");
}

void drop_schema(Connection& connection, const std::string& schema) {
  connection.run(check_owner(schema) + "DROP SCHEMA IF EXISTS " + identifier(schema) + " CASCADE;");
}

}  // namespace assay::pg
