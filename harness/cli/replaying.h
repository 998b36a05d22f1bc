// replay_and_tell: runs what a token carries and tells people how it ended.
#pragma once

#include <optional>
#include <string>

#include "harness/cli/named_driver.h"
#include "harness/plan/token.h"

namespace assay::cli {

struct ReplayWishes {
  std::optional<std::string> out;      // the file for the history
  bool twice = false;                  // and compare
  std::optional<std::uint64_t> until;  // hold before this step of the story,
  bool hold = false;                   // or else before the one that convicts
  bool stop_for_debugger = false;
};

// Returns the exit status that `assay replay --help` promises.
int replay_and_tell(const ReplayToken& token, const NamedDriver& driver,
                    const ReplayWishes& wishes);

// The same of a token of a comparison: both drivers are run. `out`: for the second's history.
int replay_pair_and_tell(const ReplayToken& token, const NamedDriver& first,
                         const NamedDriver& second, const std::optional<std::string>& out);

}  // namespace assay::cli
