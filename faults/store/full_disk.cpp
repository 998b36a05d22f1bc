// full_disk: there is no room left where the store's data are. A server that ends over it is
// started again when there is.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "faults/all.h"
#include "harness/backend/backend.h"
#include "harness/backend/disk.h"

namespace assay::faults {
namespace {

// Afterwards not a block is left.
void fill(const std::string& path) {
  constexpr off_t block = 4096, largest = off_t{1} << 30;
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) return;
  off_t at = 0;
  for (off_t size = largest; size >= block;)
    if (::posix_fallocate(file, at, size) == 0)
      at += size;
    else
      size /= 2;
  const std::vector<char> bytes(static_cast<std::size_t>(block), 'x');
  while (::pwrite(file, bytes.data(), bytes.size(), at) > 0) at += block;
  ::close(file);
}

class FullDisk final : public Fault {
 public:
  explicit FullDisk(Surroundings& around) : around_(around) {}
  ~FullDisk() override { static_cast<void>(end()); }

  Status begin() override {
    const auto store = around_.store();
    if (!store.ok()) return store.error();
    const auto disk = around_.disk();
    if (!disk.ok()) return disk.error();
    server_ = *store;
    disk_ = *disk;
    fill(disk_->path() + "/ballast");
    return Done{};
  }

  Result<std::string> proof() override {
    const std::string path = disk_->path() + "/a-write-of-ours";
    const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    const std::vector<char> bytes(1 << 20, 'x');
    const bool is_full =
        (file < 0 || ::write(file, bytes.data(), bytes.size()) < 0) && errno == ENOSPC;
    if (file >= 0) ::close(file);
    ::unlink(path.c_str());
    if (!is_full) return unsupported("there is room on the disk");
    return std::string("a write of ours to the disk failed: no space left on device");
  }

  Status end() override {
    Disk* const disk = std::exchange(disk_, nullptr);
    if (!disk) return Done{};
    std::error_code ignored;
    std::filesystem::remove(disk->path() + "/ballast", ignored);
    if (const Status synced = disk->sync(); !synced.ok()) return synced;
    return server_ ? recover() : Status(Done{});
  }

 private:
  // It may have ended over it, or be about to come back by itself.
  Status recover() {
    constexpr int tries = 300;
    const bool is_redis = server_->name() == "redis";
    for (int i = 0; i < tries; ++i) {
      if (!server_->is_running())
        if (const Status back = server_->restart(); !back.ok()) return back;
      const auto said =
          server_->ask(is_redis ? std::vector<std::string>{"PING"}
                                : std::vector<std::string>{"-XqAt", "-c", "SELECT 1"});
      if (said.ok() && (*said == "PONG\n" || *said == "1\n")) return around_.store_is_back();
      ::poll(nullptr, 0, 100);
    }
    return unsupported("the server did not come back when there was room again");
  }

  Surroundings& around_;
  Backend* server_ = nullptr;
  Disk* disk_ = nullptr;  // while it is full
};

}  // namespace

FaultInfo full_disk() {
  return {.name = "full_disk",
          .family = "store",
          .summary = "there is no room left where the store's data are",
          .needs = "durability=crash",
          .drawn_from = Level::durability,
          .weight = 1,  // a server may take seconds to come back from it
          .needs_disk = true,
          .why_not_here = Disk::why_not_here,
          .make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<FullDisk>(around);
          }};
}

}  // namespace assay::faults
