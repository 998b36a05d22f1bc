#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

#include "drivers/memory/memory.h"
#include "drivers/mutants/forwarding.h"
#include "faults/all.h"
#include "harness/contract/clock.h"
#include "harness/contract/rules.h"
#include "harness/judge/judge.h"
#include "harness/plan/generate.h"
#include "harness/run/run.h"
#include "properties/all.h"
#include "scenarios/all.h"

namespace assay {
namespace {

class ScenariosOnMemory : public testing::TestWithParam<std::string_view> {
 protected:
  Judgement judged(const Plan& plan) const {
    return judged(plan, [](std::unique_ptr<Driver> memory) { return memory; });
  }

  template <class Wrap>
  Judgement judged(const Plan& plan, Wrap wrap) const {
    VirtualClock clock;
    auto memory = assay::memory().make({.profile = profile_, .clock = clock, .seed = 7});
    const std::unique_ptr<Driver> driver = wrap(std::move(memory).value());
    Stage stage;
    stage.faults = all_faults();
    const RunResult ran = run(plan, *driver, "memory", stage);
    EXPECT_FALSE(ran.trouble) << ran.trouble->message;
    EXPECT_FALSE(ran.void_because) << plan.name << ": " << *ran.void_because;
    return judge(ran.history, all_properties());
  }

  void expect_triggers(const Scenario& scenario, const Judgement& judgement) const {
    for (const std::string_view id : scenario.triggers)
      EXPECT_TRUE(!applies(*find_rule(id), profile_) || judgement.tallies.contains(id))
          << id << " by " << scenario.name;
  }

  // A store in our own process cannot be killed and survive.
  bool makes_sense(const Scenario& scenario) const {
    if (scenario.level == Level::durability) return false;
    Rule rule{};
    rule.needs = scenario.needs;
    return applies(rule, profile_);
  }

  const Profile profile_ = *built_in_profile(GetParam());
};

TEST_P(ScenariosOnMemory, TriggerTheRulesThatTheyName) {
  for (const Scenario& scenario : all_scenarios()) {
    if (!makes_sense(scenario)) continue;
    expect_triggers(scenario, judged(scenario.plan(profile_)));
  }
}

void dawdle() {
  RealClock clock;
  clock.sleep_until(clock.now() + Duration{2}, {});
}

// Whoever claims is late for everything that happens at once.
class ClaimsLast : public mutants::ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;
  Result<Claims> reserve(Instant now, const Reserve& request) override {
    dawdle();
    return ForwardingSession::reserve(now, request);
  }
};

// And whoever settles, extends or administers.
class ClaimsFirst : public mutants::ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;
  Status ack(Instant now, const Ack& request) override {
    dawdle();
    return ForwardingSession::ack(now, request);
  }
  Status retry(Instant now, const Retry& request) override {
    dawdle();
    return ForwardingSession::retry(now, request);
  }
  Status fail(Instant now, const Fail& request) override {
    dawdle();
    return ForwardingSession::fail(now, request);
  }
  Result<Nacked> nack(Instant now, const Nack& request) override {
    dawdle();
    return ForwardingSession::nack(now, request);
  }
  Result<Cancelled> cancel(Instant now, const Cancel& request) override {
    dawdle();
    return ForwardingSession::cancel(now, request);
  }
  Status pause(Instant now, const Pause& request) override {
    dawdle();
    return ForwardingSession::pause(now, request);
  }
  Status resume(Instant now, const Resume& request) override {
    dawdle();
    return ForwardingSession::resume(now, request);
  }
};

TEST_P(ScenariosOnMemory, OfRacesTriggerTheirRulesWhoeverComesFirst) {
  for (const Scenario& scenario : all_scenarios()) {
    if (!makes_sense(scenario) || scenario.level != Level::concurrency) continue;
    const auto wrapped = [&]<class S>(std::type_identity<S>) {
      return judged(scenario.plan(profile_), [](std::unique_ptr<Driver> memory) {
        return std::make_unique<mutants::ForwardingDriver<S>>(std::move(memory));
      });
    };
    expect_triggers(scenario, wrapped(std::type_identity<ClaimsLast>{}));
    expect_triggers(scenario, wrapped(std::type_identity<ClaimsFirst>{}));
  }
}

TEST_P(ScenariosOnMemory, AreAllFoundToHold) {
  for (const Scenario& scenario : all_scenarios()) {
    if (!makes_sense(scenario)) continue;
    for (const Finding& finding : judged(scenario.plan(profile_)).findings)
      ADD_FAILURE() << finding.rule << " by " << scenario.name << ": " << finding.story;
  }
}

TEST_P(ScenariosOnMemory, GeneratedPlansOfClientsThatMoveAtOnceAreFoundToHold) {
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    for (const Finding& finding : judged(generate_free(profile_, seed)).findings)
      ADD_FAILURE() << finding.rule << " by seed " << seed << ": " << finding.story;
}

TEST_P(ScenariosOnMemory, GeneratedPlansAreFoundToHold) {
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (const Finding& finding : judged(generate(profile_, seed)).findings)
      ADD_FAILURE() << finding.rule << " by seed " << seed << ": " << finding.story;
}

INSTANTIATE_TEST_SUITE_P(Profiles, ScenariosOnMemory, testing::ValuesIn(profile_names()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace assay
