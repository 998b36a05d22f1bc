#include "harness/plan/json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/fakes/arbitrary.h"

namespace assay {
namespace {

std::string error_of(const std::string& steps) {
  const auto plan = plan_from_json(
      R"({"name":"x","clients":[{"name":"w1"},{"name":"w2"}],"steps":[)" + steps + "]}");
  return plan.ok() ? "read" : plan.error().message;
}

RC_GTEST_PROP(PlanJson, ReadsBackWhatItWrote, ()) {
  const Plan plan = fakes::any_plan();
  const auto back = plan_from_json(to_json(plan));
  if (!back.ok()) RC_FAIL(back.error().message);
  RC_ASSERT(*back == plan);
}

TEST(PlanJson, IsReadableAndWritesOnlyWhatIsNotUsual) {
  const Plan plan{"scenario/late_ack",
                  {{"w1", Role::worker}},
                  {{.kind = StepKind::enqueue, .slot = 0, .queues = {"q"}, .type = "t"},
                   {.kind = StepKind::reserve, .slot = 0, .queues = {"q"}},
                   {.when = When{.base = When::Base::expiry, .offset = Duration(-1)}},
                   {.kind = StepKind::ack, .token = {.claim = {0, 1}}}}};
  EXPECT_EQ(to_json(plan),
            "{\"name\":\"scenario/late_ack\",\"clients\":[{\"name\":\"w1\",\"role\":\"worker\"}],"
            "\"steps\":[\n"
            "{\"do\":\"enqueue\",\"client\":\"w1\",\"slot\":0,\"queue\":\"q\",\"type\":\"t\"},\n"
            "{\"do\":\"reserve\",\"client\":\"w1\",\"slot\":0,\"queue\":\"q\"},\n"
            "{\"do\":\"advance\",\"when\":{\"base\":\"expiry\",\"claim\":0,\"offset_ms\":-1}},\n"
            "{\"do\":\"ack\",\"client\":\"w1\",\"token\":{\"claim\":[0,1]}}]}");
}

TEST(PlanJson, SaysWhereItIsWrong) {
  const std::string fine = R"({"do":"close","client":"w2"},)";
  EXPECT_EQ(error_of(R"({"do":"close","client":"w2"})"), "read");
  EXPECT_EQ(error_of(fine + R"({"do":"advance","when":{"base":"soon"}})"),
            "steps[1].when.base: \"soon\" is none of now, absolute, due, expiry");
  EXPECT_EQ(error_of(fine + R"({"do":"ack","client":"w1","tokn":{"claim":0}})"),
            "steps[1].tokn: is not a known field");
  EXPECT_EQ(error_of(R"({"do":"ack","client":"w3"})"),
            "steps[0].client: the plan has no client \"w3\"");
  EXPECT_EQ(error_of(R"({"do":"reserve","client":"w1","max":"2"})"),
            "steps[0].max: must be a whole number, is string");
  EXPECT_EQ(error_of(R"({"do":"reserve","client":"w1","max":1.5})"),
            "steps[0].max: must be a whole number, is a fraction");
  EXPECT_EQ(error_of(R"({"do":"ack","client":"w1","job":{"made":99999999999}})"),
            "steps[0].job.made: is out of range");
  EXPECT_EQ(error_of(R"({"do":"get","client":"w1","job":{}})"), "steps[0].job.id: is missing");
  EXPECT_EQ(error_of(R"({"do":"get","client":"w1","job":{"made":-1}})"),
            "step 0 (get): a negative slot of a job");
  EXPECT_EQ(plan_from_json("{").error().message, "is not valid JSON");
  EXPECT_EQ(plan_from_json("[]").error().message, "must be an object, is array");
}

}  // namespace
}  // namespace assay
