// stamp: when something happened, by a clock that all processes of this machine share and that
// nobody sets: for the order of what several of them saw, and for nothing else.
#pragma once

#include <cstdint>

namespace assay {

std::int64_t stamp_ns();

}  // namespace assay
