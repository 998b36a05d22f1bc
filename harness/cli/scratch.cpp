#include "harness/cli/scratch.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "harness/cli/healing.h"

namespace assay::cli {

namespace fs = std::filesystem;

// In memory where there is room: private stores are thrown away after the run, and a disk would
// make a certification wait for it fifty times as long.
static fs::path parent_of_scratch() {
  const char* named = std::getenv("TMPDIR");
  if (named && *named) return named;
  constexpr std::uintmax_t room = 1U << 30;
  const fs::path memory = "/dev/shm";
  std::error_code absent;
  const fs::space_info space = fs::space(memory, absent);
  const bool usable =
      !absent && space.available >= room && access(memory.c_str(), W_OK | X_OK) == 0;
  return usable ? memory : fs::path("/tmp");
}

std::vector<fs::path> places_for_scratch() {
  std::vector<fs::path> places{parent_of_scratch()};
  for (const char* other : {"/dev/shm", "/tmp"})
    if (std::ranges::find(places, fs::path(other)) == places.end()) places.emplace_back(other);
  return places;
}

Result<std::unique_ptr<Scratch>> Scratch::make() {
  const fs::path parent = parent_of_scratch();
  tell(heal(parent, carrier()));
  std::string path = (parent / fmt::format("assay-{}-XXXXXX", getpid())).string();
  if (!mkdtemp(path.data()))
    return Error{
        ErrorCode::unavailable,
        fmt::format(
            "cannot make a scratch folder in {}: {}; set TMPDIR to a folder that can be written",
            parent.string(), std::strerror(errno))};
  std::unique_ptr<Scratch> scratch(new Scratch(path));
  if (Status signed_ = sign(path); !signed_) return signed_.error();
  setenv(run_variable, path.c_str(), 1);
  return scratch;
}

// Where we are ended in the middle of something, what must be put right is written in it. What
// cannot be is left to the next run.
void Scratch::remove() noexcept {
  const Carry carry = carrier();
  bool owes = false;
  for (const Remedy& remedy : Journal::debts(path_).remedies) owes = !carry(remedy) || owes;
  std::error_code ignored;
  if (!owes) fs::remove_all(path_, ignored);
}

}  // namespace assay::cli
