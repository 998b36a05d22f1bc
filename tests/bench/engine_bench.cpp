// What the engine itself costs: jobs a second through a worker whose handler does nothing, by
// driver, slots and grouped acks. `--jobs N` (20000). Nothing is asserted: machines differ, ratios
// within one run tell.
//   cmake --build build/release --target engine_bench && build/release/tests/bench/engine_bench
#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <mutex>

#include "drivers/all.h"
#include "engine/handlers/echo.h"
#include "engine/worker.h"

namespace assay::engine {
namespace {

// Tells when so many were settled.
class Finish final : public Observer {
 public:
  Finish(Runtime& runtime, int jobs) : monitor_(runtime.monitor("finish")), left_(jobs) {}
  void see(const Event& event) override {
    if (!std::holds_alternative<SettleAnswered>(event.what)) return;
    const std::lock_guard lock(*monitor_);
    if (--left_ == 0) monitor_->notify_all();
  }
  void wait() {
    const std::lock_guard lock(*monitor_);
    while (left_ > 0) monitor_->wait_until(std::nullopt);
  }

 private:
  const std::unique_ptr<Monitor> monitor_;
  int left_;
};

void enqueue(Driver& driver, Instant now, int jobs) {
  const auto session = std::move(driver.open({"producer", Role::producer})).value();
  std::vector<Enqueue> batch;
  for (int i = 0; i < jobs; ++i) {
    NewJob job;
    job.queue = "q";
    job.type = "echo";
    batch.push_back({job});
    if (batch.size() < 1000 && i + 1 < jobs) continue;
    for (const auto& answer : session->enqueue_all(now, batch)) CHECK(answer.ok());
    batch.clear();
  }
}

double jobs_a_second(const DriverInfo& info, int jobs, int slots, bool grouped) {
  const auto runtime = real_runtime();
  char folder[] = "/tmp/engine_bench.XXXXXX";
  CHECK(::mkdtemp(folder));
  DriverOptions options{*built_in_profile("reference"), runtime->clock()};
  options.scratch = folder;
  auto driver = std::move(info.make(options)).value();
  CHECK(driver->setup({"bench"}).ok());
  enqueue(*driver, runtime->clock().now(), jobs);
  Finish finish(*runtime, jobs);
  WorkerOptions work;
  work.queues = {"q"};
  work.handlers["echo"].run = handlers::echo();
  work.concurrency = slots;
  work.group_acks = grouped;
  work.observer = &finish;
  auto worker = std::move(Worker::make(*runtime, *driver, work)).value();
  const Stopwatch watch;
  CHECK(worker->start().ok());
  finish.wait();
  const double seconds = watch.seconds();
  worker.reset();
  CHECK(driver->teardown().ok());
  driver.reset();
  std::filesystem::remove_all(folder);
  return jobs / seconds;
}

}  // namespace
}  // namespace assay::engine

int main(int argc, char** argv) {
  const int jobs = argc == 3 && std::string_view(argv[1]) == "--jobs" ? std::atoi(argv[2]) : 20'000;
  fmt::print("{:<10}{:>6}{:>14}{:>14}\n", "driver", "slots", "jobs/s", "grouped");
  for (const assay::DriverInfo& info : assay::all_drivers())
    if (info.name == "memory" || info.name == "sqlite")
      for (const int slots : {1, 4, 16, 64})
        fmt::print("{:<10}{:>6}{:>14.0f}{:>14.0f}\n", info.name, slots,
                   assay::engine::jobs_a_second(info, jobs, slots, false),
                   assay::engine::jobs_a_second(info, jobs, slots, true));
}
