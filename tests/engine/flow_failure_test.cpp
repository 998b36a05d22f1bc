// Flows in which members die, are cancelled, are requeued; under both policies and every profile.
#include "tests/engine/flow_rig.h"

namespace assay::engine {
namespace {

using Paths = std::vector<std::string>;

std::vector<Flow> steps(int count) {
  return std::vector<Flow>(static_cast<std::size_t>(count), step("t"));
}

// Two chains side by side, then a finalizer.
Flow two_chains() { return chord({chain(steps(2)), chain(steps(3))}, {"t"}); }

TEST(FlowFailure, StopsAFlowThatFailsFast) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    ASSERT_TRUE(flows->submit({two_chains(), OnFailure::fail_fast, "f"}).ok());
    rig.failures["r.b.g000000.c000000"] = 100;
    // What runs by then may end, and nothing follows from it.
    rig.during = [](Context& context) {
      context.clock().sleep_until(context.clock().now() + 60s, {});
    };
    auto worker = rig.shop.start(rig.options(4));
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::failed));
    rig.shop.pass(30min);
    EXPECT_EQ(rig.runs_of("r.b.g000001.c000000"), 1);
    for (const char* never : {"r.b.g000000.z000001", "r.b.g000001.c000001", "r.f"})
      EXPECT_EQ(rig.runs_of(never), 0) << never;
    FlowView view = rig.shown(*flows);
    EXPECT_EQ(view.stopped_by, "r.b.g000000.c000000");
    EXPECT_EQ(view.root.counts, (MemberCounts{.waiting = 4, .succeeded = 1, .dead = 1}));
    EXPECT_EQ(rig.shop.all<FlowStopped>().size(), 1u);

    // By hand: it goes on where it was.
    rig.failures.clear();
    rig.during = {};
    const auto session = rig.session();
    ASSERT_TRUE(session->requeue(rig.shop.now(), {"flow:f:r.b.g000000.c000000", {}, true}).ok());
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
    EXPECT_EQ(rig.runs_of("r.f"), 1);
    EXPECT_EQ(rig.shown(*flows).root.counts, (MemberCounts{.succeeded = 6}));
    EXPECT_EQ(rig.shop.all<FlowResumed>().size(), 1u);
    for (const auto& [id, count] : rig.made) EXPECT_EQ(count, 1) << id;
  });
}

TEST(FlowFailure, KeepsAFlowStoppedUntilTheLastDeadMemberSucceeds) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    ASSERT_TRUE(flows->submit({chord(steps(4), {"t"}), OnFailure::fail_fast, "f"}).ok());
    rig.failures = {{"r.b.g000000", 100}, {"r.b.g000002", 100}};
    auto worker = rig.shop.start(rig.options(4));
    rig.shop.pass(30min);
    EXPECT_EQ(rig.shown(*flows).root.counts,
              (MemberCounts{.waiting = 1, .succeeded = 2, .dead = 2}));
    rig.failures.clear();
    const auto session = rig.session();
    ASSERT_TRUE(session->requeue(rig.shop.now(), {"flow:f:r.b.g000000", {}, true}).ok());
    rig.shop.pass(30min);
    EXPECT_EQ(rig.shown(*flows).state, FlowState::failed);
    EXPECT_EQ(rig.runs_of("r.f"), 0);
    // A sweep does not think otherwise.
    EXPECT_EQ(*flows->sweep(), (Swept{1, 0, 0}));
    EXPECT_EQ(rig.shown(*flows).state, FlowState::failed);
    ASSERT_TRUE(session->requeue(rig.shop.now(), {"flow:f:r.b.g000002", {}, true}).ok());
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
    EXPECT_EQ(rig.runs_of("r.f"), 1);
    EXPECT_EQ(rig.made["flow:f:r.f"], 1);
  });
}

