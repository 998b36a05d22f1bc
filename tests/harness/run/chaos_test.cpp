// Rounds of chaos on a driver in this process, and chaos among the clocks.
#include "harness/run/chaos.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "drivers/all.h"
#include "drivers/memory/memory.h"
#include "drivers/mutants/all.h"
#include "faults/all.h"
#include "harness/fault/generate_chaos.h"
#include "harness/judge/judge.h"
#include "harness/run/parts.h"
#include "harness/run/run.h"
#include "tests/drivers/sqlite_fixture.h"

namespace assay {
namespace {

const FaultInfo* fault_named(std::string_view name) {
  for (const FaultInfo& fault : all_faults())
    if (fault.name == name) return &fault;
  return nullptr;
}

TEST(Chaos, TellsItsTokenBeforeAnythingOfTheRoundGoesWrong) {
  lite_test::TempFolder scratch;
  ChaosOptions options;
  options.driver = "memory";
  options.profile = *built_in_profile("reference");
  options.seed = 5;
  options.seconds = 60;
  options.faults = {fault_named("kill_worker"), fault_named("pause_worker")};
  options.mixes = false;
  options.clients = 4;
  options.scratch = scratch.path();
  std::mutex mutex;
  std::vector<std::string> said;  // "token" and "fault", in order
  ChaosListener listener;
  listener.begins = [&](const Plan& plan, const std::string& token) {
    const auto read = decode_token(token);
    ASSERT_TRUE(read.ok() && read->plan);
    EXPECT_EQ(*read->plan, plan);
    const std::lock_guard lock(mutex);
    said.push_back("token");
  };
  std::uint64_t rounds = 0;
  std::stop_source enough;
  listener.progress = [&](const ChaosReport& report) {
    const std::lock_guard lock(mutex);
    if (report.rounds > rounds) said.push_back("over");
    rounds = report.rounds;
    if (rounds == 3) enough.request_stop();
  };
  listener.fault = [&](const FaultEvent& event) {
    const std::lock_guard lock(mutex);
    if (event.stage == FaultEvent::Stage::begun) said.push_back("fault");
  };
  const ChaosReport report =
      chaos(memory(), options, built_in_parts(), listener, enough.get_token());
  EXPECT_EQ(exit_status_of(report), 0);
  ASSERT_EQ(report.rounds, 3u);
  bool has_token = false;
  std::size_t faults = 0;
  for (const std::string& what : said) {
    if (what == "token") has_token = true;
    if (what == "over") has_token = false;
    if (what == "fault") {
      ++faults;
      EXPECT_TRUE(has_token) << "something went wrong in a round whose token nobody knows";
    }
  }
  EXPECT_GT(faults, 1u);
}

// Each plan has nothing but that fault in it.
class WrongClocks : public testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  Judgement judged(const DriverInfo& info, std::uint64_t seed, std::size_t& proven,
                   bool at_once = false) {
    const auto [profile_name, fault_name] = GetParam();
    const Profile profile = *built_in_profile(profile_name);
    const FaultInfo* mix[] = {fault_named(fault_name)};
    VirtualClock clock;
    auto driver = info.make({.profile = profile, .clock = clock, .seed = seed, .scratch = "/tmp"});
    if (!driver.ok()) throw std::runtime_error(driver.error().message);
    Stage stage;
    stage.faults = all_faults();
    const Plan plan =
        at_once ? generate_free_chaos(profile, seed, mix) : generate_chaos(profile, seed, mix);
    const RunResult ran = run(plan, **driver, info.name, stage);
    EXPECT_FALSE(ran.trouble) << ran.trouble->message;
    EXPECT_FALSE(ran.void_because) << *ran.void_because;
    for (const FaultRecord& fault : ran.faults) proven += fault.is_proven() ? 1 : 0;
    return judge(ran.history, built_in_parts().properties);
  }

  static bool is_convicted(const Judgement& judgement) { return !judgement.findings.empty(); }
};

TEST_P(WrongClocks, ConvictNoDriverThatIsRight) {
  std::size_t proven = 0;
  for (std::uint64_t seed = 0; seed < 400 && !HasFailure(); ++seed)
    for (const Finding& finding : judged(memory(), seed, proven).findings)
      ADD_FAILURE() << "seed " << seed << ": " << finding.rule << ": " << finding.story;
  EXPECT_GT(proven, 200u);
}

TEST_P(WrongClocks, ConvictNoDriverThatIsRightWhereClientsMoveAtOnce) {
  std::size_t proven = 0;
  for (std::uint64_t seed = 0; seed < 25 && !HasFailure(); ++seed)
    for (const Finding& finding : judged(memory(), seed, proven, true).findings)
      ADD_FAILURE() << "seed " << seed << ": " << finding.rule << ": " << finding.story;
  EXPECT_GT(proven, 15u);
}

TEST_P(WrongClocks, ExcuseNoDriverThatTakesAnyToken) {
  const auto mutants = all_mutants();
  const auto mutant = std::ranges::find(mutants, "ack_takes_stale_token", &Mutant::name);
  ASSERT_NE(mutant, mutants.end());
  std::size_t proven = 0, convicted = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    convicted += is_convicted(judged(mutant->driver(), seed, proven)) ? 1 : 0;
  EXPECT_GE(convicted, 3u);
}

INSTANTIATE_TEST_SUITE_P(
    Chaos, WrongClocks,
    testing::Values(std::pair{"weave", "step_store_clock"}, std::pair{"trace", "step_store_clock"},
                    std::pair{"upnext", "step_store_clock"}, std::pair{"reference", "skew_clock"},
                    std::pair{"taskharbor", "skew_clock"}),
    [](const auto& tested) { return std::string(tested.param.first) + "_" + tested.param.second; });

}  // namespace
}  // namespace assay
