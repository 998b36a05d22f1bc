// ceilings: for drivers that stand on a server, how to measure what that server itself could do.
#pragma once

#include <string_view>

#include "harness/bench/ceiling.h"

namespace assay {

// Empty for drivers without a server.
MakeCeiling ceiling_of(std::string_view driver);

}  // namespace assay
