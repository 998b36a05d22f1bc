// Flows and outputs on every store of ours, on threads of the machine, with servers that are killed
// and started again.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "drivers/all.h"
#include "engine/flows.h"
#include "engine/worker.h"
#include "harness/backend/backend.h"

namespace assay::engine {
namespace {

using namespace std::chrono_literals;

class FlowOnStore : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    char name[] = "/tmp/assay-flows-XXXXXX";
    CHECK(::mkdtemp(name));
    scratch_ = name;
    // The servers' accounts must reach it.
    std::filesystem::permissions(scratch_, std::filesystem::perms(0755));
  }
  static void TearDownTestSuite() {
    servers_.clear();
    std::filesystem::remove_all(scratch_);
  }
  static Result<Backend*> server_for(const std::string& kind) {
    if (!servers_.contains(kind)) {
      auto started = start_backend(kind, {.kind = BackendKind::native, .scratch = scratch_});
      if (!started.ok()) return started.error();
      servers_[kind] = std::move(*started);
    }
    return servers_[kind].get();
  }

  void SetUp() override {
    const auto& all = all_drivers();
    const auto info = std::ranges::find(all, GetParam(), &DriverInfo::name);
    if (info == all.end()) GTEST_SKIP() << "built without it";
    folder_ = scratch_ + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::replace(folder_.begin() + static_cast<std::ptrdiff_t>(scratch_.size()) + 1, folder_.end(),
                 '/', '-');
    std::filesystem::create_directories(folder_);
    DriverOptions options{*built_in_profile("reference"), runtime->clock()};
    options.scratch = folder_;
    if (!info->backend.empty()) {
      const auto server = server_for(info->backend);
      if (!server.ok()) GTEST_SKIP() << server.error().message;
      backend = *server;
      options.url = backend->url();
    }
    driver = std::move(info->make(options)).value();
    ASSERT_TRUE(driver->setup({"flows"}).ok());
    flows = std::move(Flows::make(*runtime, *driver, {.queue = "q"})).value();
  }
  void TearDown() override {
    worker.reset();
    flows.reset();
    if (driver) {
      EXPECT_TRUE(driver->teardown().ok());
    }
    driver.reset();
  }

  void start(int concurrency = 4) {
    WorkerOptions options;
    options.queues = {"q"};
    options.concurrency = concurrency;
    options.poll_min = options.poll_max = 5ms;
    options.outage_max = 200ms;
    options.lease = 2s;
    options.policy = RetryPolicy{.base = 1ms, .cap = 5ms, .runs = 3};
    options.handlers["t"].run = [this](Context& context) { return handle(context); };
    options.handlers["sum"].run = [this](Context& context) { return sum(context); };
    worker = std::move(Worker::make(*runtime, *driver, options)).value();
    ASSERT_TRUE(worker->start().ok());
  }
  HandlerResult handle(Context& context) {
    {
      const std::lock_guard lock(*monitor);
      ++ran[*context.job().key];
      if (fails && context.job().payload == "bad") return Failure{"no luck"};
    }
    const auto got = context.inputs().result();
    if (!got.ok()) return Failure{got.error().message};
    const auto kept = context.effects().commit("once", "1");
    if (!kept.ok()) return Failure{kept.error().message};
    if (!context.effects().put("out", context.job().payload).ok()) return Failure{"no"};
    return Success{context.job().payload + (*got ? "<" + **got : "")};
  }
  HandlerResult sum(Context& context) {
    std::int64_t bytes = 0, count = 0, failed = 0;
    InputPage page;
    do {
      const auto next = context.inputs().page(page.after, 250);
      if (!next.ok()) return Failure{next.error().message};
      page = *next;
      for (const InputView& input : page.inputs) {
        ++(input.succeeded ? count : failed);
        bytes += std::ssize(input.result.value_or(""));
      }
    } while (page.after);
    const std::lock_guard lock(*monitor);
    ++ran[*context.job().key];
    return Success{std::to_string(count) + "+" + std::to_string(failed) + "/" +
                   std::to_string(bytes)};
  }

  bool comes_to(FlowState state, const std::string& id = "f", Duration at_most = 60s) {
    const Instant deadline = now() + at_most;
    for (; now() < deadline; runtime->clock().sleep_until(now() + 10ms, {})) {
      const auto view = flows->show(id, {.at_most = 0, .looks_up_jobs = false});
      if (view.ok() && view->state == state) return true;
    }
    return false;
  }
  Instant now() { return runtime->clock().now(); }

  std::unique_ptr<Runtime> runtime = real_runtime();
  std::unique_ptr<Monitor> monitor = runtime->monitor("the test's lock");
  std::map<std::string, int> ran;
  bool fails = true;
  Backend* backend = nullptr;
  std::unique_ptr<Driver> driver;
  std::unique_ptr<Flows> flows;
  std::unique_ptr<Worker> worker;

 private:
  static inline std::string scratch_;
  static inline std::map<std::string, std::unique_ptr<Backend>> servers_;
  std::string folder_;
};

INSTANTIATE_TEST_SUITE_P(Stores, FlowOnStore,
                         testing::Values("memory", "sqlite", "postgres", "redis"),
                         [](const auto& info) { return info.param; });

