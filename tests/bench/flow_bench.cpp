// What a chord costs, by driver and by its number of members: to hand it in, and to run each member
// up to the finalizer, which reads all results. The cost of a member should not grow with their
// number. `--members N` (10000) against a tenth of that. Nothing is asserted: machines differ,
// ratios within one run tell.
//   cmake --build build/release --target flow_bench && build/release/tests/bench/flow_bench
#include <mutex>

#include "engine/flows.h"
#include "engine/worker.h"
#include "tests/bench/bed.h"

namespace assay::engine {
namespace {

// Tells when the last one, whose end is the flow's, was settled.
class Finish final : public Observer {
 public:
  explicit Finish(Runtime& runtime) : monitor_(runtime.monitor("finish")) {}
  void see(const Event& event) override {
    const auto* advanced = std::get_if<FlowAdvanced>(&event.what);
    if (!advanced || advanced->path != "r.f") return;
    const std::lock_guard lock(*monitor_);
    is_over_ = true;
    monitor_->notify_all();
  }
  void wait() {
    const std::lock_guard lock(*monitor_);
    while (!is_over_) monitor_->wait_until(std::nullopt);
  }

 private:
  const std::unique_ptr<Monitor> monitor_;
  bool is_over_ = false;
};

struct Cost {
  double submit_us = 0, run_us = 0, finalizer_ms = 0;  // of a member, of a member, of all
};

Cost cost_of(const DriverInfo& info, const std::optional<std::string>& url, int members) {
  const auto runtime = real_runtime();
  bench::Bed bed(info, url, runtime->clock());
  Cost cost;
  {
    const auto flows = std::move(Flows::make(*runtime, bed.driver(), {.queue = "q"})).value();
    std::vector<Flow> parts;
    for (int i = 0; i < members; ++i) parts.push_back(step("t", std::to_string(i)));
    const FlowSubmission submission{chord(parts, {"sum"}), OnFailure::fail_fast, "f"};
    const Stopwatch submitting;
    CHECK(flows->submit(submission).ok());
    cost.submit_us = submitting.seconds() * 1e6 / members;
  }
  Finish finish(*runtime);
  WorkerOptions work;
  work.queues = {"q"};
  work.concurrency = 8;
  work.lease = Duration{120'000};
  work.poll_min = work.poll_max = Duration{5};
  work.observer = &finish;
  work.handlers["t"].run = [](Context& context) -> HandlerResult {
    return Success{context.job().payload};
  };
  work.handlers["sum"].run = [&](Context& context) -> HandlerResult {
    const Stopwatch reading;
    int count = 0;
    InputPage page;
    do {
      page = std::move(context.inputs().page(page.after, 1'000)).value();
      for (const InputView& input : page.inputs) count += input.result ? 1 : 0;
    } while (page.after);
    CHECK(count == members);
    cost.finalizer_ms = reading.seconds() * 1e3;
    return Success{};
  };
  auto worker = std::move(Worker::make(*runtime, bed.driver(), work)).value();
  const Stopwatch running;
  CHECK(worker->start().ok());
  finish.wait();
  cost.run_us = (running.seconds() - cost.finalizer_ms / 1e3) * 1e6 / members;
  return cost;
}

void bench(int members) {
  fmt::print("{:<10}{:>9}{:>16}{:>16}{:>16}\n", "driver", "members", "submit us each",
             "run us each", "results ms");
  bench::for_each_driver({"memory", "sqlite", "postgres", "redis"},
                         [&](const DriverInfo& info, const auto& url) {
                           for (const int count : {members / 10, members}) {
                             const Cost cost = cost_of(info, url, count);
                             fmt::print("{:<10}{:>9}{:>16.0f}{:>16.0f}{:>16.1f}\n", info.name,
                                        count, cost.submit_us, cost.run_us, cost.finalizer_ms);
                             std::fflush(stdout);
                           }
                         });
}

}  // namespace
}  // namespace assay::engine

int main(int argc, char** argv) {
  const bool is_told = argc == 3 && std::string_view(argv[1]) == "--members";
  assay::engine::bench(is_told ? std::atoi(argv[2]) : 10'000);
}
