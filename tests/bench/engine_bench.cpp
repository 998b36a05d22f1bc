// What the engine itself costs: jobs a second through a worker whose handler does nothing, beside
// as many clients of the bare driver that reserve and ack, by driver and slots, in turns.
// `--jobs N` (20000) a turn. With `--flat N` (1000000) so many go through memory and Postgres, and
// the cost of a job is told for each tenth of them. Nothing is asserted: machines differ, ratios
// within one run tell.
//   cmake --build build/release --target engine_bench && build/release/tests/bench/engine_bench
#include <algorithm>
#include <mutex>
#include <thread>

#include "engine/handlers/echo.h"
#include "engine/worker.h"
#include "tests/bench/bed.h"

namespace assay::engine {
namespace {

// Notes when each tenth of so many was settled, and tells when all were.
class Finish final : public Observer {
 public:
  Finish(Runtime& runtime, int jobs)
      : monitor_(runtime.monitor("finish")), jobs_(jobs), left_(jobs) {}
  void see(const Event& event) override {
    if (!std::holds_alternative<SettleAnswered>(event.what)) return;
    const std::lock_guard lock(*monitor_);
    --left_;
    if (left_ % std::max(1, jobs_ / 10) == 0) tenths_.push_back(watch_.seconds());
    if (left_ == 0) monitor_->notify_all();
  }
  void wait() {
    const std::lock_guard lock(*monitor_);
    while (left_ > 0) monitor_->wait_until(std::nullopt);
  }
  const std::vector<double>& tenths() const { return tenths_; }

 private:
  const std::unique_ptr<Monitor> monitor_;
  const Stopwatch watch_;
  const int jobs_;
  int left_;
  std::vector<double> tenths_;
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

// Each client until it finds nothing.
double bare(const DriverInfo& info, const std::optional<std::string>& url, int jobs, int clients) {
  const auto runtime = real_runtime();
  bench::Bed bed(info, url, runtime->clock());
  enqueue(bed.driver(), runtime->clock().now(), jobs);
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < clients; ++i)
    sessions.push_back(std::move(bed.driver().open({fmt::format("w{}", i), Role::worker})).value());
  const Stopwatch watch;
  {
    std::vector<std::jthread> threads;
    for (const auto& session : sessions)
      threads.emplace_back([&] {
        Clock& clock = runtime->clock();
        for (;;) {
          const auto got = session->reserve(clock.now(), {{"q"}, Duration{30'000}, "w"});
          CHECK(got.ok());
          if (got->claims.empty()) return;
          const Claim& claim = got->claims.front();
          CHECK(session->ack(clock.now(), {{claim.job.id, claim.token, claim.attempt}}).ok());
        }
      });
  }
  return jobs / watch.seconds();
}

double engine(const DriverInfo& info, const std::optional<std::string>& url, int jobs, int slots,
              bool grouped, std::vector<double>* tenths = nullptr) {
  const auto runtime = real_runtime();
  bench::Bed bed(info, url, runtime->clock());
  enqueue(bed.driver(), runtime->clock().now(), jobs);
  Finish finish(*runtime, jobs);
  WorkerOptions work;
  work.queues = {"q"};
  work.handlers["echo"].run = handlers::echo();
  work.concurrency = slots;
  work.group_acks = grouped;
  work.observer = &finish;
  auto worker = std::move(Worker::make(*runtime, bed.driver(), work)).value();
  const Stopwatch watch;
  CHECK(worker->start().ok());
  finish.wait();
  const double seconds = watch.seconds();
  worker.reset();
  if (tenths) *tenths = finish.tenths();
  return jobs / seconds;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void overhead(int jobs) {
  fmt::print("{:<10}{:>6}{:>12}{:>12}{:>12}{:>10}\n", "driver", "slots", "bare/s", "engine/s",
             "grouped/s", "share");
  bench::for_each_driver(
      {"memory", "sqlite", "postgres", "redis"}, [&](const DriverInfo& info, const auto& url) {
        for (const int slots : {1, 8, 32}) {
          std::vector<double> alone, with, grouped, share;
          for (int turn = 0; turn < 5; ++turn) {
            alone.push_back(bare(info, url, jobs, slots));
            with.push_back(engine(info, url, jobs, slots, false));
            grouped.push_back(engine(info, url, jobs, slots, true));
            share.push_back(std::max(with.back(), grouped.back()) / alone.back());
          }
          fmt::print("{:<10}{:>6}{:>12.0f}{:>12.0f}{:>12.0f}{:>10.2f}\n", info.name, slots,
                     median(alone), median(with), median(grouped), median(share));
          std::fflush(stdout);
        }
      });
}

void flat(int jobs) {
  bench::for_each_driver({"memory", "postgres"}, [&](const DriverInfo& info, const auto& url) {
    std::vector<double> tenths;
    engine(info, url, jobs, 8, false, &tenths);
    fmt::print("{:<10}{} jobs, us each by tenth:", info.name, jobs);
    for (std::size_t i = 0; i < tenths.size(); ++i)
      fmt::print(" {:.1f}", (tenths[i] - (i == 0 ? 0 : tenths[i - 1])) * 1e7 / jobs);
    fmt::print("\n");
    std::fflush(stdout);
  });
}

}  // namespace
}  // namespace assay::engine

int main(int argc, char** argv) {
  const auto told = [&](std::string_view option, int usual) {
    for (int i = 1; i + 1 < argc; ++i)
      if (argv[i] == option) return std::atoi(argv[i + 1]);
    return usual;
  };
  if (argc > 1 && std::string_view(argv[1]) == "--flat")
    assay::engine::flat(told("--flat", 1'000'000));
  else
    assay::engine::overhead(told("--jobs", 20'000));
}
