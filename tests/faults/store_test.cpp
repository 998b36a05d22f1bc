// The faults of a store, on real servers where they are installed: each shows that it took effect,
// and all is as before when it is over.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "drivers/redis/redis.h"
#include "faults/all.h"
#include "harness/backend/backend.h"
#include "harness/backend/disk.h"
#include "harness/contract/clock.h"
#include "harness/judge/judge.h"
#include "harness/run/run.h"
#include "properties/all.h"
#include "scenarios/all.h"
#include "tests/harness/backend/fixture.h"

namespace assay {
namespace {

using backend_test::Folder;
using backend_test::shell;

bool is_installed(const std::string& server) {
  return shell(server == "redis" ? "command -v redis-server"
                                 : "command -v initdb || ls /usr/lib/postgresql/*/bin/initdb")
             .status == 0;
}

// A run with nothing but a store.
class OnlyAStore : public Surroundings {
 public:
  Result<ClientProcess*> process_of(int) override { return static_cast<ClientProcess*>(nullptr); }
  void doom(int) override {}
  void lose(int) override {}
  void let_return(bool) override {}
  void stall(int, bool) override {}
  Status skew(int, Duration, double) override { return Done{}; }
  std::uint64_t skewed_calls(int) override { return 0; }
  int clients() const override { return 1; }
  Result<Line> line_of(int) override { return unsupported("no line"); }
  Result<Backend*> store() override {
    if (is_foreign) return unsupported("it is somebody else's");
    return server;
  }
  Result<Disk*> disk() override {
    return data ? Result<Disk*>(data) : Result<Disk*>(unsupported("no disk"));
  }
  Status store_is_back() override {
    ++returns;
    return Done{};
  }

  Backend* server = nullptr;
  Disk* data = nullptr;
  bool is_foreign = false;
  int returns = 0;
};

const FaultInfo& named(const std::string& name) {
  return *std::ranges::find(all_faults(), name, &FaultInfo::name);
}

std::unique_ptr<Fault> made(const std::string& name, Surroundings& around) {
  return named(name).make({name, true, {}}, -1, around);
}

struct Sight {
  std::string server, fault, proof;
};
void PrintTo(const Sight& sight, std::ostream* out) { *out << sight.server << ", " << sight.fault; }

class StoreFault : public testing::TestWithParam<Sight> {
 protected:
  void SetUp() override {
    if (!is_installed(GetParam().server))
      GTEST_SKIP() << GetParam().server << " is not installed here";
    BackendOptions options;
    options.kind = BackendKind::native;
    options.scratch = scratch_.text();
    if (named(GetParam().fault).needs_disk) {
      auto disk = Disk::make(scratch_.text());
      if (!disk.ok()) GTEST_SKIP() << disk.error().message;
      disk_ = std::move(*disk);
      options.data_folder = disk_->path();
    }
    auto server = start_backend(GetParam().server, options);
    ASSERT_TRUE(server.ok()) << server.error().message;
    server_ = std::move(*server);
    if (disk_) {
      ASSERT_TRUE(disk_->sync().ok());
    }
    around_.server = server_.get();
    around_.data = disk_.get();
  }

  bool is_postgres() const { return GetParam().server == "postgres"; }

  std::string ask(const std::string& sql, std::vector<std::string> words) {
    const auto said =
        server_->ask(is_postgres() ? std::vector<std::string>{"-XqAt", "-c", sql} : words);
    return said.ok() ? *said : said.error().message;
  }
  void write(const std::string& value) {
    ask("CREATE TABLE IF NOT EXISTS t (x text); INSERT INTO t VALUES ('" + value + "')",
        {"RPUSH", "t", value});
  }
  std::string read() { return ask("SELECT x FROM t", {"LRANGE", "t", "0", "-1"}); }