// It goes on, and before those that held back have counted another member dies.
TEST(FlowFailure, StopsAFlowAgainThatIsJustGoingOn) {
  Trouble trouble;
  std::function<void()> when_it_goes_on;
  trouble.after_commit = [&](const Commit& commit, const auto& answer) -> std::optional<Error> {
    for (const Drop& drop : commit.drops)
      if (answer.ok() && drop.key == "flow/f/t/" && drop.if_version != 0)
        if (const auto once = std::exchange(when_it_goes_on, {})) once();
    return std::nullopt;
  };
  FlowRig rig({.trouble = &trouble});
  rig.shop.run([&] {
    const auto flows = rig.flows();
    const Flow one = chain(steps(2));
    ASSERT_TRUE(flows->submit({group({one, one, step("t")}), OnFailure::fail_fast, "f"}).ok());
    rig.failures["r.g000000.c000000"] = 100;
    rig.during = [](Context& context) {
      context.clock().sleep_until(context.clock().now() + 60s, {});
    };
    auto worker = rig.shop.start(rig.options(4));
    rig.shop.pass(10min);
    const auto session = rig.session();
    const auto write = [&](bool is_dead) {
      Commit commit;
      if (is_dead)
        commit.puts = {{"flow/f/d/r.g000002", "", {}}, {"flow/f/t/", "1:01:r1:0", {}}};
      else
        commit.drops = {{"flow/f/d/r.g000002", {}}};
      EXPECT_TRUE(session->records()->commit(rig.shop.now(), commit).ok());
    };
    when_it_goes_on = [&] { write(true); };
    rig.failures.clear();
    ASSERT_TRUE(
        rig.session()->requeue(rig.shop.now(), {"flow:f:r.g000000.c000000", {}, true}).ok());
    rig.shop.pass(10min);
    EXPECT_FALSE(when_it_goes_on) << "it did not go on";
    EXPECT_EQ(rig.made.size(), 3u) << "no second step of a chain";
    write(false);
    EXPECT_TRUE(flows->sweep().ok());
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
    for (const auto& [id, count] : rig.made) EXPECT_EQ(count, 1) << id;
  });
}

TEST(FlowFailure, IsToldToTheFinalizerOfAFlowThatGoesOn) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    Flow flow = chain(
        {chord({step("t", "a"), step("t", "b"), step("t", "c")}, {"sum"}), step("t", "last")});
    ASSERT_TRUE(flows->submit({flow, OnFailure::go_on, "f"}).ok());
    rig.failures["r.c000000.b.g000001"] = 100;
    WorkerOptions options = rig.options(3);
    std::string told;
    options.handlers["sum"].run = [&](Context& context) -> HandlerResult {
      const auto page = context.inputs().page();
      EXPECT_TRUE(page.ok() && !page->after);
      for (const InputView& input : page->inputs)
        told +=
            input.path.back() + (input.succeeded ? "=" + *input.result : "!" + input.error) + " ";
      return Success{"summed"};
    };
    auto worker = rig.shop.start(options);
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
    EXPECT_EQ(told, "0=a 1!no luck at r.c000000.b.g000001 2=c ");
    EXPECT_EQ(**flows->result("f", "r.z000001"), "last<summed");
    // Once it is over, a member that succeeds after all changes its own result alone.
    rig.failures.clear();
    const auto session = rig.session();
    ASSERT_TRUE(session->requeue(rig.shop.now(), {"flow:f:r.c000000.b.g000001", {}, true}).ok());
    rig.shop.pass(10min);
    EXPECT_EQ(rig.shown(*flows).root.counts, (MemberCounts{.succeeded = 5}));
    EXPECT_EQ(rig.made["flow:f:r.c000000.f"], 1);
  });
}

// The chain fails with one of its steps; the chord around it waits for what still runs of it.
TEST(FlowFailure, SkipsWhatFollowsInAChainOfAFlowThatGoesOn) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    Flow doomed = chain({group(steps(3)), step("t"), group(steps(40))});
    ASSERT_TRUE(flows->submit({chord({doomed, step("t")}, {"t"}), OnFailure::go_on, "f"}).ok());
    rig.failures["r.b.g000000.c000000.g000001"] = 100;
    rig.during = [](Context& context) {
      if (context.job().key->ends_with("c000000.g000002"))
        context.clock().sleep_until(context.clock().now() + 20min, {});
    };
    auto worker = rig.shop.start(rig.options(6));
    rig.shop.pass(10min);
    EXPECT_EQ(rig.runs_of("r.f"), 0) << "one of the members still runs";
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
    EXPECT_EQ(rig.runs_of("r.f"), 1);
    EXPECT_EQ(rig.runs_of("r.b.g000000.c000001"), 0);
    EXPECT_EQ(rig.runs_of("r.b.g000000.z000002.g000000"), 0);
    EXPECT_EQ(rig.shown(*flows).root.counts,
              (MemberCounts{.waiting = 1, .succeeded = 4, .dead = 1, .skipped = 40}));
    for (const auto& [id, count] : rig.made) EXPECT_EQ(count, 1) << id;
  });
}

TEST(FlowFailure, EndsAFlowThatGoesOnAndHasNoFinalizerAsFailed) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    ASSERT_TRUE(flows->submit({group({chain(steps(3)), step("t")}), OnFailure::go_on, "f"}).ok());
    rig.failures["r.g000000.c000000"] = 100;
    auto worker = rig.shop.start(rig.options());
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::failed));
    rig.shop.pass(10min);
    EXPECT_EQ(rig.shown(*flows).root.counts,
              (MemberCounts{.waiting = 1, .succeeded = 1, .dead = 1, .skipped = 1}));
    EXPECT_EQ(*flows->sweep(), (Swept{1, 0, 1})) << "it is over";
  });
}

