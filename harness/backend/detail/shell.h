// run_shell: a line for a shell, carried out.
#pragma once

#include <string>

#include "harness/contract/result.h"

namespace assay::detail {

// The error is the last line that it complained in.
Status run_shell(const std::string& line);

}  // namespace assay::detail
