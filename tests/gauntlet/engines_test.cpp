// Every mutant of the engine is convicted of what it breaks, and the engine itself of nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "drivers/all.h"
#include "drivers/mutants/deciding.h"
#include "harness/judge/property.h"
#include "harness/run/certify.h"
#include "harness/run/engine.h"
#include "harness/run/parts.h"

namespace assay {
namespace {

DriverInfo memory() {
  for (const DriverInfo& driver : all_drivers())
    if (driver.name == "memory") return driver;
  return {};
}

CertifyOptions options(const EngineInfo& engine, std::string_view profile) {
  CertifyOptions options;
  options.driver = "memory";
  options.profile = *built_in_profile(std::string(profile));
  options.level = Level::chaos;
  options.engine = &engine;
  options.seed = 7;
  options.cases = 0;
  return options;
}

Report certified(const CertifyOptions& options) {
  CertifyListener listener;
  return certify(memory(), options, built_in_parts(), listener);
}

// The first that convicts, of the profiles under which an engine promises the rule.
std::optional<RuleReport> convicted(const EngineInfo& mutant, std::string_view rule) {
  for (const std::string_view profile : profile_names()) {
    CertifyOptions asked = options(mutant, profile);
    if (!applies(*find_rule(rule), with_engine(asked.profile, mutant), Certifies::engine)) continue;
    asked.rules = {std::string(rule)};
    Report report = certified(asked);
    const auto at = std::ranges::find(report.rules, rule, &RuleReport::id);
    if (at != report.rules.end() && at->verdict == Verdict::fail) return std::move(*at);
  }
  return std::nullopt;
}

class EngineMutants : public testing::TestWithParam<const EngineInfo*> {};

TEST_P(EngineMutants, AreConvictedOfWhatTheyBreak) {
  const EngineInfo& mutant = *GetParam();
  ASSERT_FALSE(mutant.broken.empty());
  for (const std::string_view rule : mutant.broken) {
    const auto report = convicted(mutant, rule);
    ASSERT_TRUE(report) << rule;
    EXPECT_FALSE(report->token.empty());
    EXPECT_EQ(report->tier, "exact");
  }
}

std::vector<const EngineInfo*> mutants() {
  std::vector<const EngineInfo*> all;
  for (const EngineInfo& engine : built_in_parts().engines)
    if (!engine.broken.empty()) all.push_back(&engine);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, EngineMutants, testing::ValuesIn(mutants()), [](const auto& info) {
  return info.param->name.substr(std::string_view("mutant:").size());
});

class ReferenceEngine : public testing::TestWithParam<std::string_view> {};

TEST_P(ReferenceEngine, IsConvictedOfNothing) {
  CertifyOptions asked = options(built_in_parts().engines.front(), GetParam());
  asked.cases = 40;
  const Report report = certified(asked);
  EXPECT_TRUE(report.troubles.empty());
  for (const std::string& trouble : report.driver_troubles) ADD_FAILURE() << trouble;
  for (const RuleReport& rule : report.rules) {
    EXPECT_NE(rule.verdict, Verdict::fail) << rule.id << "\n" << rule.story;
    EXPECT_NE(rule.verdict, Verdict::vacuous) << rule.id;
    EXPECT_NE(rule.verdict, Verdict::inconclusive) << rule.id << " " << rule.reason;
  }
}

INSTANTIATE_TEST_SUITE_P(Under, ReferenceEngine, testing::ValuesIn(profile_names()),
                         [](const auto& info) { return std::string(info.param); });

TEST(EngineTokens, ReplayExactly) {
  CertifyOptions asked = options(*built_in_parts().engine_canary, "reference");
  asked.rules = {"HB-6"};
  const Report report = certified(asked);
  ASSERT_FALSE(report.rules.empty());
  const auto token = decode_token(report.rules.front().token);
  ASSERT_TRUE(token.ok()) << token.error().message;
  EXPECT_EQ(token->engine, "mutant:no_heartbeats");
  const ReplayResult again = replay(*token, memory(), built_in_parts(), {});
  EXPECT_TRUE(again.match) << again.divergence << again.trouble.value_or("");
  EXPECT_TRUE(again.convicted);
}

TEST(EngineRuns, ShowNoCallOfAWorkerThatIsDead) {
  const auto scenarios = built_in_parts().engine_scenarios;
  const auto at = std::ranges::find(scenarios, "a_worker_dies_with_jobs", &Scenario::name);
  ASSERT_NE(at, scenarios.end());
  const Profile profile = *built_in_profile("reference");
  VirtualClock clock;
  const RunResult ran = run_engine(at->plan(profile), memory(), DriverOptions{profile, clock},
                                   built_in_parts().engines.front(), "memory");
  ASSERT_FALSE(ran.trouble) << ran.trouble->message;
  std::set<int> dead, alive;
  for (const Event& event : ran.history.events) {
    if (const auto* call = std::get_if<CallEvent>(&event)) {
      EXPECT_FALSE(dead.contains(call->client)) << call->op;
    }
    const auto* engine = std::get_if<EngineEvent>(&event);
    if (engine && engine->kind == EngineEvent::Kind::worker_connected)
      alive.insert(*engine->client);
    if (engine && engine->kind == EngineEvent::Kind::worker_died) dead = alive;
  }
  EXPECT_FALSE(dead.empty());
}

// Of the jobs that wait those that failed before come last.
class ServesRetriesLast final : public memory_queue::Decisions {
 public:
  using Decisions::Decisions;
  memory_queue::OrderKey order_of(const memory_queue::Record& record) const override {
    memory_queue::OrderKey key = Decisions::order_of(record);
    if (record.job.attempts > 0) ++key.rank;
    return key;
  }
};

// Which jobs a batch has is the store's to say: an engine breaks this one by what it runs on.
TEST(EngineOnAWrongStore, IsConvictedOfBatchesWithoutRoomForRetries) {
  CertifyOptions asked = options(built_in_parts().engines.front(), "upnext");
  asked.rules = {"XFAIR-1"};
  CertifyListener listener;
  const Report right = certified(asked);
  ASSERT_EQ(right.rules.size(), 1u);
  EXPECT_EQ(right.rules.front().verdict, Verdict::pass) << right.rules.front().story;
  const Mutant store = mutants::within_memory<ServesRetriesLast>({.name = "serves_retries_last"});
  const Report wrong = certify(store.driver(), asked, built_in_parts(), listener);
  ASSERT_EQ(wrong.rules.size(), 1u);
  EXPECT_EQ(wrong.rules.front().verdict, Verdict::fail) << wrong.rules.front().reason;
}

TEST(EngineMutantsTogether, BreakEveryRuleThatIsJudged) {
  std::set<std::string_view> broken, judged;
  for (const EngineInfo& engine : built_in_parts().engines)
    broken.insert(engine.broken.begin(), engine.broken.end());
  for (const Property& property : built_in_parts().properties)
    for (const std::string_view rule : property.rules)
      if (concerns(*find_rule(rule), Certifies::engine)) judged.insert(rule);
  judged.erase("XFAIR-1");  // EngineOnAWrongStore
  for (const std::string_view rule : judged) EXPECT_TRUE(broken.contains(rule)) << rule;
}

}  // namespace
}  // namespace assay