TEST(FlowFailure, OfAMemberThatIsCancelledByHandIsFoundByASweep) {
  for (const OnFailure policy : {OnFailure::fail_fast, OnFailure::go_on}) {
    FlowRig rig;
    rig.shop.run([&] {
      const auto flows = rig.flows();
      ASSERT_TRUE(flows->submit({chord(steps(2), {"t"}), policy, "f"}).ok());
      rig.shop.cancel("flow:f:r.b.g000000");
      auto worker = rig.shop.start(rig.options());
      rig.shop.pass(1min);
      EXPECT_EQ(rig.shown(*flows).state, FlowState::running);
      EXPECT_EQ(*flows->sweep(), (Swept{1, 1, 0}));
      EXPECT_EQ(*flows->sweep("f"), (Swept{1, 0, 0}));
      rig.shop.pass(1min);
      const bool goes_on = policy == OnFailure::go_on;
      EXPECT_EQ(rig.shown(*flows).state, goes_on ? FlowState::done : FlowState::failed);
      EXPECT_EQ(rig.runs_of("r.f"), goes_on ? 1 : 0);
    });
  }
}

TEST(FlowFailure, CancelsWhatHasNotStarted) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    ASSERT_TRUE(flows->submit({chord(steps(5), {"t"}), OnFailure::fail_fast, "f"}).ok());
    rig.during = [](Context& context) {
      context.clock().sleep_until(context.clock().now() + 1min, {});
    };
    auto worker = rig.shop.start(rig.options(2));
    rig.shop.pass(10s);
    const auto cancelled = flows->cancel("f");
    ASSERT_TRUE(cancelled.ok()) << cancelled.error().message;
    EXPECT_EQ(cancelled->cancelled, 3);
    EXPECT_EQ(cancelled->running, 2);
    EXPECT_EQ(cancelled->left, 0);
    EXPECT_EQ(rig.shown(*flows).state, FlowState::cancelled);
    EXPECT_EQ(flows->sweep()->closed, 0) << "something still runs";
    rig.shop.pass(10min);
    EXPECT_EQ(rig.ran.size(), 2u);
    EXPECT_EQ(rig.shown(*flows).state, FlowState::cancelled);
    EXPECT_EQ(rig.shown(*flows).root.counts,
              (MemberCounts{.waiting = 1, .succeeded = 2, .cancelled = 3}));
    EXPECT_EQ(flows->cancel("f")->cancelled, 0);
    EXPECT_EQ(flows->sweep()->closed, 1);
    EXPECT_TRUE(flows->forget("f").ok());
    EXPECT_EQ(flows->cancel("f").error().code, ErrorCode::not_found);
  });
}

TEST(FlowFailure, LeavesAFlowThatEndedAsItIsWhereItIsCancelled) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    ASSERT_TRUE(flows->submit({step("t"), {}, "f"}).ok());
    auto worker = rig.shop.start(rig.options());
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
    EXPECT_TRUE(flows->cancel("f").ok());
    EXPECT_EQ(rig.shown(*flows).state, FlowState::done);
  });
}

// A chain is cancelled between its steps: a dead member's heal does not bring it back.
TEST(FlowFailure, ThatIsHealedDoesNotBringACancelledFlowBack) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    ASSERT_TRUE(flows->submit({chain(steps(2)), {}, "f"}).ok());
    rig.failures["r.c000000"] = 100;
    auto worker = rig.shop.start(rig.options());
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::failed));
    ASSERT_TRUE(flows->cancel("f").ok());
    rig.failures.clear();
    ASSERT_TRUE(rig.session()->requeue(rig.shop.now(), {"flow:f:r.c000000", {}, true}).ok());
    rig.shop.pass(10min);
    EXPECT_EQ(rig.state_of("r.c000000"), JobState::done);
    EXPECT_TRUE(flows->sweep().ok());
    rig.shop.pass(10min);
    EXPECT_EQ(rig.shown(*flows).state, FlowState::cancelled);
    EXPECT_EQ(rig.runs_of("r.z000001"), 0);
  });
}

