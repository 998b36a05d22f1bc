// sqlite: the driver that keeps its jobs in a SQLite file, or in memory.
//
// url: a path or `:memory:`, with options behind a `?` (location.h). Without one, a private file in
// the scratch folder. Several processes may share a file.
#pragma once

#include "drivers/sqlite/statements.h"
#include "harness/contract/driver.h"

namespace assay {

DriverInfo sqlite();

// The same driver with other statements: for mutants.
DriverInfo sqlite_with(std::string name, std::string summary, SqliteStatements statements);

}  // namespace assay
