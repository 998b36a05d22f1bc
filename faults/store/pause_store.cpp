// pause_store: every process of the store's server stands still for as long as it lasts, and goes on
// where it stood.
#include "faults/all.h"
#include "harness/backend/backend.h"

namespace assay::faults {
namespace {

class PauseStore final : public Fault {
 public:
  explicit PauseStore(Surroundings& around) : around_(around) {}
  ~PauseStore() override { static_cast<void>(end()); }

  Status begin() override {
    if (!around_.store()) return unsupported("the store has no server that we started");
    is_on_ = true;
    return around_.store()->pause();
  }

  Result<std::string> proof() override {
    return std::string("every process of the server is stopped");
  }

  Status end() override {
    if (!std::exchange(is_on_, false)) return Done{};
    return around_.store()->go_on();
  }

 private:
  Surroundings& around_;
  bool is_on_ = false;
};

}  // namespace

FaultInfo pause_store() {
  return {.name = "pause_store",
          .family = "store",
          .summary = "the store's server stands still, and goes on (SIGSTOP, SIGCONT)",
          .needs = "shared_storage",
          .make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<PauseStore>(around);
          }};
}

}  // namespace assay::faults