// Nobody but the store knows of it.
TEST(FlowFailure, ByLostLeasesAloneIsFoundByASweep) {
  for (const OnFailure policy : {OnFailure::fail_fast, OnFailure::go_on}) {
    Trouble trouble;
    FlowRig rig({.trouble = &trouble});
    rig.shop.run([&] {
      const auto flows = rig.flows();
      Flow flow = chord({step(Step{.type = "t", .queue = "doomed", .limit = 2}), step("t")}, {"t"});
      ASSERT_TRUE(flows->submit({flow, policy, "f"}).ok());
      const auto session = rig.session();
      for (int i = 0; i < 2; ++i) {
        const auto claims = session->reserve(rig.shop.now(), {{"doomed"}, 1s, "gone", 1, {}});
        EXPECT_EQ(claims->claims.at(0).job.id, "flow:f:r.b.g000000");
        rig.shop.pass(2s);
      }
      WorkerOptions options = rig.options();
      options.queues = {"q", "doomed"};
      auto worker = rig.shop.start(options);
      rig.shop.pass(1min);
      EXPECT_EQ(rig.state_of("r.b.g000000"), JobState::dead);
      EXPECT_EQ(rig.shown(*flows).state, FlowState::running);
      const auto others = rig.flows("others");
      EXPECT_EQ(others->sweep()->deaths, 1);
      EXPECT_EQ(flows->sweep()->deaths, 0);
      rig.shop.pass(1min);
      const bool goes_on = policy == OnFailure::go_on;
      EXPECT_EQ(rig.shown(*flows).state, goes_on ? FlowState::done : FlowState::failed);
      EXPECT_EQ(rig.runs_of("r.f"), goes_on ? 1 : 0);
      EXPECT_EQ(rig.shown(*flows).root.parts[0].error, "lease expired");
    });
  }
}

// The steward's own job may die as well.
TEST(FlowFailure, OfAStewardIsMadeGoodByASweep) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    ASSERT_TRUE(flows->submit({group(steps(500)), {}, "f"}).ok());
    const auto session = rig.session();
    const auto claims = session->reserve(rig.shop.now(), {{"q"}, 1s, "hand", 1, {}});
    const Claim& claim = claims->claims.at(0);
    EXPECT_EQ(claim.job.id, "flow:f:!launch:r");
    ASSERT_TRUE(session->fail(rig.shop.now(), {hold_of(claim), 1, "by hand", "no"}).ok());
    EXPECT_TRUE(flows->sweep().ok());
    EXPECT_TRUE(flows->sweep().ok());
    EXPECT_EQ(rig.made.size(), 501u);
    EXPECT_FALSE(rig.made.contains("again"));
  });
}

// In every contract: who decides about failures, what a lease is fenced by, what a replay is.
class FlowInProfile : public testing::TestWithParam<std::string_view> {};

TEST_P(FlowInProfile, RunsToItsEndAndFailsAsStated) {
  for (const OnFailure policy : {OnFailure::fail_fast, OnFailure::go_on})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      FlowRig rig({.seed = seed, .profile = std::string(GetParam())});
      rig.shop.run([&] {
        const auto flows = rig.flows();
        Flow good = two_chains();
        good.parts[1].parts[1].step.limit = 3;
        ASSERT_TRUE(flows->submit({good, policy, "good"}).ok());
        Flow bad = chord({chain(steps(2)), step(Step{.type = "t", .limit = 2})}, {"u"});
        ASSERT_TRUE(flows->submit({bad, policy, "bad"}).ok());
        rig.failures["r.b.g000001.c000001"] = 1;
        rig.failures["r.b.g000001"] = 100;
        WorkerOptions options = rig.options(3);
        int finals = 0;
        options.handlers["u"].run = [&](Context&) -> HandlerResult {
          ++finals;
          return Success{};
        };
        auto worker = rig.shop.start(options);
        EXPECT_TRUE(rig.comes_to(*flows, FlowState::done, "good", 48h));
        const bool goes_on = policy == OnFailure::go_on;
        EXPECT_TRUE(
            rig.comes_to(*flows, goes_on ? FlowState::done : FlowState::failed, "bad", 48h));
        EXPECT_EQ(finals, goes_on ? 1 : 0);
        EXPECT_TRUE(flows->sweep().ok());
        for (const auto& [id, count] : rig.made) EXPECT_EQ(count, 1) << id;
        if (rig.shop.driver().profile().replay == Replay::none || goes_on) return;
        rig.failures.clear();
        const auto again =
            rig.session()->requeue(rig.shop.now(), {"flow:bad:r.b.g000001", {}, true});
        ASSERT_TRUE(again.ok()) << again.error().message;
        EXPECT_TRUE(rig.comes_to(*flows, FlowState::done, "bad", 48h));
        EXPECT_EQ(finals, 1);
        EXPECT_EQ(rig.shown(*flows, "bad").root.parts[1].job_id, again->job_id);
      });
    }
}

INSTANTIATE_TEST_SUITE_P(All, FlowInProfile,
                         testing::Values("reference", "taskharbor", "trace", "upnext", "weave"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace assay::engine
