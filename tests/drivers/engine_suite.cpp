#include "tests/drivers/engine_suite.h"

#include <algorithm>
#include <set>

#include "harness/history/jsonl.h"
#include "harness/judge/property.h"
#include "harness/plan/generate_engine.h"
#include "harness/run/certify.h"
#include "harness/run/engine.h"
#include "harness/run/engine_processes.h"
#include "harness/run/parts.h"
#include "tests/harness/run/fakes.h"

namespace assay::on_store {
namespace {

CertifyOptions options(const Case& of, const std::optional<std::string>& url,
                       const EngineInfo& engine) {
  CertifyOptions options;
  options.driver = of.store.name;
  options.driver_url = url;
  options.profile = built_in_profile(of.profile).value();
  options.level = Level::chaos;
  options.engine = &engine;
  options.seed = 20'300'101;
  options.cases = 2;
  return options;
}

const EngineInfo& reference() { return built_in_parts().engines.front(); }

// On a driver that is kept, in a namespace that is used again.
RunResult run_on(const Case& of, Driver& driver, const std::optional<std::string>& url,
                 const Plan& plan) {
  VirtualClock unused;
  return run_engine(plan, of.store.info, {driver.profile(), unused, 7, url, "/tmp"}, reference(),
                    of.store.name, built_in_parts().faults, {&driver});
}

// Calls that overlap.
std::size_t most_at_once(const History& history) {
  std::size_t open = 0, most = 0;
  for (const Event& event : history.events) {
    if (std::holds_alternative<CallEvent>(event)) most = std::max(most, ++open);
    if (std::holds_alternative<ReturnEvent>(event)) --open;
  }
  return most;
}

}  // namespace

// By some of the rules: who wants all of them certifies it.
TEST_P(EngineOnStore, IsConvictedOfNothing) {
  CertifyListener silent;
  CertifyOptions asked = options(GetParam(), url_, reference());
  asked.rules = {"HB-1", "EXEC-2", "DELIV-1", "XWORK-1"};
  const Report report = certify(GetParam().store.info, asked, built_in_parts(), silent);
  EXPECT_TRUE(report.troubles.empty() && report.driver_troubles.empty()) << fakes::text_of(report);
  EXPECT_GT(report.scenarios, 3U);
  for (const RuleReport& rule : report.rules)
    EXPECT_TRUE(rule.verdict == Verdict::pass || rule.verdict == Verdict::not_applicable ||
                rule.verdict == Verdict::missing)
        << rule.id << " " << rule.reason << "\n"
        << rule.story;
}

TEST_P(EngineOnStore, RepeatsAHistoryToTheByteWithCallsThatOverlap) {
  VirtualClock standing;
  const Profile profile = built_in_profile(GetParam().profile).value();
  auto driver = GetParam().store.info.make({profile, standing, 7, url_, "/tmp"});
  ASSERT_TRUE(driver.ok()) << driver.error().message;
  std::size_t at_once = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Plan plan = generate_engine(profile, seed, Level::chaos);
    const RunResult once = run_on(GetParam(), **driver, url_, plan);
    const RunResult again = run_on(GetParam(), **driver, url_, plan);
    ASSERT_FALSE(once.trouble) << once.trouble->message;
    ASSERT_FALSE(again.trouble) << again.trouble->message;
    ASSERT_GT(once.history.events.size(), 10U);
    EXPECT_EQ(history_hash(once.history), history_hash(again.history)) << "seed " << seed;
    at_once = std::max(at_once, most_at_once(once.history));
  }
  EXPECT_GT(at_once, 1U);
}

