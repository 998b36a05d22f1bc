// stop_worker: a client is asked to end (SIGTERM), and does, with whatever it does at its end.
#include <signal.h>

#include "faults/all.h"
#include "faults/worker/detail/processes.h"

namespace assay::faults {
namespace {

class StopWorker final : public Fault {
 public:
  StopWorker(int client, Surroundings& around) : client_(client), around_(around) {}

  Status begin() override {
    auto ended = end_process(around_, client_, SIGTERM);
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

FaultInfo stop_worker() {
  return {.name = "stop_worker",
          .family = "worker",
          .summary = "a client is asked to end, and does (SIGTERM)",
          .effect = FaultEffect::client_died,
          .is_brief = true,
          .make = [](const FaultSpec&, int client, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<StopWorker>(client, around);
          }};
}

}  // namespace assay::faults
