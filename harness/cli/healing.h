// What `heal` and the start of every run share.
#pragma once

#include <vector>

#include "harness/fault/leftovers.h"

namespace assay::cli {

// A remedy of any kind that there is.
Result<std::string> carry_out(const Remedy& remedy);

// Does that, and does not try again what needs somebody who did not answer once.
Carry carrier();

// On stderr, where there was more than a folder: whose run it was, and what was put right.
void tell(const std::vector<Healed>& all);

std::string sentence(const Healed& healed);

}  // namespace assay::cli
