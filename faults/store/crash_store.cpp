// crash_store: every process of the store is killed at once (SIGKILL), and started again on the
// same data when it ends. Where the store is a file, its processes are its clients.
#include <signal.h>

#include "faults/all.h"
#include "faults/worker/detail/processes.h"
#include "harness/backend/backend.h"

namespace assay::faults {
namespace {

class CrashStore final : public Fault {
 public:
  explicit CrashStore(Surroundings& around) : around_(around) {}
  ~CrashStore() override { static_cast<void>(end()); }

  Status begin() override {
    if (Backend* store = around_.store()) {
      is_away_ = true;
      proof_ = "every process of the server was killed";
      return store->crash();
    }
    for (int client = 0; client < around_.clients(); ++client) {
      const auto process = around_.process_of(client);
      if (!process.ok()) return process.error();
      if (!*process)
        return unsupported(
            "the store has no server that we started, and its clients no processes of their own: "
            "there is nothing to be killed");
    }
    for (int client = 0; client < around_.clients(); ++client)
      if (const auto ended = end_process(around_, client, SIGKILL); !ended.ok())
        return ended.error();
    proof_ = "every process that had the store open was killed by signal 9";
    return Done{};
  }

  Result<std::string> proof() override { return proof_; }

  Status end() override {
    if (!std::exchange(is_away_, false)) return Done{};
    if (const Status back = around_.store()->restart(); !back.ok()) return back;
    return around_.store_is_back();
  }

 private:
  Surroundings& around_;
  std::string proof_;
  bool is_away_ = false;
};

}  // namespace

FaultInfo crash_store() {
  return {.name = "crash_store",
          .family = "store",
          .summary = "the store's server is killed whole, and started again on its data (SIGKILL)",
          .effect = FaultEffect::store_away,
          .make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<CrashStore>(around);
          }};
}

}  // namespace assay::faults
