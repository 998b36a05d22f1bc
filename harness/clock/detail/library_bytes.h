// The preloaded library as CMake built it, put into this one by the assembler.
#pragma once

#include <string_view>

namespace assay::detail {

std::string_view clock_library_bytes();

}  // namespace assay::detail
