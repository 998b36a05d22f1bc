// The rules of an engine that have histories: tests/properties/engine_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "tests/properties/cases.h"

namespace assay::told {

std::vector<std::string_view> engine_rules_told();
// And those of dispatchers: tests/properties/dispatch_test.cpp.
std::vector<std::string_view> dispatch_rules_told();

}  // namespace assay::told
