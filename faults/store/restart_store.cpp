// restart_store: the store's server is shut down in good order, and started again on the same data
// when it ends: what it had in its memory is lost, what it owed its disk is there. Where the store
// is a file, its processes are its clients (SIGTERM).
#include <signal.h>

#include "faults/all.h"
#include "faults/store/detail/openers.h"
#include "harness/backend/backend.h"

namespace assay::faults {
namespace {

class RestartStore final : public Fault {
 public:
  explicit RestartStore(Surroundings& around) : around_(around) {}
  ~RestartStore() override { static_cast<void>(end()); }

  Status begin() override {
    const auto store = around_.store();
    if (!store.ok()) return store.error();
    if (!*store) {
      const auto ended = end_openers(around_, SIGTERM);
      if (!ended.ok()) return ended.error();
      proof_ = "every process that had the store open was asked to end: " + *ended;
      return Done{};
    }
    server_ = *store;
    if (const Status ended = server_->shut_down(); !ended.ok()) return ended;
    proof_ = "the server was asked to end, and ended with status 0";
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

FaultInfo restart_store() {
  return {.name = "restart_store",
          .family = "store",
          .summary = "the store's server is shut down in good order, and started again on its data",
          .effect = FaultEffect::store_away,
          .needs = "durability!=none",
          .drawn_from = Level::durability,
          .outage = Outage{"graceful restart", "graceful restarts"},
          .make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<RestartStore>(around);
          }};
}

}  // namespace assay::faults
