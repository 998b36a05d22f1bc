#include "harness/proxy/lock_oracle.h"

#include "harness/proxy/detail/oracles.h"

namespace assay::proxy {

Result<std::vector<std::size_t>> LockOracle::holders(const StoreSession&,
                                                     std::span<const StoreSession>) {
  return unsupported("this store does not tell for whom a connection waits");
}

Status LockOracle::end_wait(const StoreSession&) {
  return unsupported("this store ends no wait of another connection");
}

Result<std::unique_ptr<LockOracle>> lock_oracle(const std::string& url) {
  const auto upstream = upstream_of(url);
  if (!upstream.ok()) return upstream.error();
  return upstream->protocol == StoreProtocol::postgres ? postgres_oracle(url)
                                                       : redis_oracle(url, *upstream);
}

}  // namespace assay::proxy
