// How soon an idle worker begins a job that was just enqueued: through the driver's wake-ups, and
// by polling as it does without them. `--jobs N` (400), one after the other. Nothing is asserted:
// machines differ, ratios within one run tell.
//   cmake --build build/release --target wakeups_bench && build/release/tests/bench/wakeups_bench
#include <algorithm>
#include <mutex>

#include "engine/client.h"
#include "engine/driver_wakeups.h"
#include "engine/worker.h"
#include "tests/bench/bed.h"

namespace assay::engine {
namespace {

struct Latencies {
  double p50_ms = 0, p99_ms = 0, worst_ms = 0;
};

Latencies of(std::vector<double> ms) {
  std::ranges::sort(ms);
  const auto at = [&](double share) {
    return ms[std::min(ms.size() - 1, static_cast<std::size_t>(share * ms.size()))];
  };
  return {at(0.5), at(0.99), ms.back()};
}

Latencies measure(const DriverInfo& info, const std::optional<std::string>& url, int jobs,
                  bool by_wakeups) {
  const auto runtime = real_runtime();
  bench::Bed bed(info, url, runtime->clock());
  std::unique_ptr<DriverWakeUps> wakeups;
  if (by_wakeups)
    wakeups = std::move(DriverWakeUps::make(bed.driver(), {"q"}, runtime->clock())).value();

  const auto monitor = runtime->monitor("begun");
  const Stopwatch watch;
  std::optional<double> began;
  WorkerOptions work;
  work.queues = {"q"};
  work.concurrency = 4;
  work.wakeups = wakeups.get();
  work.handlers["t"].run = [&](Context&) -> HandlerResult {
    const std::lock_guard lock(*monitor);
    began = watch.seconds();
    monitor->notify_all();
    return Success{};
  };
  const auto worker = std::move(Worker::make(*runtime, bed.driver(), work)).value();
  CHECK(worker->start().ok());
  const auto client =
      std::move(Client::make(*runtime, bed.driver(), {.queue = "q", .seed = 7})).value();
  std::vector<double> ms;
  for (int i = 0; i < jobs; ++i) {
    // Everybody is idle again, and not at the same point of a poll's rhythm each time.
    runtime->clock().sleep_until(runtime->clock().now() + Duration{20 + i % 17}, {});
    const double sent = watch.seconds();
    CHECK(client->submit({.type = "t"}).ok());
    const std::lock_guard lock(*monitor);
    while (!began) monitor->wait_until(std::nullopt);
    ms.push_back((*began - sent) * 1e3);
    began.reset();
  }
  return of(std::move(ms));
}

void bench(int jobs) {
  fmt::print("{:<10}{:<10}{:>10}{:>10}{:>10}\n", "driver", "by", "p50 ms", "p99 ms", "worst");
  bench::for_each_driver({"memory", "sqlite", "postgres", "redis"}, [&](const DriverInfo& info,
                                                                        const auto& url) {
    for (const bool by_wakeups : {true, false}) {
      const Latencies found = measure(info, url, by_wakeups ? jobs : jobs / 4, by_wakeups);
      fmt::print("{:<10}{:<10}{:>10.2f}{:>10.2f}{:>10.2f}\n", info.name,
                 by_wakeups ? "wake-ups" : "polling", found.p50_ms, found.p99_ms, found.worst_ms);
      std::fflush(stdout);
    }
  });
}

}  // namespace
}  // namespace assay::engine

int main(int argc, char** argv) {
  const bool is_told = argc == 3 && std::string_view(argv[1]) == "--jobs";
  assay::engine::bench(is_told ? std::atoi(argv[2]) : 400);
}