// Its heartbeats are what keeps a lease: without them the store must see the time that passes.
TEST_P(EngineOnStore, ConvictsAMutantWithATokenThatReplays) {
  const EngineInfo& canary = *built_in_parts().engine_canary;
  CertifyOptions asked = options(GetParam(), url_, canary);
  asked.cases = 0;
  asked.rules = {std::string(canary.broken.front())};
  asked.shrink_runs = 40;
  CertifyListener silent;
  const Report report = certify(GetParam().store.info, asked, built_in_parts(), silent);
  const auto at = std::ranges::find(report.rules, canary.broken.front(), &RuleReport::id);
  ASSERT_NE(at, report.rules.end());
  ASSERT_EQ(at->verdict, Verdict::fail) << fakes::text_of(report);
  EXPECT_EQ(at->tier, "exact");
  EXPECT_EQ(at->reason.find("deterministic"), std::string::npos) << at->reason;
  const auto token = decode_token(at->token);
  ASSERT_TRUE(token.ok()) << token.error().message;
  ReplayOptions how;
  how.driver_url = url_;
  const ReplayResult again = replay(*token, GetParam().store.info, built_in_parts(), how);
  EXPECT_TRUE(again.match) << again.divergence << again.trouble.value_or("");
  EXPECT_TRUE(again.convicted);
}

static Plan of_processes(std::string_view name, const Profile& profile) {
  for (const Scenario& scenario : built_in_parts().engine_scenarios)
    if (scenario.name == name) return scenario.plan(profile);
  return {};
}

static RunResult run_as_processes(const Case& of, const std::optional<std::string>& url,
                                  const EngineInfo& engine, std::string_view scenario) {
  const Profile profile = built_in_profile(of.profile).value();
  const Folder folder;
  return run_in_processes(of_processes(scenario, profile),
                          {.driver = of.store.info,
                           .profile = profile,
                           .url = url,
                           .scratch = folder.path(),
                           .log_folder = "",
                           .seed = 7,
                           .program = {ASSAY_BINARY, "engine-worker"},
                           .faults = built_in_parts().faults},
                          engine, of.store.name);
}

// Of the rules that are judged there.
static std::set<std::string> convicted_in(const History& history) {
  std::set<std::string> rules;
  for (const Finding& finding :
       Judge(history.profile, built_in_parts().properties).judge(history).findings)
    if (is_judged_in_processes(finding.rule)) rules.insert(std::string(finding.rule));
  return rules;
}

TEST_P(EngineOnStore, IsConvictedOfNothingInProcessesThatAreKilledAndStopped) {
  for (const std::string_view scenario :
       {"workers_are_killed", "a_worker_stands_still_past_its_lease"}) {
    const RunResult ran = run_as_processes(GetParam(), url_, reference(), scenario);
    ASSERT_FALSE(ran.trouble) << scenario << ": " << ran.trouble->message;
    ASSERT_FALSE(ran.void_because) << scenario << ": " << *ran.void_because;
    EXPECT_EQ(convicted_in(ran.history), std::set<std::string>{}) << scenario;
    std::set<std::string> said;
    for (const Event& event : ran.history.events)
      if (const auto* engine = std::get_if<EngineEvent>(&event))
        said.insert(std::string(name_of(engine->kind)));
    for (const EngineEvent::Kind kind :
         {EngineEvent::Kind::worker_started, EngineEvent::Kind::worker_connected,
          EngineEvent::Kind::handler_ended, EngineEvent::Kind::watched,
          EngineEvent::Kind::worker_ended})
      EXPECT_TRUE(said.contains(std::string(name_of(kind)))) << scenario << " " << name_of(kind);
  }
}

TEST_P(EngineOnStore, ConvictsAMutantInProcesses) {
  const EngineInfo* mutant = find_engine(built_in_parts().engines, "mutant:acks_before_it_runs");
  ASSERT_TRUE(mutant);
  const RunResult ran = run_as_processes(GetParam(), url_, *mutant, "workers_are_killed");
  ASSERT_FALSE(ran.trouble) << ran.trouble->message;
  EXPECT_TRUE(convicted_in(ran.history).contains("EXEC-3"));
}

}  // namespace assay::on_store
