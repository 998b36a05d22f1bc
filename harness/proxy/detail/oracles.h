// The two oracles, each of which speaks to its store in its own way.
#pragma once

#include "harness/proxy/lock_oracle.h"

namespace assay::proxy {

Result<std::unique_ptr<LockOracle>> postgres_oracle(const std::string& url);
Result<std::unique_ptr<LockOracle>> redis_oracle(const std::string& url, const Upstream& upstream);

constexpr int oracle_patience_ms = 10'000;

}  // namespace assay::proxy
