// lose_power: every process of the store is killed, and what was not synced to the disk by then is
// gone. Where the store is a file, its processes are its clients.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "faults/all.h"
#include "faults/store/detail/openers.h"
#include "harness/backend/backend.h"
#include "harness/backend/disk.h"

namespace assay::faults {
namespace {

namespace fs = std::filesystem;

// A file of ours that is written just before and not synced: what becomes of it is what becomes of
// the store's. (To sync another one then would be to sync what the store did to its names, too.)
class Witness {
 public:
  explicit Witness(const Disk& disk) : kept_(disk.kept_file()), lost_(disk.path() + "/unsynced") {}

  Status write() const {
    constexpr std::string_view text = "written just before the power failed";
    const int file = ::open(lost_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    const bool is_written =
        file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (file >= 0) ::close(file);
    return is_written ? Status(Done{}) : Status(unsupported("nothing can be written to the disk"));
  }

  // That a disk keeps a name and forgets what was in it, is a loss as well.
  Result<std::string> looked_at() const {
    const bool is_lost = size_of(lost_) == 0;
    std::error_code ignored;
    fs::remove(lost_, ignored);
    if (size_of(kept_) == 0) return unsupported("what was synced to the disk is gone as well");
    if (!is_lost) return unsupported("what was not synced to the disk just before is still there");
    return std::string("a file that was not synced to the disk is gone, one that was is there");
  }

 private:
  static std::uintmax_t size_of(const std::string& path) {
    std::error_code missing;
    const auto size = fs::file_size(path, missing);
    return missing ? 0 : size;
  }

  std::string kept_, lost_;
};

class LosePower final : public Fault {
 public:
  explicit LosePower(Surroundings& around) : around_(around) {}
  ~LosePower() override { static_cast<void>(end()); }

  Status begin() override {
    const auto store = around_.store();
    if (!store.ok()) return store.error();
    const auto disk = around_.disk();
    if (!disk.ok()) return disk.error();
    disk_ = *disk;
    if (!*store) {
      const auto ended = end_openers(around_, SIGKILL, [this] { return fail_power(); });
      return ended.ok() ? Status(Done{}) : Status(ended.error());
    }
    server_ = *store;
    if (const Status crashed = server_->crash(); !crashed.ok()) return crashed;
    return fail_power();
  }

  Result<std::string> proof() override { return proof_; }

  Status end() override {
    Backend* const server = std::exchange(server_, nullptr);
    if (!server) return Done{};
    if (const Status back = server->restart(); !back.ok()) return back;
    return around_.store_is_back();
  }

 private:
  // Nobody who could sync anything is left.
  Status fail_power() {
    const Witness witness(*disk_);
    if (const Status written = witness.write(); !written.ok()) return written;
    if (const Status lost = disk_->lose_power(); !lost.ok()) return lost;
    proof_ = witness.looked_at();
    return Done{};
  }

  Surroundings& around_;
  Disk* disk_ = nullptr;
  Backend* server_ = nullptr;  // while it is away
  Result<std::string> proof_ = unsupported("the power was never lost");
};

}  // namespace

FaultInfo lose_power() {
  return {.name = "lose_power",
          .family = "store",
          .summary = "the store is killed, and what was not synced to its disk is gone",
          .effect = FaultEffect::store_away,
          .needs = "durability=crash",
          .drawn_from = Level::durability,
          .outage = Outage{"loss of power", "losses of power"},
          .needs_disk = true,
          .why_not_here = Disk::why_not_here,
          .make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<LosePower>(around);
          }};
}

}  // namespace assay::faults