std::vector<Flow> steps(int count, const std::string& payload = "x") {
  return std::vector<Flow>(static_cast<std::size_t>(count), step("t", payload));
}

Flow nested() {
  return chain({step("t", "a"),
                chord({step("t", "b"), chain({step("t", "c"), group(steps(3))})}, {"sum"}),
                step("t", "z")});
}

TEST_P(FlowOnStore, RunsNestedPartsAndPassesResultsAlong) {
  const FlowSubmission submission{nested(), {}, "f"};
  ASSERT_TRUE(flows->submit(submission).ok());
  start();
  EXPECT_TRUE(comes_to(FlowState::done));
  EXPECT_EQ(**flows->result("f", "r.z000002"), "z<4+0/18");
  EXPECT_TRUE(flows->submit(submission)->existed);
  const auto view = flows->show("f");
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->root.counts, (MemberCounts{.succeeded = 8}));
  for (const auto& [id, count] : ran) EXPECT_EQ(count, 1) << id;
  EXPECT_EQ(ran.size(), 8u);
  const auto session = std::move(driver->open({"reader", Role::admin})).value();
  const auto outputs = outputs_of(*session, runtime->clock(), "flow:f:r.c000000");
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ(*outputs, (Outputs{2, {{"once", "1", 1, 1}, {"out", "a", 1, 1}}}));
  EXPECT_EQ(flows->sweep()->closed, 1);
  EXPECT_TRUE(flows->forget("f").ok());
  EXPECT_EQ(flows->show("f").error().code, ErrorCode::not_found);
}

TEST_P(FlowOnStore, StopsAtADeathAndGoesOnWhenItIsMadeGood) {
  ASSERT_TRUE(
      flows->submit({chord({chain(steps(2)), step("t", "bad"), step("t")}, {"sum"}), {}, "f"})
          .ok());
  start();
  EXPECT_TRUE(comes_to(FlowState::failed));
  EXPECT_EQ(flows->show("f")->stopped_by, "r.b.g000001");
  EXPECT_EQ(flows->sweep()->deaths, 0);
  {
    const std::lock_guard lock(*monitor);
    EXPECT_FALSE(ran.contains("flow:f:r.f"));
    fails = false;
  }
  const auto session = std::move(driver->open({"hand", Role::admin})).value();
  ASSERT_TRUE(session->requeue(now(), {"flow:f:r.b.g000001", {}, true}).ok());
  EXPECT_TRUE(comes_to(FlowState::done));
  EXPECT_EQ(ran["flow:f:r.f"], 1);
}

TEST_P(FlowOnStore, GoesOnWithItsFailuresTold) {
  ASSERT_TRUE(
      flows
          ->submit({chord({chain({step("t", "bad"), group(steps(5))}), step("t", "x")}, {"sum"}),
                    OnFailure::go_on, "f"})
          .ok());
  start();
  EXPECT_TRUE(comes_to(FlowState::done));
  EXPECT_EQ(**flows->result("f", "r.f"), "1+5/1") << "one succeeded, five are skipped";
  EXPECT_EQ(ran["flow:f:r.f"], 1);
}

TEST_P(FlowOnStore, IsCancelled) {
  ASSERT_TRUE(flows->submit({chord(steps(5), {"sum"}), {}, "f"}).ok());
  const auto cancelled = flows->cancel("f");
  ASSERT_TRUE(cancelled.ok()) << cancelled.error().message;
  EXPECT_EQ(cancelled->cancelled, 5);
  start();
  EXPECT_EQ(flows->show("f")->state, FlowState::cancelled);
  runtime->clock().sleep_until(now() + 100ms, {});
  const std::lock_guard lock(*monitor);
  EXPECT_TRUE(ran.empty());
}

TEST_P(FlowOnStore, HoldsMoreMembersThanACommitHasParts) {
  std::vector<Flow> members;
  for (int i = 0; i < 1'300; ++i) members.push_back(step("t", std::to_string(i)));
  ASSERT_TRUE(flows->submit({chord(members, {"sum"}), {}, "f"}).ok());
  start(8);
  EXPECT_TRUE(comes_to(FlowState::done, "f", 120s));
  EXPECT_EQ(**flows->result("f", "r.f"), "1300+0/4090");
  EXPECT_EQ(ran["flow:f:r.f"], 1);
  EXPECT_EQ(ran.size(), 1'301u);
}

// Whatever was acknowledged is there again, and everything moves in commits.
TEST_P(FlowOnStore, OutlivesItsServer) {
  if (!backend) GTEST_SKIP() << "it has none";
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(flows->submit({nested(), {}, "f" + std::to_string(i)}).ok());
  start(8);
  for (int i = 0; i < 3; ++i) {
    runtime->clock().sleep_until(now() + 60ms, {});
    ASSERT_TRUE(backend->crash().ok());
    ASSERT_TRUE(backend->restart().ok());
  }
  for (int i = 0; i < 10; ++i) {
    const std::string id = "f" + std::to_string(i);
    EXPECT_TRUE(comes_to(FlowState::done, id)) << id;
    EXPECT_EQ(**flows->result(id, "r.z000002"), "z<4+0/18");
    EXPECT_EQ(flows->show(id)->root.counts, (MemberCounts{.succeeded = 8}));
  }
}

}  // namespace
}  // namespace assay::engine
