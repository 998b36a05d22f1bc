// all_properties: the literal catalogue of judges. A new family is one file and one line in
// all.cpp.
#pragma once

#include <span>

#include "harness/judge/property.h"

namespace assay {

std::span<const Property> all_properties();

}  // namespace assay
