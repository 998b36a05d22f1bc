// Dispatcher, channels and schedules on every store that is there.
#include <filesystem>
#include <mutex>

#include "drivers/all.h"
#include "engine/queue_channel.h"
#include "engine/scheduler.h"
#include "tests/drivers/on_store.h"
#include "tests/drivers/postgres_server.h"
#include "tests/drivers/redis_server.h"
#include "tests/engine/post.h"

namespace assay::engine {
namespace {

const DriverInfo& info_of(const std::string& name) {
  static const auto all = all_drivers();
  for (const DriverInfo& info : all)
    if (info.name == name) return info;
  CHECK(false);
  return all.front();
}

class OnStores : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "redis") {
      if (!redis_test::server()) GTEST_SKIP() << redis_test::why_not();
      url_ = redis_test::server()->url();
    } else if (GetParam() == "postgres") {
      if (!pg_test::server()) GTEST_SKIP() << pg_test::why_not();
      url_ = pg_test::server()->url();
    }
  }

  Terms terms(const std::string& profile) {
    Terms terms;
    terms.profile = profile;
    terms.driver = GetParam();
    terms.url = url_;
    terms.scratch = folder_.path();
    // In virtual time the store lives by the clock of its callers.
    terms.alter = [](Profile& p) {
      brisk(p);
      p.clock = ClockKnob::caller;
    };
    return terms;
  }

  const on_store::Folder folder_;
  std::optional<std::string> url_;
};

INSTANTIATE_TEST_SUITE_P(Stores, OnStores, testing::Values("memory", "sqlite", "postgres", "redis"),
                         [](const auto& info) { return info.param; });

TEST_P(OnStores, EveryTaskEndsThoughWakeUpsAreLostAndWorkersDie) {
  for (const auto profile : {"trace", "reference"}) {
    Shop shop(terms(profile));
    shop.run([&] {
      Post post(shop, {30, 30, 20, 1s, 20, 1s, 20});
      const auto first = post.start(post.options("d"));
      const auto second = post.start(post.options("e"));
      NewJob job;
      job.max_attempts = 3;
      post.claim_and_die(post.put(job));
      Listener listener(shop, post.channel(), shop.options(stumbles, 2));
      for (const auto payload : {"", "1", "9"}) {
        job.payload = payload;
        post.put(job);
      }
      EXPECT_TRUE(post.all_end(2min)) << profile;
      std::vector<JobState> ends;
      for (const JobId& id : post.jobs) ends.push_back(shop.state(id));
      EXPECT_EQ(ends, (std::vector{JobState::done, JobState::done, JobState::done, JobState::dead}))
          << profile;
      shop.pass(5s);
      EXPECT_EQ(post.pending().size() + post.parked().size(), 0u) << profile;
    });
    const std::vector<std::size_t> runs{1, 1, 2, 3};
    for (std::size_t i = 0; i < runs.size(); ++i)
      EXPECT_EQ(shop.all_of<HandlerBegan>("j" + std::to_string(i)).size(), runs[i])
          << profile << " " << i;
  }
}

TEST_P(OnStores, EventsBecomeOneJobEach) {
  Shop shop(terms("trace"));
  shop.run([&] {
    Post post(shop);
    const auto first = post.start(post.options("d"));
    const auto second = post.start(post.options("e"));
    Listener listener(shop, post.channel(), shop.options([](Context& context) -> HandlerResult {
      return Success{.events = {{"events", "of " + context.job().id}}};
    }));
    for (int i = 0; i < 3; ++i) post.put();
    EXPECT_TRUE(post.all_end(1min));
    shop.pass(2s);
    const auto page = post.session().list(shop.now(), {"events", {}, 100, {}});
    EXPECT_EQ(page->jobs.size(), 3u);
    EXPECT_EQ(post.pending().size(), 0u);
  });
}

TEST_P(OnStores, AWindowMakesOneJobWithTwoSchedulers) {
  for (const auto profile : {"reference", "trace"}) {
    Shop shop(terms(profile));
    shop.run([&] {
      const auto desk = std::move(shop.driver().open({"desk", Role::admin})).value();
      Schedules schedules(shop.clock(), *desk);
      Schedule schedule;
      schedule.name = "s";
      schedule.cron = "* * * * *";
      schedule.queue = "q";
      schedule.type = "t";
      EXPECT_TRUE(schedules.declare(schedule).ok());
      SchedulerOptions options;
      options.every = 20s;
      auto one = Scheduler::make(shop.runtime(), shop.driver(), options).value();
      options.name = "another";
      auto two = Scheduler::make(shop.runtime(), shop.driver(), options).value();
      EXPECT_TRUE(one->start().ok());
      EXPECT_TRUE(two->start().ok());
      shop.pass(5min + 1s);
      const auto page = desk->list(shop.now(), {"q", {}, 100, {}});
      EXPECT_EQ(page->jobs.size(), 5u) << profile;
      EXPECT_EQ(schedules.get("s")->fired, 5) << profile;
      EXPECT_TRUE(schedules.pause("s").ok());
      shop.pass(2min);
      EXPECT_TRUE(schedules.remove("s").ok());
      EXPECT_EQ(schedules.list()->schedules.size(), 0u);
      EXPECT_EQ(desk->list(shop.now(), {"q", {}, 100, {}})->jobs.size(), 5u) << profile;
    });
  }
}

