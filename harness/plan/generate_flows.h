// What generate_engine draws of flows and of outputs.
#pragma once

#include <string>

#include "harness/contract/random.h"
#include "harness/contract/time.h"

namespace assay {

// A flow of some steps, whose lengths are around a tenth of a lease.
std::string draw_flow(Random& random, const std::string& id, Duration lease);

// "" or some outputs, with a blank behind: for a script.
std::string draw_outputs(Random& random);

}  // namespace assay
