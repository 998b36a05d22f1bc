#include "harness/plan/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/contract/random.h"

namespace assay {
namespace {

// Sixty steps of noise, among which these three in order are what fails: a reserve of w2 with a
// lease of 700 ms, an ack of w3, and a get of the job in slot 7.
Plan noisy() {
  Plan plan{"noisy", {{"w1"}, {"w2"}, {"w3"}, {"w4"}}, {}};
  Random random(11);
  for (int i = 0; i < 60; ++i)
    plan.steps.push_back({.kind = StepKind::enqueue,
                          .client = static_cast<int>(random.below(4)),
                          .slot = i,
                          .queues = {"\xff hostile"},
                          .type = "\n",
                          .payload = {.kind = PayloadSpec::Kind::pattern, .size = 9'000},
                          .when = When{.offset = Duration(123'456)},
                          .key = "k"});
  plan.steps[7].slot = 7;
  plan.steps[20] = {.kind = StepKind::reserve,
                    .client = 1,
                    .slot = 5,
                    .queues = {"a", "b"},
                    .lease = Duration(700),
                    .max = 9};
  plan.steps[33] = {.kind = StepKind::ack, .client = 2, .token = {.claim = {5, 0}}};
  plan.steps[55] = {.kind = StepKind::get, .client = 3, .job = {JobRef::Kind::made, 7}};
  return plan;
}

bool fails(const Plan& plan) {
  int seen = 0;
  int reserver = -1;
  for (const auto& step : plan.steps) {
    if (seen == 0 && step.kind == StepKind::reserve && step.lease == Duration(700)) {
      seen = 1;
      reserver = step.client;
    } else if (seen == 1 && step.kind == StepKind::ack && step.client != reserver) {
      seen = 2;
    } else if (seen == 2 && step.kind == StepKind::get) {
      seen = 3;
    }
  }
  return seen == 3;
}

TEST(Shrink, EndsWithTheNeededStepsAndNothingElse) {
  const auto result = shrink(noisy(), fails, 2'000);
  EXPECT_TRUE(result.minimal);
  EXPECT_TRUE(fails(result.plan));
  EXPECT_LE(result.runs, 300);
  ASSERT_EQ(result.plan.steps.size(), 3U);
  EXPECT_EQ(result.plan.clients.size(), 2U);
  EXPECT_EQ(result.plan.steps[0], (Step{.kind = StepKind::reserve,
                                        .client = result.plan.steps[0].client,
                                        .slot = 0,
                                        .queues = {"q"},
                                        .lease = Duration(700)}));
  EXPECT_EQ(result.plan.steps[1].token.claim, (ClaimRef{0, 0}));
}

TEST(Shrink, LeavesPeopleApartWhereThatIsTheStory) {
  Plan plan{"people",
            {{"producer", Role::producer}, {"w1"}, {"w2"}, {"w3"}, {"admin", Role::admin}},
            {{.kind = StepKind::enqueue, .client = 0, .slot = 0, .queues = {"q"}, .type = "t"},
             {.kind = StepKind::reserve, .client = 1, .slot = 0, .queues = {"q"}},
             {.kind = StepKind::reserve, .client = 2, .slot = 1, .queues = {"q"}},
             {.kind = StepKind::ack, .client = 3, .token = {.claim = {0, 0}}}}};
  const auto result = shrink(
      plan, [](const Plan& p) { return p.steps.size() == 4; }, 500);
  EXPECT_EQ(result.plan.clients,
            (std::vector<ClientSpec>{plan.clients[0], plan.clients[1], plan.clients[2]}));
}

// The first job stands before the second, so neither it nor the claim that takes it can go alone.
TEST(Shrink, LeavesAJobOutTogetherWithItsClaim) {
  Plan plan{"pair", {{"w1"}}, {}};
  for (const int slot : {0, 1})
    plan.steps.push_back(
        {.kind = StepKind::enqueue, .slot = slot, .queues = {"q"}, .type = "t", .priority = slot});
  for (const int slot : {0, 1})
    plan.steps.push_back({.kind = StepKind::reserve, .slot = slot, .queues = {"q"}});
  plan.steps.push_back({.kind = StepKind::ack, .token = {.claim = {1, 0}}});
  const auto as_many = [](const Plan& p) {
    const auto count = [&](StepKind kind) {
      return std::ranges::count(p.steps, kind, &Step::kind);
    };
    return count(StepKind::ack) == 1 && count(StepKind::enqueue) > 0 &&
           count(StepKind::enqueue) == count(StepKind::reserve);
  };
  const auto result = shrink(plan, as_many, 500);
  EXPECT_TRUE(result.minimal);
  EXPECT_EQ(result.plan.steps.size(), 3U);
}

TEST(Shrink, IsTheSameEveryTime) {
  const auto once = shrink(noisy(), fails, 2'000);
  const auto again = shrink(noisy(), fails, 2'000);
  EXPECT_EQ(once.plan, again.plan);
  EXPECT_EQ(once.runs, again.runs);
}

TEST(Shrink, KeepsToItsBudgetAndToAPlanThatFails) {
  for (const int budget : {0, 1, 5, 20, 40}) {
    int asked = 0;
    const auto result = shrink(
        noisy(),
        [&](const Plan& plan) {
          ++asked;
          return fails(plan);
        },
        budget);
    EXPECT_LE(asked, budget);
    EXPECT_EQ(result.runs, asked);
    EXPECT_TRUE(fails(result.plan));
    EXPECT_FALSE(result.minimal);
  }
}

TEST(Shrink, SimplifiesNamesTheSameWayEverywhere) {
  Plan plan{"names", {{"w1"}}, {}};
  for (const char* queue : {"\xff", "x y", "\xff"})
    plan.steps.push_back({.kind = StepKind::enqueue, .slot = 3, .queues = {queue}, .type = "\x01"});
  const auto result = shrink(
      plan,
      [](const Plan& p) {
        return p.steps.size() == 3 && p.steps[0].queues == p.steps[2].queues &&
               p.steps[0].queues != p.steps[1].queues;
      },
      500);
  EXPECT_EQ(result.plan.steps[0].queues, std::vector<std::string>{"q"});
  EXPECT_EQ(result.plan.steps[1].queues, std::vector<std::string>{"q2"});
  EXPECT_EQ(result.plan.steps[2].queues, std::vector<std::string>{"q"});
  EXPECT_EQ(result.plan.steps[2].type, "t");
}

TEST(Shrink, BringsInstantsNearer) {
  Plan plan{"near", {{"w1"}}, {}};
  plan.steps.push_back({.when = When{.offset = Duration(86'400'000)}});
  const auto result = shrink(
      plan,
      [](const Plan& p) { return !p.steps.empty() && p.steps[0].when->offset >= Duration(500); },
      500);
  EXPECT_EQ(result.plan.steps[0].when->offset, Duration(1'000));
}

// Client 1 must come in between two moves of client 0, in the second round.
bool comes_in_between(Plan& plan) {
  const auto& all = plan.schedule->choices;
  const auto round = std::ranges::find(all, Schedule::next_round);
  const auto first = std::find(round, all.end(), 0);
  const auto second = std::find(first, all.end(), 1);
  return std::find(second, all.end(), 0) != all.end();
}

TEST(ShrinkSchedule, LeavesTheFewestSwitches) {
  Plan plan{"race", {{"w1"}, {"w2"}, {"w3"}}, {}};
  Random random(5);
  std::vector<int> choices;
  for (int i = 0; i < 60; ++i)
    choices.push_back(i == 20 ? Schedule::next_round : static_cast<int>(random.below(3)));
  plan.schedule = {.kind = Schedule::Kind::choices, .choices = choices};
  const ShrinkResult result = shrink_schedule(plan, comes_in_between, 1'000);
  EXPECT_TRUE(result.minimal);
  Plan shrunk = result.plan;
  EXPECT_TRUE(comes_in_between(shrunk));
  // Three clients one after the other, and in the second round one of them twice.
  EXPECT_EQ(switches(shrunk.schedule->choices), 5U) << text_of(shrunk.schedule->choices);
}

TEST(ShrinkSchedule, KeepsToItsBudget) {
  Plan plan{"race", {{"w1"}, {"w2"}}, {}};
  plan.schedule = {.kind = Schedule::Kind::choices, .choices = {0, 1, 0, 1, 0, 1, -1, 0, 1, 0}};
  int asked = 0;
  const ShrinkResult result = shrink_schedule(
      plan,
      [&](Plan& candidate) {
        ++asked;
        return comes_in_between(candidate);
      },
      3);
  EXPECT_LE(asked, 3);
  EXPECT_EQ(result.runs, asked);
  EXPECT_FALSE(result.minimal);
}

TEST(Shrink, KeepsAScheduleWithTheClientsItSpeaksOf) {
  Plan plan{"race", {{"w1"}, {"w2"}, {"w3"}, {"w4"}}, {}};
  for (const int client : {1, 3})
    plan.steps.push_back(
        {.kind = StepKind::pause, .client = client, .free = true, .queues = {"q"}});
  plan.schedule = {.kind = Schedule::Kind::choices, .choices = {3, 4, 1}};
  // The later client moves before the clock, and that before the earlier client.
  const auto in_order = [](Plan& each) {
    const int clock = static_cast<int>(each.clients.size());
    return each.schedule && each.steps.size() == 2 &&
           each.steps[0].client != each.steps[1].client &&
           each.schedule->choices ==
               std::vector<int>{each.steps[1].client, clock, each.steps[0].client};
  };
  const ShrinkResult result = shrink(plan, in_order, 500);
  EXPECT_EQ(result.plan.clients.size(), 2U);
  EXPECT_EQ(result.plan.schedule->choices, (std::vector<int>{1, 2, 0}));
}

TEST(Shrink, GivesAFaultItsUsualNumbersWhereOthersAreNotNeeded) {
  Plan plan{"plan", {{"w1"}}, {}};
  for (int slot = 0; slot < 2; ++slot) {
    plan.steps.push_back({.kind = StepKind::begin_fault, .slot = slot});
    plan.steps.back().fault = FaultSpec{"fail_over", true, {{"lag", slot}}};
    plan.steps.push_back({.kind = StepKind::end_fault, .slot = slot});
  }
  const auto needs_a_lag_of_one = [](const Plan& candidate) {
    return std::ranges::any_of(candidate.steps,
                               [](const Step& step) {
                                 return step.fault && step.fault->with.contains("lag") &&
                                        step.fault->with.at("lag") == 1;
                               }) &&
           std::ranges::count(candidate.steps, StepKind::begin_fault, &Step::kind) == 2;
  };
  const auto result = shrink(plan, needs_a_lag_of_one, 100);
  ASSERT_EQ(result.plan.steps.size(), 2u);
  EXPECT_TRUE(result.plan.steps[0].fault->with.empty());
  EXPECT_EQ(result.plan.steps[1].fault->with.at("lag"), 1);
}

}  // namespace
}  // namespace assay
