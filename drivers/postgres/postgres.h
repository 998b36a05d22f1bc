// postgres: the driver that keeps its jobs in a PostgreSQL server, version 12 or newer.
//
// url: what libpq takes, `postgresql://user@host:port/database?...` or `host=... dbname=...`.
// Without one, the environment's ASSAY_POSTGRES_URL. Several processes may share a server and a
// namespace.
#pragma once

#include "drivers/postgres/statements.h"
#include "harness/contract/driver.h"

namespace assay {

// Where libpqxx was missing at build time: a driver that cannot be made, and says why.
DriverInfo postgres();

// The same driver with other statements: for mutants.
DriverInfo postgres_with(std::string name, std::string summary, PostgresStatements statements);

}  // namespace assay
