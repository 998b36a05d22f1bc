// pause_worker: a client stands still for as long as it lasts (SIGSTOP), and goes on as if nothing
// had happened (SIGCONT): the zombie that comes back.
#include <fmt/format.h>
#include <signal.h>

#include <cerrno>
#include <cstring>

#include "faults/all.h"
#include "faults/worker/detail/processes.h"

namespace assay::faults {
namespace {

class PauseWorker final : public Fault {
 public:
  PauseWorker(int client, Surroundings& around) : client_(client), around_(around) {}
  ~PauseWorker() override { static_cast<void>(end()); }

  Status begin() override {
    const auto process = around_.process_of(client_);
    if (!process.ok()) return process.error();
    around_.stall(client_, true);
    is_on_ = true;
    if (!*process) return Done{};
    pid_ = (*process)->pid();
    if (::kill(pid_, SIGSTOP) != 0)
      return Error{ErrorCode::unavailable,
                   fmt::format("its process cannot be stopped: {}", std::strerror(errno))};
    return Done{};
  }

  Result<std::string> proof() override {
    if (pid_ < 0) return std::string("it makes no step: it has no process of its own");
    if (!comes_to_a_stop(pid_))
      return Error{ErrorCode::unavailable,
                   fmt::format("its process was stopped, and is seen in state {}", state_of(pid_))};
    return std::string("its process is stopped");
  }

  Status end() override {
    if (!std::exchange(is_on_, false)) return Done{};
    around_.stall(client_, false);
    if (pid_ >= 0 && ::kill(pid_, SIGCONT) != 0 && errno != ESRCH)
      return Error{ErrorCode::unavailable,
                   fmt::format("its process cannot be let go: {}", std::strerror(errno))};
    return Done{};
  }

 private:
  const int client_;
  Surroundings& around_;
  int pid_ = -1;
  bool is_on_ = false;
};

}  // namespace

FaultInfo pause_worker() {
  return {.name = "pause_worker",
          .family = "worker",
          .summary =
              "a client stands still for a while, and goes on as if nothing had happened "
              "(SIGSTOP, SIGCONT)",
          .effect = FaultEffect::client_stalled,
          .make = [](const FaultSpec&, int client, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<PauseWorker>(client, around);
          }};
}

}  // namespace assay::faults
