// kill_worker: a client dies at once, with all that it held (SIGKILL).
#include <signal.h>

#include "faults/all.h"
#include "faults/worker/detail/processes.h"

namespace assay::faults {
namespace {

class KillWorker final : public Fault {
 public:
  KillWorker(int client, Surroundings& around) : client_(client), around_(around) {}

  Status begin() override {
    auto ended = end_process(around_, client_, SIGKILL);
    if (!ended.ok()) return ended.error();
    ending_ = std::move(*ended);
    return Done{};
  }
  Result<std::string> proof() override { return ending_; }
  Status end() override { return Done{}; }

 private:
  const int client_;
  Surroundings& around_;
  std::string ending_;
};

}  // namespace

FaultInfo kill_worker() {
  return {.name = "kill_worker",
          .family = "worker",
          .summary = "a client dies at once, with all that it held (SIGKILL)",
          .effect = FaultEffect::client_died,
          .is_brief = true,
          .make = [](const FaultSpec&, int client, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<KillWorker>(client, around);
          }};
}

}  // namespace assay::faults
