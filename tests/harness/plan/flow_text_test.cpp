#include "harness/plan/flow_text.h"

#include <gtest/gtest.h>

#include "harness/plan/engine_build.h"
#include "harness/plan/generate_flows.h"
#include "harness/plan/shrink.h"

namespace assay {
namespace {

constexpr const char* nested =
    "f = go_on chain(a: fail | 200 ok, chord(b: ok, chain(c: ok, d: ok); e: ok), g: ok)";

FlowOrder order(const std::string& text) { return order_of(*flow_in(text)); }

const FlowStep& step(const FlowOrder& order, const std::string& name) {
  for (const FlowStep& one : order.steps)
    if (one.name == name) return one;
  throw std::logic_error("no step " + name);
}

std::string before(const FlowOrder& order, const std::string& name) {
  std::string names;
  for (const std::size_t one : step(order, name).after) names += order.steps[one].name;
  return names;
}

TEST(FlowText, IsReadAsItWasWritten) {
  const auto flow = flow_in(nested);
  ASSERT_TRUE(flow.ok()) << flow.error().message;
  EXPECT_EQ(flow->id, "f");
  EXPECT_TRUE(flow->goes_on);
  ASSERT_EQ(flow->root.parts.size(), 3U);
  EXPECT_EQ(flow->root.parts[0].script, "fail | 200 ok");
  EXPECT_EQ(flow->root.parts[1].name, "e");
  EXPECT_EQ(text_of(*flow), nested);
}

TEST(FlowText, OfAnySeedIsReadAsItWasWritten) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const std::string text = draw_flow(random, "f", Duration{30'000});
    const auto flow = flow_in(text);
    ASSERT_TRUE(flow.ok()) << text;
    EXPECT_EQ(text_of(*flow), text);
  }
}

TEST(FlowText, ThatIsNoneIsRefusedWithASentence) {
  for (const char* text :
       {"", "f", "f = ", "f = chain()", "f = chain(a: ok", "f = a", "= a: ok", "f = chord(a: ok)",
        "f = group(a: ok, a: ok)", "f = a: ok b)", "F = a: ok"}) {
    const auto flow = flow_in(text);
    ASSERT_FALSE(flow.ok()) << text;
    EXPECT_FALSE(flow.error().message.empty());
  }
  std::string deep = "a: ok";
  for (int i = 0; i < 9; ++i) deep = "chain(" + deep + ")";
  EXPECT_FALSE(flow_in("f = " + deep).ok());
}

TEST(FlowText, TellsWhoComesAfterWhom) {
  const FlowOrder found = order(nested);
  EXPECT_EQ(before(found, "a"), "");
  EXPECT_EQ(before(found, "b"), "a");
  EXPECT_EQ(before(found, "c"), "a");
  EXPECT_EQ(before(found, "d"), "c");
  EXPECT_EQ(before(found, "e"), "bd");
  EXPECT_EQ(before(found, "g"), "e");
  EXPECT_TRUE(step(found, "e").is_last_of_chord);
  EXPECT_EQ(step(found, "e").chord_after, step(found, "b").after);
  EXPECT_FALSE(step(found, "g").is_last_of_chord);
}

TEST(FlowText, TellsWhoStandsBesideWhom) {
  const FlowOrder found = order("f = chain(a: ok, group(b: ok, group(c: ok, d: ok)))");
  ASSERT_EQ(found.groups.size(), 2U);
  EXPECT_EQ(found.groups[0], (std::vector<std::vector<std::size_t>>{{2}, {3}}));
  EXPECT_EQ(found.groups[1], (std::vector<std::vector<std::size_t>>{{1}, {2, 3}}));
}

TEST(FlowText, IsKnownByWhatAJobCarries) {
  const std::string payload = payload_of({"f", "a"}, "fail | ok");
  const FlowMember expected{"f", "a"};
  EXPECT_EQ(member_in(payload), expected);
  for (const char* other : {"ok", "", "@", "@f ok", "@f/ ok", "@/a ok", "@f/A ok"})
    EXPECT_FALSE(member_in(other)) << other;
}

// Whatever is wrong with one step is shown by that step alone.
TEST(FlowText, ShrinksToWhatMatters) {
  EnginePlan made(*built_in_profile("reference"), "x");
  made.worker({});
  made.flow(nested);
  made.flow(nested);
  const ShrinkResult smaller = shrink(
      made.done(),
      [](const Plan& plan) {
        return std::ranges::any_of(plan.steps, [](const Step& step) {
          return step.what.find("d: ok") != std::string::npos;
        });
      },
      1'000);
  ASSERT_EQ(smaller.plan.steps.size(), 1U);
  EXPECT_EQ(smaller.plan.steps[0].what, "f = d: ok");
}

}  // namespace
}  // namespace assay
