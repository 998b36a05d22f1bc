// crash_store: every process of the store is killed at once (SIGKILL), and started again on the
// same data when it ends.
#include <signal.h>

#include "faults/all.h"
#include "faults/store/detail/openers.h"
#include "faults/store/detail/store_away.h"
#include "harness/backend/backend.h"

namespace assay::faults {
namespace {

class CrashStore final : public StoreAway {
 public:
  explicit CrashStore(Surroundings& around) : StoreAway(around) {}
  ~CrashStore() override { static_cast<void>(end()); }

 private:
  Result<std::string> stop(Backend& server) override {
    if (const Status crashed = server.crash(); !crashed.ok()) return crashed.error();
    return std::string("every process of the server was killed");
  }
  Result<std::string> stop_openers() override {
    if (const auto ended = end_openers(around_, SIGKILL); !ended.ok()) return ended.error();
    return std::string("every process that had the store open was killed by signal 9");
  }
};

}  // namespace

FaultInfo crash_store() {
  FaultInfo info = store_away(
      "crash_store", "the store's server is killed whole, and started again on its data (SIGKILL)",
      "durability=crash", {"crash of the process", "crashes of the process"});
  info.make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
    return std::make_unique<CrashStore>(around);
  };
  return info;
}

}  // namespace assay::faults
