// Faketime: libfaketime as the clock of processes that we start, where it is installed: a second
// source beside our own library, by other people.
//
// It knows an offset, from a file that each reading of the clock looks at again. Its rates count
// from the start of a process, not from the moment at which one is told: so it has none here, nor
// can it stand still.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/contract/result.h"
#include "harness/contract/time.h"

namespace assay::faketime {

// The library's path; nothing where it is not installed.
std::optional<std::string> library();

// For Command::environment, with the file that says what the time is.
std::vector<std::pair<std::string, std::string>> environment(const std::string& library,
                                                             const std::string& file);

// Off the machine's clock by so much from now on.
Status write(const std::string& file, Duration offset);

}  // namespace assay::faketime
