// replay_and_tell: runs what a token carries and tells people how it ended.
#pragma once

#include <optional>
#include <string>

#include "harness/cli/named_driver.h"
#include "harness/plan/token.h"

namespace assay::cli {

// Returns the exit status that `assay replay --help` promises. `out`: the file for the history.
int replay_and_tell(const ReplayToken& token, const NamedDriver& driver,
                    const std::optional<std::string>& out);

// The same of a token of a comparison: both drivers are run. `out`: for the second's history.
int replay_pair_and_tell(const ReplayToken& token, const NamedDriver& first,
                         const NamedDriver& second, const std::optional<std::string>& out);

}  // namespace assay::cli
