// crash_store: every process of the store is killed at once (SIGKILL), and started again on the
// same data when it ends. Where the store is a file, its processes are its clients.
#include <signal.h>

#include "faults/all.h"
#include "faults/store/detail/openers.h"
#include "harness/backend/backend.h"

namespace assay::faults {
namespace {

class CrashStore final : public Fault {
 public:
  explicit CrashStore(Surroundings& around) : around_(around) {}
  ~CrashStore() override { static_cast<void>(end()); }

  Status begin() override {
    const auto store = around_.store();
    if (!store.ok()) return store.error();
    if ((server_ = *store)) {
      proof_ = "every process of the server was killed";
      return server_->crash();
    }
    if (const auto ended = end_openers(around_, SIGKILL); !ended.ok()) return ended.error();
    proof_ = "every process that had the store open was killed by signal 9";
    return Done{};
  }

  Result<std::string> proof() override { return proof_; }

  Status end() override {
    Backend* const server = std::exchange(server_, nullptr);
    if (!server) return Done{};
    if (const Status back = server->restart(); !back.ok()) return back;
    return around_.store_is_back();
  }

 private:
  Surroundings& around_;
  std::string proof_;
  Backend* server_ = nullptr;  // while it is away
};

}  // namespace

FaultInfo crash_store() {
  return {.name = "crash_store",
          .family = "store",
          .summary = "the store's server is killed whole, and started again on its data (SIGKILL)",
          .effect = FaultEffect::store_away,
          .needs = "durability=crash",
          .drawn_from = Level::durability,
          .outage = Outage{"crash of the process", "crashes of the process"},
          .make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<CrashStore>(around);
          }};
}

}  // namespace assay::faults
