// restart_store: the store's server is shut down in good order, and started again on the same data
// when it ends: what it had in its memory is lost, what it owed its disk is there.
#include <signal.h>

#include "faults/all.h"
#include "faults/store/detail/openers.h"
#include "faults/store/detail/store_away.h"
#include "harness/backend/backend.h"

namespace assay::faults {
namespace {

class RestartStore final : public StoreAway {
 public:
  explicit RestartStore(Surroundings& around) : StoreAway(around) {}
  ~RestartStore() override { static_cast<void>(end()); }

 private:
  Result<std::string> stop(Backend& server) override {
    if (const Status ended = server.shut_down(); !ended.ok()) return ended.error();
    return std::string("the server was asked to end, and ended with status 0");
  }
  Result<std::string> stop_openers() override {
    const auto ended = end_openers(around_, SIGTERM);
    if (!ended.ok()) return ended.error();
    return "every process that had the store open was asked to end: " + *ended;
  }
};

}  // namespace

FaultInfo restart_store() {
  FaultInfo info =
      store_away("restart_store",
                 "the store's server is shut down in good order, and started again on its data",
                 "durability!=none", {"graceful restart", "graceful restarts"});
  info.make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
    return std::make_unique<RestartStore>(around);
  };
  return info;
}

}  // namespace assay::faults
