// WorkerProcess: a worker of an engine in a process of its own, from its start to its end, and all
// that it said.
//
// Thread-safe, but that `said` comes last. Going, it takes the process with it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/contract/session.h"
#include "harness/remote/connection.h"
#include "harness/run/worker_order.h"

namespace assay::detail {

class WorkerProcess final : public ClientProcess {
 public:
  // Comes back when it has said that it works; an error where it does not.
  static Result<std::unique_ptr<WorkerProcess>> start(const Command& program,
                                                      const WorkerOrder& order,
                                                      const std::string& log_file);
  ~WorkerProcess() override;

  int pid() const override;
  std::optional<std::string> ending(double wait_seconds) override;

  void stop();  // in good order; it takes its time
  // All lines, once the process has ended; what it said last may have been cut off with it.
  std::vector<StampedLine> said();

 private:
  WorkerProcess() = default;
  void listen(const std::stop_token& stop);

  std::unique_ptr<Connection> connection_;
  std::mutex mutex_;  // of the two that follow
  std::vector<StampedLine> lines_;
  std::optional<std::string> cannot_;
  std::atomic<bool> works_ = false;
  std::jthread listener_;
};

}  // namespace assay::detail
