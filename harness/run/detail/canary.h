// The canary: a driver with a planted bug. A harness that does not convict it convicts nobody.
#pragma once

#include <optional>
#include <string>

#include "harness/run/certify.h"

namespace assay::detail {

// Why this harness cannot be relied on; nothing where the canary is convicted of its rule.
std::optional<std::string> canary_trouble(const Parts& parts, std::uint64_t seed,
                                          const std::string& scratch,
                                          const EngineInfo* engine = nullptr);

}  // namespace assay::detail
