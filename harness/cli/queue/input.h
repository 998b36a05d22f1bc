// What a command reads: a file, or stdin.
#pragma once

#include <string>

#include "harness/contract/result.h"

namespace assay::cli::queue {

// All bytes of the file, `-` for stdin; a sentence where it cannot be read, or has more than so
// many.
Result<std::string> read_input(const std::string& file, std::size_t most);

}  // namespace assay::cli::queue