  const Folder scratch_;
  std::unique_ptr<Disk> disk_;
  std::unique_ptr<Backend> server_;
  OnlyAStore around_;
};

TEST_P(StoreFault, ShowsItsEffectAndIsOverWhenItEnds) {
  write("before");
  ASSERT_EQ(read(), "before\n");
  const auto fault = made(GetParam().fault, around_);
  for (int round = 0; round < 2; ++round) {
    const Status begun = fault->begin();
    ASSERT_TRUE(begun.ok()) << begun.error().message;
    const auto proof = fault->proof();
    ASSERT_TRUE(proof.ok()) << proof.error().message;
    EXPECT_NE(proof->find(GetParam().proof), std::string::npos) << *proof;
    for (int twice = 0; twice < 2; ++twice) {
      const Status ended = fault->end();
      ASSERT_TRUE(ended.ok()) << ended.error().message;
    }
  }
  EXPECT_TRUE(server_->is_running());
  if (disk_) {
    EXPECT_EQ(shell("head -c 1000000 /dev/zero >" + disk_->path() + "/more").status, 0);
  }
  write("after");
  EXPECT_EQ(read(), "before\nafter\n");
}

TEST_P(StoreFault, EndsWithItsObjectWhateverHappened) {
  write("before");
  {
    const auto fault = made(GetParam().fault, around_);
    ASSERT_TRUE(fault->begin().ok());
  }
  write("after");
  EXPECT_EQ(read(), "before\nafter\n");
}

std::vector<Sight> sights() {
  std::vector<Sight> all;
  for (const std::string server : {"redis", "postgres"}) {
    const bool is_redis = server == "redis";
    all.push_back({server, "restart_store", "ended with status 0"});
    all.push_back({server, "crash_store", "was killed"});
    all.push_back({server, "lose_power", "not synced to the disk is gone"});
    all.push_back({server, "pause_store", "is stopped"});
    all.push_back({server, "out_of_connections", is_redis ? "max number of clients" : "53300"});
    all.push_back({server, "read_only", is_redis ? "NOREPLICAS" : "25006"});
    all.push_back({server, "out_of_memory", is_redis ? "OOM" : "53200"});
    all.push_back({server, "full_disk", "no space left"});
  }
  return all;
}

// Plans that are drawn may have two of them at once, and end the first one first.
TEST_P(StoreFault, IsOverWhenTheLastOfTwoAtOnceEnds) {
  if (named(GetParam().fault).outage) GTEST_SKIP() << "the store is away then";
  const auto first = made(GetParam().fault, around_), second = made(GetParam().fault, around_);
  ASSERT_TRUE(first->begin().ok() && second->begin().ok());
  EXPECT_TRUE(second->proof().ok());
  EXPECT_TRUE(first->end().ok());
  EXPECT_TRUE(second->end().ok());
  write("after");
  EXPECT_EQ(read(), "after\n");
}

// A store that was away meanwhile is whole when it is back.
TEST_P(StoreFault, IsOverWhenTheStoreIsStartedAgainAndItEndedMeanwhile) {
  if (named(GetParam().fault).outage) GTEST_SKIP() << "it is such an outage itself";
  const auto fault = made(GetParam().fault, around_);
  const auto crash = made("crash_store", around_);
  ASSERT_TRUE(fault->begin().ok() && crash->begin().ok());
  EXPECT_TRUE(fault->end().ok());
  EXPECT_TRUE(crash->end().ok());
  write("after");
  EXPECT_EQ(read(), "after\n");
}

INSTANTIATE_TEST_SUITE_P(Every, StoreFault, testing::ValuesIn(sights()), [](const auto& named) {
  return named.param.server + "_" + named.param.fault;
});

TEST(StoreFaults, DoNotTouchAServerThatIsNotOurs) {
  OnlyAStore around;
  around.is_foreign = true;
  for (const FaultInfo& fault : all_faults()) {
    if (fault.family != "store") continue;
    const auto one = made(std::string(fault.name), around);
    const Status begun = one->begin();
    ASSERT_FALSE(begun.ok()) << fault.name;
    EXPECT_EQ(begun.error().message, "it is somebody else's") << fault.name;
  }
}

TEST(StoreFaults, AreRefusedWhereThereIsNothingTheyCouldBefall) {
  OnlyAStore around;  // no server, no disk, and clients without processes
  for (const FaultInfo& fault : all_faults()) {
    if (fault.family != "store") continue;
    const auto one = made(std::string(fault.name), around);
    EXPECT_FALSE(one->begin().ok()) << fault.name;
  }
}

// With snapshots alone, which are taken when it is shut down, the two differ.
TEST(StoreFaults, ShutAStoreDownInGoodOrder) {
  if (!is_installed("redis")) GTEST_SKIP() << "redis is not installed here";
  for (const std::string outage : {"restart_store", "crash_store"}) {
    const Folder scratch;
    BackendOptions options;
    options.kind = BackendKind::native;
    options.scratch = scratch.text();
    options.settings = {{"appendonly", "no"}, {"save", "3600 1"}};
    const auto server = start_backend("redis", options);
    ASSERT_TRUE(server.ok()) << server.error().message;
    OnlyAStore around;
    around.server = server->get();
    ASSERT_TRUE((*server)->ask({"SET", "t", "1"}).ok());
    const auto fault = made(outage, around);
    ASSERT_TRUE(fault->begin().ok() && fault->end().ok());
    EXPECT_EQ(*(*server)->ask({"GET", "t"}), outage == "restart_store" ? "1\n" : "\n");
  }
}

// --- what a setting is worth -------------------------------------------------------------------

// Says that it survives a crash, whatever its server is set to.
class Boaster final : public Driver {
 public:
  explicit Boaster(std::unique_ptr<Driver> inner)
      : inner_(std::move(inner)), profile_(inner_->profile()) {
    profile_.durability = Durability::crash;
  }
  const Profile& profile() const override { return profile_; }
  Status setup(const Setup& setup) override { return inner_->setup(setup); }
  Status teardown() override { return inner_->teardown(); }
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override {
    return inner_->open(spec);
  }
  Result<Instant> now() override { return inner_->now(); }
  Result<Instant> advance(Duration by) override { return inner_->advance(by); }

