// mutated: an input like those of the corpus, and wrong in a way that JSON is likely to be wrong.
#pragma once

#include <string>
#include <vector>

#include "harness/contract/random.h"

namespace assay::fuzz {

// The same numbers give the same input. Requires: the corpus is not empty.
std::string mutated(const std::vector<std::string>& corpus, Random& random);

}  // namespace assay::fuzz
