// The same engine on threads of the machine.
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <set>

#include "drivers/all.h"
#include "engine/client.h"
#include "engine/driver_wakeups.h"
#include "engine/handlers/flaky.h"
#include "engine/worker.h"
#include "tests/engine/shop.h"

namespace assay::engine {
namespace {

class Counting final : public Observer {
 public:
  void see(const Event& event) override {
    if (std::holds_alternative<HandlerBegan>(event.what)) ++began[event.delivery.job_id];
    if (const auto* answered = std::get_if<SettleAnswered>(&event.what))
      if (answered->error) errors.push_back(told(event));
  }
  std::map<JobId, int> began;
  std::vector<std::string> errors;
};

class RealThreads : public testing::TestWithParam<const char*> {
 protected:
  RealThreads() {
    std::filesystem::create_directories(scratch);
    DriverOptions options{*built_in_profile("reference"), runtime->clock()};
    options.scratch = scratch;
    for (const DriverInfo& info : all_drivers())
      if (info.name == GetParam()) driver = std::move(info.make(options)).value();
    EXPECT_TRUE(driver->setup({"n"}).ok());
  }
  ~RealThreads() override {
    EXPECT_TRUE(driver->teardown().ok());
    driver.reset();
    std::filesystem::remove_all(scratch);
  }

  bool all_end(const std::vector<JobId>& ids, Duration at_most) {
    const auto eye = std::move(driver->open({"eye", Role::admin})).value();
    const Instant deadline = now() + at_most;
    for (; now() < deadline; runtime->clock().sleep_until(now() + 5ms, {})) {
      const bool all = std::ranges::all_of(ids, [&](const JobId& id) {
        const auto seen = eye->get(now(), {id});
        return seen.ok() && is_terminal(seen->job.state);
      });
      if (all) return true;
    }
    return false;
  }
  Instant now() { return runtime->clock().now(); }

  const std::string scratch =
      std::filesystem::temp_directory_path() / ("engine-" + std::to_string(::getpid()));
  std::unique_ptr<Runtime> runtime = real_runtime();
  std::unique_ptr<Driver> driver;
};

INSTANTIATE_TEST_SUITE_P(Drivers, RealThreads, testing::Values("memory", "sqlite"),
                         [](const auto& info) { return info.param; });

TEST_P(RealThreads, RunEveryJobToItsEnd) {
  Counting seen;
  WorkerOptions options;
  options.queues = {"default", "mail"};
  options.handlers["t"].run = handlers::flaky(3, 30);
  options.handlers["t"].policy = RetryPolicy{.base = 1ms, .cap = 5ms, .runs = 12};
  options.concurrency = 4;
  options.group_acks = true;
  options.poll_min = options.poll_max = 5ms;
  options.observer = &seen;
  auto worker = std::move(Worker::make(*runtime, *driver, options)).value();
  ASSERT_TRUE(worker->start().ok());
  const auto client = std::move(Client::make(*runtime, *driver, {})).value();
  std::vector<JobId> ids;
  for (int i = 0; i < 100; ++i) {
    Submission job;
    job.type = "t";
    if (i % 2) job.queue = "mail";
    ids.push_back(client->submit(job)->id);
  }
  EXPECT_TRUE(all_end(ids, 60s));
  EXPECT_TRUE(worker->shutdown().did_not_return.empty());
  EXPECT_EQ(seen.errors, std::vector<std::string>{});
  EXPECT_EQ(seen.began.size(), ids.size());
  const auto eye = std::move(driver->open({"eye", Role::admin})).value();
  for (const JobId& id : ids) EXPECT_EQ(eye->get(now(), {id})->job.state, JobState::done);
}

// Between two polls lies an hour: only a wake-up brings the worker to its job.
TEST_P(RealThreads, AreWokenByTheDriver) {
  WorkerOptions options;
  options.queues = {"default"};
  options.handlers["t"].run = handlers::flaky(3, 0);
  options.poll_min = options.poll_max = 3'600'000ms;
  auto wakeups = DriverWakeUps::make(*driver, options.queues, runtime->clock());
  ASSERT_TRUE(wakeups.ok()) << wakeups.error().message;
  options.wakeups = wakeups->get();
  Counting seen;
  options.observer = &seen;
  auto worker = std::move(Worker::make(*runtime, *driver, options)).value();
  ASSERT_TRUE(worker->start().ok());
  const auto client = std::move(Client::make(*runtime, *driver, {})).value();
  for (int i = 0; i < 3; ++i) {
    Submission job;
    job.type = "t";
    EXPECT_TRUE(all_end({client->submit(job)->id}, 60s)) << "nobody was woken by job " << i;
  }
  EXPECT_TRUE(worker->shutdown().did_not_return.empty());
}

TEST_P(RealThreads, KeepALeaseThatIsShorterThanTheHandler) {
  Counting seen;
  WorkerOptions options;
  options.queues = {"default"};
  options.handlers["t"].run = sleeps(3600ms);
  options.lease = 2400ms;  // a machine may stand still for most of that
  options.concurrency = 2;
  options.observer = &seen;
  const auto worker = std::move(Worker::make(*runtime, *driver, options)).value();
  ASSERT_TRUE(worker->start().ok());
  const auto client = std::move(Client::make(*runtime, *driver, {})).value();
  Submission job;
  job.type = "t";
  const JobId id = client->submit(job)->id;
  EXPECT_TRUE(all_end({id}, 60s));
  EXPECT_EQ(seen.began[id], 1);
  EXPECT_GE(worker->tallies().heartbeats, 3);
}

// Its handler returns long after the worker is gone, and finds nothing to harm.
TEST_P(RealThreads, EndWithoutAHandlerThatDoesNotReturn) {
  struct Door {
    std::unique_ptr<Monitor> monitor;
    bool is_entered = false, is_open = false, is_left = false;
  };
  const auto door = std::make_shared<Door>();
  door->monitor = runtime->monitor("the door");
  WorkerOptions options;
  options.queues = {"default"};
  options.handlers["t"].run = [door](Context&) -> HandlerResult {
    const std::lock_guard lock(*door->monitor);
    door->is_entered = true;
    door->monitor->notify_all();
    while (!door->is_open) door->monitor->wait_until(std::nullopt);
    door->is_left = true;
    door->monitor->notify_all();
    return Success{};
  };
  options.grace = options.interruption = 30ms;
  auto worker = std::move(Worker::make(*runtime, *driver, options)).value();
  ASSERT_TRUE(worker->start().ok());
  Submission job;
  job.type = "t";
  EXPECT_TRUE((*Client::make(*runtime, *driver, {}))->submit(job).ok());
  std::unique_lock lock(*door->monitor);
  while (!door->is_entered) door->monitor->wait_until(std::nullopt);
  lock.unlock();
  EXPECT_EQ(worker->shutdown().did_not_return.size(), 1u);
  worker.reset();
  lock.lock();
  door->is_open = true;
  door->monitor->notify_all();
  while (!door->is_left) door->monitor->wait_until(std::nullopt);
}

}  // namespace
}  // namespace assay::engine
