// assay queue flow and assay queue schedule: what follows from each other, and what recurs.
#include "tests/cli/queue_test.h"

namespace assay::cli {
namespace {

class QueueFlowTest : public QueueTest {
 protected:
  std::string submitted(const std::string& flow) const {
    std::string id = done({"flow", "submit", file("flow.json", flow)});
    if (!id.empty()) id.pop_back();
    return id;
  }
  Json shown(const std::string& id) const {
    return Json::parse(done({"flow", "show", id, "--json"}));
  }
};

constexpr const char* picture = R"({"id": "picture-7", "flow": {"chain": [
    {"type": "echo", "payload": "fetch"},
    {"chord": [{"type": "echo", "payload": "small"}, {"type": "echo", "payload": "large"}],
     "then": {"type": "echo", "payload": "publish"}},
    {"type": "echo", "payload": "announce"}]}})";

TEST_F(QueueFlowTest, RunsAFlowInTheOrderOfItsParts) {
  EXPECT_EQ(submitted(picture), "picture-7");
  EXPECT_EQ(shown("picture-7")["state"], "running");
  EXPECT_EQ(shown("picture-7")["root"]["counts"]["enqueued"], 1);
  const std::string out = drained().out;
  const auto at = [&](const char* word) { return out.find(std::string("| ") + word); };
  for (const char* word : {"fetch", "small", "large", "publish", "announce"})
    ASSERT_NE(at(word), out.npos) << word << "\n" << out;
  EXPECT_LT(at("fetch"), std::min(at("small"), at("large")));
  EXPECT_LT(std::max(at("small"), at("large")), at("publish"));
  EXPECT_LT(at("publish"), at("announce"));
  EXPECT_EQ(shown("picture-7")["state"], "done");
  EXPECT_EQ(shown("picture-7")["root"]["counts"]["succeeded"], 5);
}

TEST_F(QueueFlowTest, PassesWhatAProgramPrintsOnToTheNext) {
  submitted(R"({"id": "f", "flow": {"chain": [
      {"type": "upper", "payload": "hello"}, {"type": "upper"}, {"type": "twice"}]}})");
  EXPECT_EQ(drained({"--handler", "upper=exec:tr a-z A-Z", "--handler", "twice=exec:sed p"}).status,
            0);
  EXPECT_EQ(done({"flow", "show", "f", "--result", "r.c000001"}), "HELLO");
  EXPECT_EQ(done({"flow", "show", "f", "--result", "r.z000002"}), "HELLO\nHELLO");
  EXPECT_EQ(queue({"flow", "show", "f", "--result", "r.c9"}).status, 1);
}

TEST_F(QueueFlowTest, DrawsTheTreeOfAFlow) {
  submitted(picture);
  const std::string tree = done({"flow", "show", "picture-7"});
  EXPECT_TRUE(has(tree, "picture-7: running, fail_fast")) << tree;
  EXPECT_TRUE(has(tree, "0 of 5 succeeded, 1 enqueued")) << tree;
  EXPECT_TRUE(has(tree, "├─ echo")) << tree;
  EXPECT_TRUE(has(tree, "│  └─ echo")) << tree;
  EXPECT_TRUE(has(tree, "finalizer, waiting")) << tree;
  EXPECT_TRUE(has(done({"flow", "list"}), "picture-7  5      open")) << done({"flow", "list"});
}

TEST_F(QueueFlowTest, ShowsWhoStoppedAFlow) {
  submitted(R"({"id": "f", "flow": {"chain": [
      {"type": "fail", "payload": "no luck", "limit": 1}, {"type": "echo"}]}})");
  EXPECT_EQ(drained().status, 0);
  const Json flow = shown("f");
  EXPECT_EQ(flow["state"], "failed");
  EXPECT_EQ(flow["stopped_by"], flow["root"]["parts"][0]["path"]);
  EXPECT_EQ(flow["root"]["parts"][0]["state"], "dead");
  EXPECT_TRUE(has(flow["root"]["parts"][0]["error"], "no luck")) << flow;
  EXPECT_EQ(flow["root"]["parts"][1]["state"], "waiting");
}

