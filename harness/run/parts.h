// built_in_parts: the harness put together from the literal catalogues of properties, scenarios and
// mutants. Defined by the executable's library, assay::cli: only it knows all folders.
#pragma once

#include "harness/run/certify.h"

namespace assay {

// Lives as long as the program.
Parts built_in_parts();

}  // namespace assay
