#include "harness/run/detail/worker_process.h"

#include <fmt/format.h>

#include "harness/contract/clock.h"

namespace assay::detail {

static constexpr double slice_seconds = 0.2;  // how often a silent one is asked whether it lives
static constexpr double start_seconds = 60;

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const Command& program,
                                                            const WorkerOrder& order,
                                                            const std::string& log_file) {
  ConnectionOptions options;
  options.raw = true;
  options.log_file = log_file;
  auto connection = Connection::open(program, std::move(options));
  if (!connection.ok()) return connection.error();
  std::unique_ptr<WorkerProcess> worker(new WorkerProcess);
  worker->connection_ = std::move(*connection);
  worker->connection_->post(to_json(order));
  worker->listener_ =
      std::jthread([one = worker.get()](std::stop_token stop) { one->listen(stop); });
  RealClock clock;
  const Stopwatch watch;
  while (!worker->works_ && watch.seconds() < start_seconds) {
    if (const auto ended = worker->connection_->broken()) {
      worker->listener_.join();
      const std::string why = worker->cannot_.value_or(ended->message);
      return Error{ErrorCode::unavailable,
                   fmt::format("worker {} does not work: {}", order.worker.name, why)};
    }
    clock.sleep_until(clock.now() + Duration{1}, {});
  }
  if (worker->works_) return worker;
  return Error{ErrorCode::unavailable,
               fmt::format("worker {} said nothing for {} s", order.worker.name, start_seconds)};
}

WorkerProcess::~WorkerProcess() {
  if (listener_.joinable()) {
    listener_.request_stop();
    listener_.join();
  }
}

int WorkerProcess::pid() const { return connection_->process()->pid(); }

std::optional<std::string> WorkerProcess::ending(double wait_seconds) {
  return connection_->ending_of_process(wait_seconds);
}

void WorkerProcess::stop() { connection_->post(stop_working); }

void WorkerProcess::listen(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto line = connection_->next_line(slice_seconds);
    if (!line.ok()) {
      if (connection_->broken()) return;
      continue;
    }
    const std::lock_guard lock(mutex_);
    if (line->starts_with(cannot_work)) cannot_ = line->substr(1);
    if (auto read = stamped_line(*line)) lines_.push_back(std::move(*read));
    works_ = !lines_.empty();
  }
}

std::vector<StampedLine> WorkerProcess::said() {
  if (listener_.joinable()) listener_.join();
  return std::move(lines_);
}

}  // namespace assay::detail
