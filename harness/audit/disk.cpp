#include "harness/audit/detail/disk.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "harness/audit/detail/command.h"

namespace assay::detail {

static constexpr const char* size = "600M";  // sparse; room for a Postgres and its log

// The kernel must not write by itself, neither after a while nor when a file is replaced.
static constexpr const char* how = "loop,commit=3000,noauto_da_alloc,noatime";

static Error cannot(std::string_view why) {
  return {ErrorCode::unavailable, fmt::format("a loss of power cannot be staged here: {}", why)};
}

Disk::Disk(const std::string& folder)
    : image_(folder + "/disk.image"), copy_(folder + "/disk.copy"), path_(folder + "/disk") {}

Result<std::unique_ptr<Disk>> Disk::make(const std::string& folder) {
  if (::geteuid() != 0) return cannot("it takes root, to mount a disk of its own");
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return cannot(std::strerror(errno));
  std::unique_ptr<Disk> disk(new Disk(folder));
  // A server of another account must get through.
  std::error_code ignored;
  std::filesystem::permissions(
      folder, std::filesystem::perms::group_exec | std::filesystem::perms::others_exec,
      std::filesystem::perm_options::add, ignored);
  const Status made = run_shell(
      fmt::format("truncate -s {} '{}' && mkfs.ext4 -q -F -m 0 '{}' && mkdir -p '{}' && "
                  "mount -o {} '{}' '{}'",
                  size, disk->image_, disk->image_, disk->path_, how, disk->image_, disk->path_));
  if (!made) return cannot(made.error().message);
  disk->mounted_ = true;
  return disk;
}

Disk::~Disk() {
  if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  std::error_code ignored;
  std::filesystem::remove(image_, ignored);
  std::filesystem::remove(copy_, ignored);
  std::filesystem::remove(path_, ignored);
}

Status Disk::sync() { return run_shell(fmt::format("sync -f '{}'", path_)); }

Status Disk::lose_power() {
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
  return again;
}

}  // namespace assay::detail
