// The postgres driver of a build without libpqxx: it is listed, and says why it cannot be made.
#include "drivers/postgres/ceiling.h"
#include "drivers/postgres/postgres.h"

namespace assay {

DriverInfo postgres() {
  return postgres_with("postgres", "a PostgreSQL server", postgres_statements());
}

DriverInfo postgres_with(std::string name, std::string summary, PostgresStatements) {
  DriverInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary) + " (missing: built without libpqxx 6.4; see libpqxx-dev)";
  info.make = [name = info.name](const DriverOptions&) -> Result<std::unique_ptr<Driver>> {
    return unsupported("the driver '" + name +
                       "' is missing: libpqxx 6.4 was not there when this program was built; "
                       "install libpqxx-dev and build again");
  };
  return info;
}

Result<std::unique_ptr<Ceiling>> postgres_ceiling(const std::string&) {
  return unsupported("built without libpqxx");
}

}  // namespace assay
