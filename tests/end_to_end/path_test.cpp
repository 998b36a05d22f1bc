// From plan to story with a real driver: what is stored can be read, and a replay is exact.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "drivers/memory/memory.h"
#include "faults/all.h"
#include "harness/contract/version.h"
#include "harness/history/jsonl.h"
#include "harness/plan/generate.h"
#include "harness/plan/story.h"
#include "harness/plan/token.h"
#include "harness/run/run.h"
#include "scenarios/all.h"

namespace assay {
namespace {

RunResult run_on_memory(const Plan& plan, const Profile& profile) {
  VirtualClock clock;
  auto driver = memory().make({profile, clock, 7, std::nullopt, ""});
  CHECK(driver.ok());
  Stage stage;
  stage.faults = all_faults();
  return run(plan, **driver, "memory", stage);
}

// Payloads of mebibytes take the same path and their time.
bool is_small(const Plan& plan) {
  return std::ranges::all_of(plan.steps,
                             [](const Step& step) { return step.payload.size < 100'000; });
}

// Every scenario of the catalogue and a few drawn plans.
std::vector<Plan> plans_for(const Profile& profile) {
  std::vector<Plan> plans;
  for (const auto& scenario : all_scenarios()) plans.push_back(scenario.plan(profile));
  for (std::uint64_t seed = 0; seed < 10; ++seed) plans.push_back(generate(profile, seed));
  std::erase_if(plans, [](const Plan& plan) { return !is_small(plan); });
  return plans;
}

void expect_readable(const History& history) {
  std::stringstream file;
  write_jsonl(history, file);
  const auto back = read_jsonl(file);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->profile, history.profile);
  EXPECT_TRUE(back->events == history.events);
  EXPECT_EQ(tell(*back), tell(history));
}

Plan through_token(const Plan& plan, const Profile& profile) {
  ReplayToken token;
  token.assay_version = version();
  token.driver = "memory";
  token.profile = profile;
  token.plan = plan;
  const auto back = decode_token(encode(token));
  if (!back.ok()) return {back.error().message, {}, {}};
  EXPECT_EQ(back->profile, profile);
  return *back->plan;
}

class Path : public testing::TestWithParam<std::string_view> {};

TEST_P(Path, RunsEveryPlanAndReplaysItFromItsToken) {
  const Profile profile = *built_in_profile(GetParam());
  for (const auto& plan : plans_for(profile)) {
    SCOPED_TRACE(plan.name);
    const auto once = run_on_memory(plan, profile);
    EXPECT_FALSE(once.trouble) << once.trouble->message;
    EXPECT_FALSE(once.history.events.empty());
    expect_readable(once.history);
    const Plan carried = through_token(plan, profile);
    EXPECT_EQ(carried.name, plan.name);
    EXPECT_TRUE(carried == plan);
    const auto again = run_on_memory(carried, profile);
    if (!is_free(plan)) {
      EXPECT_EQ(history_hash(again.history), history_hash(once.history));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, Path, testing::ValuesIn(profile_names()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace assay