TEST_F(QueueFlowTest, CancelsAFlowForGood) {
  submitted(picture);
  EXPECT_TRUE(has(done({"flow", "cancel", "picture-7"}), "1 job cancelled"));
  EXPECT_EQ(drained().status, 0);
  EXPECT_EQ(shown("picture-7")["state"], "cancelled");
  EXPECT_EQ(shown("picture-7")["root"]["counts"]["succeeded"], 0);
}

TEST_F(QueueFlowTest, TakesTheSameFlowOnce) {
  submitted(picture);
  EXPECT_TRUE(has(submitted(picture), "was there already"));
  const Ended other = queue(
      {"flow", "submit", file("other.json", R"({"id": "picture-7", "flow": {"type": "echo"}})")});
  EXPECT_EQ(other.status, 1) << other.out << other.err;
  EXPECT_EQ(queue({"flow", "show", "nobody"}).status, 1);
}

TEST_F(QueueFlowTest, RefusesWhatIsNoFlowAndSaysWhere) {
  const auto no_flow = [&](const std::string& text, const std::string& part) {
    refused({"flow", "submit", file("flow.json", text)}, part);
  };
  no_flow("{", "is not valid JSON");
  no_flow("[]", "is not a JSON object");
  no_flow(R"({"flow": {"chain": [{"type": "a"}, {"typ": "b"}]}})", "flow.chain[1]");
  no_flow(R"({"flow": {"type": "a", "colour": "red"}})", "colour");
  no_flow(R"({"flow": {"chord": [{"type": "a"}]}})", "then");
  no_flow(R"({"flow": {"group": []}})", "group");
  no_flow(R"({"flow": {"type": "a"}, "on_failure": "cry"})", "fail_fast or go_on");
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += R"({"chain": [)";
  no_flow(R"({"flow": )" + deep + "{}", "is not valid JSON");
  std::string closed = R"({"type": "a"})";
  for (int i = 0; i < 1'000; ++i) closed = R"({"chain": [)" + closed + "]}";
  no_flow(R"({"flow": )" + closed + "}", "is too deep");
  refused({"flow", "submit", (home_ / "none").string()}, "cannot be read");
  refused({"flow", "submit"}, "needs a file");
}

TEST_F(QueueFlowTest, KeepsSchedules) {
  const std::string next = done({"schedule", "add", "nightly", "30 3 * * *", "echo", "night"});
  EXPECT_TRUE(has(next, "03:30:00")) << next;
  EXPECT_TRUE(has(done({"schedule", "list"}), "nightly"));
  EXPECT_EQ(done({"schedule", "pause", "nightly"}), "nightly paused\n");
  EXPECT_TRUE(has(done({"schedule", "list"}), "paused"));
  EXPECT_EQ(done({"schedule", "resume", "nightly"}), "nightly resumed\n");
  const Json all = Json::parse(done({"schedule", "list", "--json"}));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]["payload"], "night");
  EXPECT_EQ(all[0]["paused"], false);
  EXPECT_EQ(done({"schedule", "remove", "nightly"}), "nightly removed\n");
  EXPECT_EQ(done({"schedule", "list"}), "no schedules\n");
  EXPECT_EQ(queue({"schedule", "pause", "nightly"}).status, 1);
}

TEST_F(QueueFlowTest, RefusesSchedulesThatMakeNoSense) {
  refused({"schedule", "add", "x", "61 * * * *", "echo"}, "minute");
  refused({"schedule", "add", "x", "0 0 30 2 *", "echo"}, "never");
  refused({"schedule", "add", "x", "@daily", "echo", "--missed", "cry"},
          "latest, skip or catch_up");
  refused({"schedule", "add", "x", "@daily"}, "needs a name");
}

}  // namespace
}  // namespace assay::cli