// Sees events of several, each under a lock of its own.
class Counting final : public Observer {
 public:
  explicit Counting(Runtime& runtime) : monitor_(runtime.monitor("the counting")) {}
  void see(const Event& event) override {
    const std::lock_guard lock(*monitor_);
    if (std::holds_alternative<HandlerBegan>(event.what)) ++began_[event.delivery.job_id];
    if (std::holds_alternative<WakeUpDeleted>(event.what)) ++deleted_;
  }
  std::map<JobId, int> began() const {
    const std::lock_guard lock(*monitor_);
    return began_;
  }
  int deleted() const {
    const std::lock_guard lock(*monitor_);
    return deleted_;
  }

 private:
  const std::unique_ptr<Monitor> monitor_;
  std::map<JobId, int> began_;
  int deleted_ = 0;
};

// In real time, with a channel that is a queue of the same kind of store; nobody polls.
TEST_P(OnStores, AQueueCarriesTheWakeUps) {
  const auto runtime = real_runtime();
  const auto driver_of = [&](const std::string& profile, const std::string& name_space) {
    Profile altered = *built_in_profile(profile);
    altered.backoff = {50ms, 100ms};
    altered.capabilities.erase("virtual_time");  // else the store's clock may stand still
    DriverOptions options{altered, runtime->clock(), 7, url_, folder_.path() + "/" + name_space};
    std::filesystem::create_directories(options.scratch);
    auto driver = std::move(info_of(GetParam()).make(options)).value();
    EXPECT_TRUE(driver->setup({name_space}).ok());
    return driver;
  };
  const auto tasks = driver_of("trace", "tasks"), messages = driver_of("reference", "messages");
  Counting seen(*runtime);
  {
    QueueChannel::Options channel_options;
    channel_options.poll = 1h;
    const auto channel =
        std::move(QueueChannel::make(*runtime, *messages, channel_options)).value();
    DispatcherOptions options;
    options.channels["q"] = channel.get();
    options.outbox_every = 20ms;
    const auto dispatcher = std::move(Dispatcher::make(*runtime, *tasks, options)).value();
    EXPECT_TRUE(dispatcher->start().ok());
    Ear ear(*runtime, *channel, tasks->profile(), EarOptions{.queue = "q", .observer = &seen});
    WorkerOptions work;
    work.queues = {"q"};
    work.handlers["t"].run = stumbles;
    work.concurrency = 2;
    work.outbox = true;
    work.looks_itself = false;
    work.poll_min = work.poll_max = 1h;
    work.wakeups = &ear;
    work.observer = &ear;
    const auto worker = std::move(Worker::make(*runtime, *tasks, work)).value();
    EXPECT_TRUE(worker->start().ok());
    const auto client =
        std::move(Client::make(*runtime, *tasks, {.queue = "q", .outbox = true})).value();
    std::vector<JobId> ids;
    for (int i = 0; i < 12; ++i) {
      Submission job;
      job.type = "t";
      job.payload = std::to_string(i % 2);
      ids.push_back(client->submit(job)->id);
    }
    const auto eye = std::move(tasks->open({"eye", Role::admin})).value();
    const Instant deadline = runtime->clock().now() + 60s;
    const auto all_are_done = [&] {
      return std::ranges::all_of(ids, [&](const JobId& id) {
        const auto view = eye->get(runtime->clock().now(), {id});
        return view.ok() && view->job.state == JobState::done;
      });
    };
    while (!all_are_done() && runtime->clock().now() < deadline)
      runtime->clock().sleep_until(runtime->clock().now() + 5ms, {});
    EXPECT_TRUE(all_are_done());
    for (int i = 0; i < 12; ++i)
      EXPECT_EQ(seen.began()[ids[static_cast<std::size_t>(i)]], 1 + i % 2) << i;
  }
  EXPECT_GE(seen.deleted(), 18) << "one a run";
  EXPECT_TRUE(tasks->teardown().ok());
  EXPECT_TRUE(messages->teardown().ok());
}

}  // namespace
}  // namespace assay::engine