 private:
  std::unique_ptr<Driver> inner_;
  Profile profile_;
};

// The rules that are convicted when the scenario is run on a Redis of this setting.
std::vector<std::string> lost(const std::string& appendfsync, std::string_view scenario_name) {
  const Folder scratch;
  auto disk = Disk::make(scratch.text());
  BackendOptions options;
  options.kind = BackendKind::native;
  options.scratch = scratch.text();
  options.data_folder = (*disk)->path();
  options.settings = {{"appendfsync", appendfsync}};
  const auto server = start_backend("redis", options);
  EXPECT_TRUE(server.ok() && (*disk)->sync().ok());
  VirtualClock clock;
  auto made = redis().make({*built_in_profile("reference"), clock, 7, (*server)->url(), ""});
  if (!made.ok()) {
    ADD_FAILURE() << made.error().message;
    return {};
  }
  Boaster driver(std::move(*made));
  const auto scenario = std::ranges::find(all_scenarios(), scenario_name, &Scenario::name);
  Stage stage;
  stage.faults = all_faults();
  stage.backend = server->get();
  stage.disk = disk->get();
  const RunResult ran = run(scenario->plan(driver.profile()), driver, "redis", stage);
  EXPECT_FALSE(ran.trouble) << ran.trouble->message;
  EXPECT_FALSE(ran.void_because) << *ran.void_because;
  std::vector<std::string> convicted;
  for (const auto& [rule, tally] : judge(ran.history, all_properties()).tallies)
    if (tally.convicted > 0 && rule.starts_with("DUR")) convicted.emplace_back(rule);
  return convicted;
}

TEST(PowerLoss, ShowsWhatACrashDoesNot) {
  if (!is_installed("redis")) GTEST_SKIP() << "redis is not installed here";
  if (!redis().make) GTEST_SKIP() << "this build has no driver for redis";
  {
    const Folder scratch;
    if (const auto disk = Disk::make(scratch.text()); !disk.ok())
      GTEST_SKIP() << disk.error().message;
  }
  const std::vector<std::string> none, all{"DUR-1", "DUR-2", "DUR-6"};
  EXPECT_EQ(lost("no", "the_store_is_shut_down_and_comes_back"), none);
  EXPECT_EQ(lost("no", "the_store_is_killed_and_comes_back"), none);
  EXPECT_EQ(lost("no", "the_store_loses_power_and_comes_back"), all);
  EXPECT_EQ(lost("always", "the_store_loses_power_and_comes_back"), none);
}

}  // namespace
}  // namespace assay
