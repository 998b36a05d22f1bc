#include "harness/cli/scratch.h"

#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace assay::cli {

namespace fs = std::filesystem;

// The process that a folder's name speaks of; 0: not one of ours.
static pid_t owner_of(std::string_view name) {
  constexpr std::string_view prefix = "assay-";
  if (!name.starts_with(prefix)) return 0;
  name.remove_prefix(prefix.size());
  pid_t pid = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), pid);
  const bool well_formed =
      failed == std::errc{} && end == name.data() + name.size() - 7 && *end == '-';
  return well_formed && pid > 0 ? pid : 0;
}

static bool is_gone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

void remove_leftovers(const fs::path& parent) {
  std::error_code ignored;
  for (fs::directory_iterator at(parent, ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    const pid_t pid = owner_of(at->path().filename().string());
    struct stat about {};
    if (pid == 0 || !is_gone(pid) || lstat(at->path().c_str(), &about) != 0) continue;
    if (!S_ISDIR(about.st_mode) || about.st_uid != geteuid()) continue;
    std::error_code left;
    fs::remove_all(at->path(), left);
  }
}

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

Result<std::unique_ptr<Scratch>> Scratch::make() {
  const fs::path parent = parent_of_scratch();
  remove_leftovers(parent);
  std::string path = (parent / fmt::format("assay-{}-XXXXXX", getpid())).string();
  if (!mkdtemp(path.data()))
    return Error{
        ErrorCode::unavailable,
        fmt::format(
            "cannot make a scratch folder in {}: {}; set TMPDIR to a folder that can be written",
            parent.string(), std::strerror(errno))};
  return std::unique_ptr<Scratch>(new Scratch(std::move(path)));
}

void Scratch::remove() noexcept {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace assay::cli
