#include "harness/plan/script.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/plan/generate_engine.h"
#include "harness/plan/generate_processes.h"
#include "harness/plan/json.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

TEST(Script, HasAnActForEachRunAndTheLastOneForAllOthers) {
  const std::string script = "fail | 200 ok";
  EXPECT_EQ(act_of(script, 1), (Act{0ms, Act::End::fail}));
  EXPECT_EQ(act_of(script, 2), (Act{200ms, Act::End::ok}));
  EXPECT_EQ(act_of(script, 9), (Act{200ms, Act::End::ok}));
}

TEST(Script, KnowsEveryEndAndWhoIsDeaf) {
  EXPECT_EQ(act_of("throw", 1).end, Act::End::throws);
  EXPECT_EQ(act_of("odd", 1).end, Act::End::odd);
  EXPECT_EQ(act_of("unrecoverable", 1).end, Act::End::unrecoverable);
  EXPECT_EQ(act_of("300 ok deaf 50", 1), (Act{300ms, Act::End::ok, 50ms}));
}

TEST(Script, MakesOutputsBeforeItsTimeAndBehindIt) {
  using Kind = OutputAct::Kind;
  const Act act = act_of("commit c 200 put p append l ok stubborn", 1);
  EXPECT_EQ(act.first, (std::vector<OutputAct>{{Kind::commit, "c"}}));
  EXPECT_EQ(act.then, (std::vector<OutputAct>{{Kind::put, "p"}, {Kind::append, "l"}}));
  EXPECT_EQ(act.length, 200ms);
  EXPECT_TRUE(act.stubborn);
  EXPECT_EQ(act_of("put", 1), Act{});
}

TEST(Script, ThatIsNoneSucceedsAtOnce) {
  for (const char* text : {"", "|", "hello", "-5 ok", "99999999999999999999 ok", "deaf", "\xff"})
    EXPECT_EQ(act_of(text, 1).end, Act::End::ok) << text;
  EXPECT_EQ(act_of("-5 ok", 1).length, 0ms);
  EXPECT_EQ(act_of("99999999999999999999 ok", 1).length, 0ms);
}

TEST(EnginePlans, AreReadBackAsTheyWereWritten) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Plan plan = generate_engine(*built_in_profile("reference"), seed, Level::chaos);
    const auto valid = validate(plan);
    ASSERT_TRUE(valid.ok()) << valid.error().message;
    const auto back = plan_from_json(to_json(plan));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, plan);
  }
}

TEST(EnginePlans, AreTheSameForTheSameSeed) {
  const Profile profile = *built_in_profile("trace");
  EXPECT_EQ(generate_engine(profile, 7, Level::chaos), generate_engine(profile, 7, Level::chaos));
  EXPECT_NE(generate_engine(profile, 7, Level::chaos), generate_engine(profile, 8, Level::chaos));
}

TEST(EnginePlans, SayWhatIsWrongWithAWorker) {
  const auto wrong = [](const char* worker) {
    const auto read = plan_from_json(std::string(R"({"name":"x","clients":[{"name":"c"}],)") +
                                     R"("workers":[)" + worker + R"(],"steps":[]})");
    return read.ok() ? std::string() : read.error().message;
  };
  EXPECT_EQ(wrong(R"({"name":"w","queues":["q"]})"), "");
  EXPECT_EQ(wrong(R"({"name":"w","queues":[]})"), "worker w: it has no queue");
  EXPECT_EQ(wrong(R"({"name":"c","queues":["q"]})"), "two of the name \"c\"");
  EXPECT_EQ(wrong(R"({"name":"w","queues":["q"],"concurrency":0})"),
            "worker w: its concurrency is not 1 to 1000");
  EXPECT_EQ(wrong(R"({"name":"w","queues":["q"],"lease_ms":2})"),
            "worker w: its lease is too short");
}

TEST(PlansOfProcesses, HaveOneOfTheGivenFaultsAtATimeAndEndIt) {
  const Profile profile = *built_in_profile("weave");
  constexpr std::string_view faults[] = {"kill_worker", "wrong_machine_clock", "crash_store"};
  std::set<std::string> drawn;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Plan plan = generate_processes(profile, seed, faults);
    const auto valid = validate(plan);
    ASSERT_TRUE(valid.ok()) << valid.error().message;
    int open = -1;
    for (const Step& step : plan.steps) {
      if (step.kind == StepKind::end_fault) {
        EXPECT_EQ(step.slot, open);
        open = -1;
      }
      if (step.kind == StepKind::start_worker) open = -1;
      if (step.kind != StepKind::begin_fault) continue;
      EXPECT_EQ(open, -1) << "seed " << seed;
      open = step.slot;
      drawn.insert(step.fault->name);
      EXPECT_EQ(step.worker < 0, step.fault->name == "crash_store");
      if (step.fault->name == "wrong_machine_clock") {
        EXPECT_NE(step.fault->with.at("offset_ms"), 0);
      }
    }
    EXPECT_EQ(open, -1) << "seed " << seed;
  }
  EXPECT_EQ(drawn, std::set<std::string>(std::begin(faults), std::end(faults)));
}

}  // namespace
}  // namespace assay
