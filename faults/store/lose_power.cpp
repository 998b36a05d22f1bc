// lose_power: every process of the store is killed, and what was not synced to the disk by then is
// gone.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "faults/all.h"
#include "faults/store/detail/openers.h"
#include "faults/store/detail/store_away.h"
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

class LosePower final : public StoreAway {
 public:
  explicit LosePower(Surroundings& around) : StoreAway(around) {}
  ~LosePower() override { static_cast<void>(end()); }

 private:
  Result<std::string> stop(Backend& server) override {
    const auto disk = around_.disk();
    if (!disk.ok()) return disk.error();
    if (const Status crashed = server.crash(); !crashed.ok()) return crashed.error();
    return fail_power(**disk);
  }

  Result<std::string> stop_openers() override {
    const auto disk = around_.disk();
    if (!disk.ok()) return disk.error();
    Result<std::string> lost = unsupported("the power was never lost");
    const auto ended = end_openers(around_, SIGKILL, [&] {
      lost = fail_power(**disk);
      return lost.ok() ? Status(Done{}) : Status(lost.error());
    });
    return ended.ok() ? lost : ended;
  }

  // Nobody who could sync anything is left.
  static Result<std::string> fail_power(Disk& disk) {
    const Witness witness(disk);
    if (const Status written = witness.write(); !written.ok()) return written.error();
    if (const Status lost = disk.lose_power(); !lost.ok()) return lost.error();
    return witness.looked_at();
  }
};

}  // namespace

FaultInfo lose_power() {
  FaultInfo info =
      store_away("lose_power", "the store is killed, and what was not synced to its disk is gone",
                 "durability=crash", {"loss of power", "losses of power"});
  info.needs_disk = true;
  info.why_not_here = Disk::why_not_here;
  info.make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
    return std::make_unique<LosePower>(around);
  };
  return info;
}

}  // namespace assay::faults
