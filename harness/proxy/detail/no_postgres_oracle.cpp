// The oracle of a build without Postgres' library.
#include "harness/proxy/detail/oracles.h"

namespace assay::proxy {

Result<std::unique_ptr<LockOracle>> postgres_oracle(const std::string&) {
  return unsupported(
      "whether a connection waits for a lock cannot be asked: libpq was not there when this "
      "program "
      "was built; install libpqxx-dev and build again");
}

}  // namespace assay::proxy
