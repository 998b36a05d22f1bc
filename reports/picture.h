// picture: the lanes of a conviction, for a terminal and as JSON.
#pragma once

#include <string>

#include "harness/plan/lanes.h"

namespace assay {

// Indented lines behind an empty one; empty where there is nothing to see: one client did
// everything, or they do not fit.
std::string picture_text(const Lanes& lanes, std::size_t width);

std::string picture_json(const Lanes& lanes);

}  // namespace assay
