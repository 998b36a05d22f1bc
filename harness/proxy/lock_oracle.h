// LockOracle: asks the store which connections wait in it for another one, instead of guessing that
// from their silence.
//
// It has a connection of its own, past the proxy. Not thread-safe. Each question has an answer
// within ten seconds, or an error, after which it connects anew.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/contract/result.h"
#include "harness/proxy/proxy.h"

namespace assay::proxy {

class LockOracle {
 public:
  virtual ~LockOracle() = default;

  // For each of those asked for, whether it waits. Postgres: for a lock that one of `all` holds or
  // waits for before it; whoever waits for anything else (a disk, a vacuum) is still working.
  // Redis: in a blocking command. One that the store does not know does not wait.
  virtual Result<std::vector<bool>> waiting(std::span<const StoreSession> asked,
                                            std::span<const StoreSession> all) = 0;

  // Those of `all` for whom it waits, as their indices. Only Postgres tells.
  virtual Result<std::vector<std::size_t>> holders(const StoreSession& waiting,
                                                   std::span<const StoreSession> all);

  // Its blocking command ends now, as if its time-out had passed. Only Redis can do that.
  virtual Status end_wait(const StoreSession& session);
};

// The store's own url. Unsupported: Postgres, in a build without its library.
Result<std::unique_ptr<LockOracle>> lock_oracle(const std::string& url);

}  // namespace assay::proxy
