// pause_store: every process of the store's server stands still for as long as it lasts, and goes
// on where it stood. Where the store is a file, its processes are its clients.
#include <signal.h>

#include <vector>

#include "faults/all.h"
#include "faults/worker/detail/processes.h"
#include "harness/backend/backend.h"

namespace assay::faults {
namespace {

class PauseStore final : public Fault {
 public:
  explicit PauseStore(Surroundings& around) : around_(around) {}
  ~PauseStore() override { static_cast<void>(end()); }

  Status begin() override {
    const auto store = around_.store();
    if (!store.ok()) return store.error();
    is_on_ = true;
    if ((server_ = *store)) return server_->pause();
    for (int client = 0; client < around_.clients(); ++client) {
      const auto process = around_.process_of(client);
      if (!process.ok()) return process.error();
      if (!*process)
        return unsupported(
            "the store has no server that we started, and its clients no processes of their own: "
            "there is nothing to be stopped");
      stopped_.push_back((*process)->pid());
    }
    // All are there before the first stops: one that is started might wait for it.
    for (const int pid : stopped_) ::kill(pid, SIGSTOP);
    return Done{};
  }

  Result<std::string> proof() override {
    if (server_) return std::string("every process of the server is stopped");
    for (const int pid : stopped_)
      if (!comes_to_a_stop(pid))
        return Error{ErrorCode::unavailable,
                     "a process that has the store open was stopped and goes on"};
    return std::string("every process that has the store open is stopped");
  }

  Status end() override {
    if (!std::exchange(is_on_, false)) return Done{};
    if (server_) return server_->go_on();
    for (const int pid : stopped_) ::kill(pid, SIGCONT);
    return Done{};
  }

 private:
  Surroundings& around_;
  Backend* server_ = nullptr;
  std::vector<int> stopped_;
  bool is_on_ = false;
};

}  // namespace

FaultInfo pause_store() {
  return {.name = "pause_store",
          .family = "store",
          .summary = "the store's server stands still, and goes on (SIGSTOP, SIGCONT)",
          .needs = "shared_storage",
          .many_at_once = true,
          .make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<PauseStore>(around);
          }};
}

}  // namespace assay::faults
