// postgres_ceiling: what a PostgreSQL server can do with the smallest table and statements that are
// still right, asked by pgbench.
#pragma once

#include "harness/bench/ceiling.h"

namespace assay {

Result<std::unique_ptr<Ceiling>> postgres_ceiling(const std::string& url);

}  // namespace assay
