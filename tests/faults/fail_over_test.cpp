// The fault that kills a primary and has its replica promoted, on a real server where there is one.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "drivers/memory/memory.h"
#include "faults/all.h"
#include "harness/backend/backend.h"
#include "harness/contract/clock.h"
#include "harness/plan/build.h"
#include "harness/run/run.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// What befalls the store is not the driver's business here: it has none.
class FailOver : public testing::Test {
 protected:
  void SetUp() override {
    scratch_ = fs::temp_directory_path() / ("fail_over_test." + std::to_string(::getpid()));
    fs::create_directories(scratch_);
  }
  void TearDown() override {
    backend_.reset();
    fs::remove_all(scratch_);
  }

  bool start(Replica replica) {
    BackendOptions options{.kind = BackendKind::native, .scratch = scratch_.string()};
    options.replica = replica;
    auto backend = start_backend("redis", options);
    if (!backend.ok()) return false;
    backend_ = std::move(*backend);
    return true;
  }

  RunResult ran(Stage stage = {}) {
    VirtualClock clock;
    const Profile profile = *built_in_profile("reference");
    auto driver = memory().make({profile, clock, 7, std::nullopt, ""});
    PlanBuilder p(profile, "plan");
    const int failover = p.fault_of_all("fail_over", {{"lag", 1}});
    p.enqueue();
    p.end_fault(failover);
    stage.faults = all_faults();
    stage.backend = backend_.get();
    return run(p.build(), **driver, "memory", stage);
  }

  fs::path scratch_;
  std::unique_ptr<Backend> backend_;
};

TEST_F(FailOver, IsProvenWhenItEndsInWordsThatAreTheSameEachTime) {
  if (!start(Replica::async)) GTEST_SKIP() << "there is no redis";
  std::vector<std::string> said[2];
  for (auto& one : said) {
    const RunResult result = ran();
    EXPECT_FALSE(result.void_because) << *result.void_because;
    ASSERT_EQ(result.faults.size(), 1u);
    EXPECT_TRUE(result.faults[0].is_proven());
    EXPECT_NE(result.faults[0].proof.find("has the role of a master now"), std::string::npos);
    EXPECT_NE(result.faults[0].proof.find("had not arrived)"), std::string::npos);
    for (const Event& event : result.history.events)
      if (const auto* fault = std::get_if<FaultEvent>(&event)) {
        EXPECT_EQ(fault->effect, FaultEffect::store_away);
        one.push_back(std::string(name_of(fault->stage)) + " " + fault->proof);
      }
  }
  EXPECT_EQ(said[0], said[1]);
  ASSERT_EQ(said[0].size(), 3u);
  EXPECT_TRUE(said[0][1].starts_with("proven every process of the primary was killed"));
  EXPECT_EQ(said[0][1].find("bytes"), std::string::npos);
  EXPECT_EQ(said[0][2], "ended ");
}

TEST_F(FailOver, VoidsTheRunWhereNobodyWasPromoted) {
  if (!start(Replica::async)) GTEST_SKIP() << "there is no redis";
  Stage stage;
  stage.before_call = [&](OpId) {
    for (const auto& entry : fs::directory_iterator(scratch_)) {
      pid_t replica = 0;
      std::ifstream(entry.path() / "state/replica/pid") >> replica;
      if (replica > 0) ::kill(replica, SIGKILL);
    }
  };
  const RunResult result = ran(std::move(stage));
  ASSERT_TRUE(result.void_because);
  EXPECT_NE(result.void_because->find("the replica was not promoted"), std::string::npos)
      << *result.void_because;
  EXPECT_TRUE(std::ranges::none_of(result.history.events, [](const Event& event) {
    const auto* fault = std::get_if<FaultEvent>(&event);
    return fault && fault->stage == FaultEvent::Stage::proven;
  }));
  // The next run finds a primary with a replica.
  EXPECT_FALSE(ran().void_because);
}

TEST_F(FailOver, CannotBeHadWithoutAReplica) {
  RunResult result = ran();
  ASSERT_TRUE(result.void_because);
  EXPECT_NE(result.void_because->find("no server that we started"), std::string::npos);
  if (!start(Replica::none)) GTEST_SKIP() << "there is no redis";
  result = ran();
  ASSERT_TRUE(result.void_because);
  EXPECT_NE(result.void_because->find("--replica gives it one"), std::string::npos);
}

}  // namespace
}  // namespace assay
