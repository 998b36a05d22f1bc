// flaky: fails so many times of a hundred, by the seed, the job and the run alone: the same run of
// the same job always goes the same way, whoever else runs.
#pragma once

#include <cstdint>

#include "engine/handler.h"

namespace assay::engine::handlers {

Handler flaky(std::uint64_t seed, int fails_percent);

}  // namespace assay::engine::handlers
