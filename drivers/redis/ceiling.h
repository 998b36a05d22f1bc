// redis_ceiling: what a Redis server can do with the smallest scripts that are still right, asked
// by one thread that serves all connections at once and pipelines a batch.
#pragma once

#include "harness/bench/ceiling.h"

namespace assay {

Result<std::unique_ptr<Ceiling>> redis_ceiling(const std::string& url);

}  // namespace assay
