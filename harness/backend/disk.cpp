#include "harness/backend/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>

#include "harness/backend/detail/shell.h"

namespace assay {

namespace fs = std::filesystem;
using detail::run_shell;

static constexpr const char* size = "600M";  // sparse; room for a Postgres and its log

// The kernel must not write by itself, neither after a while nor when a file is replaced.
static constexpr const char* how = "loop,commit=3000,noauto_da_alloc,noatime";

static Error cannot(std::string_view why) {
  return {ErrorCode::unavailable, fmt::format("a loss of power cannot be staged here: {}", why)};
}

std::optional<std::string> Disk::why_not_here() {
  if (::geteuid() != 0) return "needs root, to mount a disk of its own";
  if (::access("/dev/loop-control", F_OK) != 0) return "needs loop devices: /dev/loop-control";
  for (const char* folder : {"/usr/sbin", "/sbin", "/usr/local/sbin"})
    if (::access(fmt::format("{}/mkfs.ext4", folder).c_str(), X_OK) == 0) return std::nullopt;
  return "needs mkfs.ext4: apt-get install e2fsprogs";
}

// A namespace is of a thread, and whoever it makes is born into it: which one this thread is in
// tells whether it was done.
Status Disk::keep_mounts_apart() {
  static std::mutex mutex;
  static fs::path ours;
  const std::lock_guard lock(mutex);
  std::error_code failed;
  const auto here = [&] { return fs::read_symlink("/proc/thread-self/ns/mnt", failed); };
  if (!ours.empty() && here() == ours) return Done{};
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return cannot(std::strerror(errno));
  ours = here();
  return Done{};
}

Disk::Disk(const std::string& folder)
    : folder_(folder),
      image_(folder + "/image"),
      copy_(folder + "/copy"),
      path_(folder + "/disk") {}

// A server of another account must get through.
static void let_through(const std::string& folder) {
  std::error_code ignored;
  fs::permissions(folder, fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add,
                  ignored);
}

Result<std::unique_ptr<Disk>> Disk::make(const std::string& folder) {
  if (const auto missing = why_not_here()) return cannot("it " + *missing);
  if (Status apart = keep_mounts_apart(); !apart) return apart.error();
  std::string own = folder + "/disk-XXXXXX";
  if (!::mkdtemp(own.data())) return cannot(std::strerror(errno));
  std::unique_ptr<Disk> disk(new Disk(own));
  let_through(folder);
  let_through(own);
  const Status made = run_shell(
      fmt::format("PATH=$PATH:/usr/sbin:/sbin; truncate -s {} '{}' && mkfs.ext4 -q -F -m 0 '{}' && "
                  "mkdir -p '{}' && mount -o {} '{}' '{}'",
                  size, disk->image_, disk->image_, disk->path_, how, disk->image_, disk->path_));
  if (!made) return cannot(made.error().message);
  disk->mounted_ = true;
  std::ofstream(disk->kept_file()) << "synced when the disk was made\n";
  if (Status synced = disk->sync(); !synced) return synced.error();
  return disk;
}

Disk::~Disk() {
  if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  std::error_code ignored;
  fs::remove(image_, ignored);
  fs::remove(copy_, ignored);
  fs::remove(path_, ignored);
  fs::remove(folder_, ignored);
}

Status Disk::sync() {
  const int folder = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_synced = folder >= 0 && ::syncfs(folder) == 0;
  const int why = errno;
  if (folder >= 0) ::close(folder);
  if (is_synced) return Done{};
  return Error{ErrorCode::unavailable,
               fmt::format("the disk {} cannot be synced: {}", path_, std::strerror(why))};
}

// Every process of the machine is looked at: no more is read of a link than that takes.
static bool has_open(const fs::path& process, const std::string& below) {
  const std::unique_ptr<DIR, int (*)(DIR*)> files(::opendir((process / "fd").c_str()), ::closedir);
  if (!files) return false;
  std::string target(below.size(), '\0');
  while (const dirent* file = ::readdir(files.get())) {
    const auto size =
        ::readlinkat(::dirfd(files.get()), file->d_name, target.data(), target.size());
    if (size == static_cast<ssize_t>(below.size()) && target == below) return true;
  }
  return false;
}

// Who goes on living on a disk that is no more would remove files by their names, on the next one.
static Status kill_all_on(const std::string& path) {
  constexpr int tries = 500;
  for (int i = 0; i < tries; ++i) {
    bool is_any = false;
    std::error_code failed;
    for (const auto& process : fs::directory_iterator("/proc", failed)) {
      const int pid = std::atoi(process.path().filename().c_str());
      if (pid <= 0 || pid == ::getpid() || !has_open(process.path(), path + "/")) continue;
      is_any = true;
      ::kill(pid, SIGKILL);
    }
    if (!is_any) return Done{};
    ::poll(nullptr, 0, 10);
  }
  return cannot("processes that have the disk open cannot be killed");
}

Status Disk::lose_power() {
  if (Status dead = kill_all_on(path_); !dead) return dead;
  // The copy is the moment. On a busy machine the kernel may write by itself just then, and half of
  // that is no moment at all: it is one where the disk is the same after the copy as in it. What
  // the kernel writes while the old one goes is nobody's.
  constexpr int tries = 20;
  if (Status copied = run_shell(fmt::format(
          "for try in $(seq {}); do cp --sparse=always '{}' '{}' && cmp -s '{}' '{}' && "
          "exit 0; done; echo 'the kernel does not stop writing to the disk' >&2; exit 1",
          tries, image_, copy_, image_, copy_));
      !copied)
    return copied;
  if (::umount2(path_.c_str(), MNT_DETACH) != 0) return cannot(std::strerror(errno));
  mounted_ = false;
  const Status again = run_shell(
      fmt::format("mv -f '{}' '{}' && mount -o {} '{}' '{}'", copy_, image_, how, image_, path_));
  mounted_ = again.ok();
  ++losses_;
  return again;
}

}  // namespace assay
