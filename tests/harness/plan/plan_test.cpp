#include "harness/plan/plan.h"

#include <gtest/gtest.h>

#include <bitset>

namespace assay {
namespace {

Plan plan_of(Step step) { return {"p", {{"w1", Role::worker}}, {std::move(step)}}; }

std::string wrong_with(const Plan& plan) {
  const auto valid = validate(plan);
  return valid.ok() ? "nothing" : valid.error().message;
}

TEST(Plan, NamesEveryKindOfStep) {
  for (int i = 0; i <= static_cast<int>(StepKind::advance); ++i) {
    const auto kind = static_cast<StepKind>(i);
    EXPECT_EQ(step_kind_from(name_of(kind)), kind);
  }
  EXPECT_FALSE(step_kind_from("sleep"));
}

TEST(Plan, SaysWhatIsWrongWithAPlanFromOutside) {
  EXPECT_EQ(wrong_with(plan_of({.kind = StepKind::get})), "nothing");
  EXPECT_EQ(wrong_with({"p", {}, {}}), "a plan needs a client");
  EXPECT_EQ(wrong_with({"p", {{"a"}, {"a"}}, {}}), "two clients named \"a\"");
  EXPECT_EQ(wrong_with(plan_of({.kind = StepKind::get, .client = 1})),
            "step 0 (get): client 1 is not there: the plan has 1");
  EXPECT_EQ(wrong_with(plan_of({.kind = StepKind::enqueue, .slot = -2})),
            "step 0 (enqueue): a negative slot, -2");
  EXPECT_EQ(wrong_with(plan_of({.kind = StepKind::ack, .token = {.claim = {-1, 0}}})),
            "step 0 (ack): a negative slot of claims");
  EXPECT_EQ(wrong_with(plan_of({.kind = StepKind::advance})),
            "step 0 (advance): an advance without an instant");
  EXPECT_EQ(wrong_with(plan_of({.kind = StepKind::pause, .queues = {"a", "b"}})),
            "step 0 (pause): 2 queues; only a reserve asks for more than one");
  EXPECT_NE(wrong_with(plan_of(
                {.kind = StepKind::enqueue,
                 .payload = {.kind = PayloadSpec::Kind::pattern, .size = std::uint64_t{1} << 40}})),
            "nothing");
}

TEST(Payload, APatternHoldsEveryByteAndDependsOnSizeAndSeed) {
  const PayloadSpec spec{.kind = PayloadSpec::Kind::pattern, .size = 10'000, .seed = 5};
  const std::string bytes = bytes_of(spec);
  std::bitset<256> seen;
  for (const char byte : bytes) seen.set(static_cast<unsigned char>(byte));
  EXPECT_EQ(bytes.size(), 10'000U);
  EXPECT_TRUE(seen.all());
  EXPECT_EQ(bytes_of(spec), bytes);
  EXPECT_NE(bytes_of({.kind = PayloadSpec::Kind::pattern, .size = 10'000, .seed = 6}), bytes);
}

TEST(Payload, TheShortestPatternsAreNeitherTextNorUtf8) {
  EXPECT_EQ(bytes_of({.kind = PayloadSpec::Kind::pattern}), "");
  EXPECT_EQ(bytes_of({.kind = PayloadSpec::Kind::pattern, .size = 2}), std::string("\0\xff", 2));
  EXPECT_EQ(bytes_of({.text = "as it is"}), "as it is");
}

TEST(Plan, LetsTimeMoveAtOnceWithCalls) {
  Plan plan = plan_of({.kind = StepKind::advance, .free = true, .when = When{}});
  EXPECT_EQ(wrong_with(plan), "nothing");
  EXPECT_FALSE(is_free(plan));
  plan.steps.push_back({.kind = StepKind::pause, .free = true, .queues = {"q"}});
  EXPECT_TRUE(is_free(plan));
  EXPECT_EQ(free_until(plan, 0), 2U);
}

TEST(Plan, HasChoicesOfItsOwnClientsAndTheClockOnly) {
  Plan plan = plan_of({.kind = StepKind::pause, .queues = {"q"}});
  const int clock = static_cast<int>(plan.clients.size());
  plan.schedule = Schedule{.kind = Schedule::Kind::choices, .choices = {0, clock, -1, 0}};
  EXPECT_EQ(wrong_with(plan), "nothing");
  plan.schedule->choices.push_back(clock + 1);
  EXPECT_NE(wrong_with(plan).find("a choice of client"), std::string::npos);
}

TEST(Plan, IsFreeWhereTwoClientsCanMeet) {
  const auto plan_with = [](bool free, int other) {
    Plan plan{"p", {{"w1", Role::worker}, {"w2", Role::worker}}, {}};
    for (const int client : {0, other})
      plan.steps.push_back(
          {.kind = StepKind::pause, .client = client, .free = free, .queues = {"q"}});
    return plan;
  };
  EXPECT_TRUE(is_free(plan_with(true, 1)));
  EXPECT_FALSE(is_free(plan_with(true, 0)));
  EXPECT_FALSE(is_free(plan_with(false, 1)));
  Plan apart = plan_with(true, 1);
  apart.steps.insert(apart.steps.begin() + 1, {.kind = StepKind::advance, .when = When{}});
  EXPECT_FALSE(is_free(apart));
}

}  // namespace
}  // namespace assay
