// Leftovers: what runs that were killed have left behind: their folders, processes that were kept
// from dying with them, and what their journals say must be put right.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/fault/journal.h"

namespace assay {

// Names the run's folder; in the environment of all that it starts.
inline constexpr const char* run_variable = "ASSAY_RUN";

// Writes down whose folder it is, so that another process with the same number is not taken for it.
Status sign(const std::filesystem::path& folder);

struct Healed {
  std::string folder;
  pid_t owner = 0;
  std::vector<std::string> faults;  // that were on when it was killed
  std::vector<std::string> done;    // sentences: what was put right
  std::vector<std::string> failed;  // and what could not be: then the folder stays

  // Nothing but the folder was left.
  bool is_plain() const { return faults.empty() && done.empty() && failed.empty(); }
};

// Carries one out; the sentence says what was done.
using Carry = std::function<Result<std::string>(const Remedy&)>;

// Puts right what the runs left whose folders (assay-<pid>-XXXXXX, of this user) are in `parent`
// and whose process is gone, and removes the folders.
std::vector<Healed> heal(const std::filesystem::path& parent, const Carry& carry);

}  // namespace assay
