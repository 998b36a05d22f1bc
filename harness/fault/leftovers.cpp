#include "harness/fault/leftovers.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include "harness/contract/clock.h"
#include "harness/contract/text_of.h"

namespace assay {

namespace fs = std::filesystem;

static constexpr const char* signature = "owner";

// When it was started, in the kernel's own unit; empty: there is no such process.
static std::string started(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(in, text);
  const auto behind = text.rfind(") ");  // its name may hold anything
  if (behind == std::string::npos) return "";
  std::istringstream words(text.substr(behind + 2));
  std::string word;
  for (int i = 0; i < 20; ++i) words >> word;
  return word;
}

Status sign(const fs::path& folder) {
  std::ofstream out(folder / signature);
  out << started(::getpid()) << "\n" << std::flush;
  if (out) return Done{};
  return Error{ErrorCode::unavailable, fmt::format("cannot write in {}", folder.string())};
}

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

static bool is_gone(pid_t pid, const fs::path& folder) {
  if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
  std::ifstream in(folder / signature);
  std::string then;
  if (!std::getline(in, then) || then.empty()) return false;
  const std::string now = started(pid);
  return !now.empty() && now != then;
}

static bool is_in(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

// "ASSAY_RUN=<folder>" is one of the texts of its environment, each of which ends with a zero. A
// server that shows what it does as its name has written over them, but lives among its data.
static bool is_of(pid_t pid, const std::string& folder) {
  std::error_code unknown;
  if (is_in(fs::read_symlink(fmt::format("/proc/{}/cwd", pid), unknown).string(), folder))
    return true;
  const std::string text = text_of(fmt::format("/proc/{}/environ", pid));
  const std::string wanted = fmt::format("{}={}", run_variable, folder) + '\0';
  const auto at = text.find(wanted);
  return at != std::string::npos && (at == 0 || text[at - 1] == '\0');
}

static std::vector<pid_t> processes_of(const std::string& folder) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (fs::directory_iterator at("/proc", ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    pid_t pid = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec == std::errc{} && *read.ptr == '\0' && pid != ::getpid() && is_of(pid, folder))
      found.push_back(pid);
  }
  return found;
}

// Some may start others while they are looked for.
static void end_processes(Healed& healed) {
  constexpr int rounds = 50;
  RealClock clock;
  std::size_t killed = 0;
  std::vector<pid_t> left;
  for (int round = 0; round < rounds; ++round) {
    left = processes_of(healed.folder);
    if (left.empty()) break;
    for (const pid_t pid : left) killed += ::kill(pid, SIGKILL) == 0 ? 1 : 0;
    clock.sleep_until(clock.now() + Duration{10}, {});
  }
  if (!left.empty())
    healed.failed.push_back(fmt::format("process {} cannot be killed", left.front()));
  else if (killed > 0)
    healed.done.push_back(killed == 1 ? std::string("a process was killed")
                                      : fmt::format("{} processes were killed", killed));
}

static void unmount_all(Healed& healed) {
  std::ifstream in("/proc/self/mounts");
  std::vector<std::string> paths;
  for (std::string device, path, rest; in >> device >> path && std::getline(in, rest);)
    if (is_in(path, healed.folder)) paths.push_back(path);
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    if (::umount2(path->c_str(), MNT_DETACH) == 0)
      healed.done.push_back(fmt::format("{} was unmounted", *path));
    else
      healed.failed.push_back(
          fmt::format("{} cannot be unmounted: {}", *path, std::strerror(errno)));
  }
}

static Healed heal_one(const fs::path& folder, pid_t owner, const Carry& carry) {
  Healed healed{folder.string(), owner, {}, {}, {}};
  const Debts debts = Journal::debts(healed.folder);
  healed.faults = debts.faults;
  end_processes(healed);
  for (const Remedy& remedy : debts.remedies) {
    Result<std::string> done = carry(remedy);
    if (done.ok())
      healed.done.push_back(std::move(*done));
    else
      healed.failed.push_back(done.error().message);
  }
  unmount_all(healed);
  if (!healed.failed.empty()) return healed;
  std::error_code left;
  fs::remove_all(folder, left);
  return healed;
}

std::vector<Healed> heal(const fs::path& parent, const Carry& carry) {
  std::vector<Healed> all;
  std::error_code ignored;
  std::vector<fs::path> folders;
  for (fs::directory_iterator at(parent, ignored), end; !ignored && at != end;
       at.increment(ignored))
    folders.push_back(at->path());
  for (const fs::path& folder : folders) {
    const pid_t owner = owner_of(folder.filename().string());
    struct stat about {};
    if (owner == 0 || ::lstat(folder.c_str(), &about) != 0) continue;
    if (!S_ISDIR(about.st_mode) || about.st_uid != ::geteuid()) continue;
    if (is_gone(owner, folder)) all.push_back(heal_one(folder, owner, carry));
  }
  return all;
}

}  // namespace assay
