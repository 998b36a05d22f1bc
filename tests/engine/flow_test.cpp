// Flows in plain cases: what is refused, what follows from what, what is shown.
#include "engine/detail/flow_shape.h"
#include "tests/engine/flow_rig.h"

namespace assay::engine {
namespace {

using Paths = std::vector<std::string>;

std::vector<Flow> steps(int count, const std::string& type = "t") {
  return std::vector<Flow>(static_cast<std::size_t>(count), step(type));
}

TEST(FlowTest, IsRefusedInASentence) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    const auto said = [&](Flow flow, const std::string& id = "f") {
      const auto answer = flows->submit({std::move(flow), OnFailure::fail_fast, id});
      EXPECT_FALSE(answer.ok());
      EXPECT_EQ(answer.error().code, ErrorCode::invalid);
      return answer.ok() ? "" : answer.error().message;
    };
    EXPECT_EQ(said(chain({})), "the chain at r is empty");
    EXPECT_EQ(said(group({})), "the group at r is empty");
    EXPECT_EQ(said(chord({}, {"t"})), "the chord at r is empty");
    EXPECT_EQ(said(chain({step("t"), group({})})), "the group at r.z000001 is empty");
    EXPECT_EQ(said(step("")), "the step at r: the type is empty");
    EXPECT_EQ(said(chord(steps(1), {""})), "the step at r: the type is empty");
    EXPECT_EQ(said(step("assay.flow")), "the step at r: its type belongs to the engine");
    EXPECT_EQ(said(step("t", std::string(1'000'001, 'x'))),
              "the step at r: the payload has 1000001 bytes, 1000000 are allowed");
    EXPECT_EQ(said(step(Step{.type = "t", .queue = ""})),
              "the step at r: the queue's name is empty");
    EXPECT_EQ(said(step(Step{.type = "t", .delay = -1ms})), "the step at r: the delay is negative");
    EXPECT_EQ(said(group(steps(100'001))), "the flow has more than 100000 steps");
    Flow deep = step("t");
    for (int i = 0; i < 16; ++i) deep = chain({deep});
    EXPECT_EQ(said(deep), "the flow is nested deeper than 16");
    Flow odd = step("t");
    odd.parts = steps(1);
    EXPECT_EQ(said(odd), "the step at r has parts");
    Flow odder = chain(steps(2));
    odder.step.type = "t";
    EXPECT_EQ(said(odder), "the chain at r has a step");
    EXPECT_EQ(said(step("t"), ""), "the flow's id is empty");
    EXPECT_EQ(said(step("t"), std::string(81, 'f')), "the flow's id has 81 bytes, 80 are allowed");
    EXPECT_EQ(said(step("t"), "a/b"),
              "the flow's id has other characters than letters, digits, '.', '_' and '-'");
    EXPECT_EQ(flows->show("f").error().message, "no flow is called f");
    EXPECT_TRUE(flows->list()->flows.empty());
  });
}

TEST(FlowTest, NeedsRecords) {
  Trouble trouble;
  trouble.no_records = true;
  FlowRig rig({.trouble = &trouble});
  rig.shop.run([&] {
    const auto made = Flows::make(rig.shop.runtime(), rig.shop.driver(), {});
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().message,
              "this driver keeps no records, so there are no flows and no outputs here");
  });
}

TEST(FlowTest, HasAShapeThatIsSmallAndReadBack) {
  const Flow big = chain({chord(steps(10'000), {"end"}), step("t"),
                          group({chain(steps(3)), chain(steps(3)), step("u")})});
  const detail::Shape shape = detail::shape_of(big);
  const std::string text = detail::packed(shape);
  EXPECT_EQ(text, "c(d3:end(10000*s1:t)s1:tg(2*c(3*s1:t)s1:u))");
  ASSERT_TRUE(detail::unpacked_shape(text));
  EXPECT_EQ(*detail::unpacked_shape(text), shape);
  for (std::size_t i = 0; i < text.size(); ++i)
    EXPECT_FALSE(detail::unpacked_shape(text.substr(0, i))) << i;
  EXPECT_EQ(detail::count_steps(shape), 10'009);
  EXPECT_EQ(detail::count_ends(shape), 3);
  EXPECT_EQ(detail::count_starts(shape), 10'000);
}

TEST(FlowTest, KnowsWhatAnEndCountsFor) {
  EXPECT_EQ(detail::join_of("r"), "r");
  EXPECT_EQ(detail::join_of("r.g000001"), "r");
  EXPECT_EQ(detail::join_of("r.z000001.f"), "r");
  EXPECT_EQ(detail::join_of("r.c000000"), "r.c000000");
  EXPECT_EQ(detail::join_of("r.c000000.g000004.z000001"), "r.c000000");
  EXPECT_EQ(detail::join_of("r.b.g000004.z000001"), "r.b");
  EXPECT_EQ(detail::join_before("r.b.g000004.c000000"), "");
  EXPECT_EQ(detail::join_before("r.f"), "r.b");
  EXPECT_EQ(detail::join_before("r.z000002.b.g000001"), "r.c000001");
}

TEST(FlowTest, ChainsPassTheirResultsAlong) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    const auto made =
        flows->submit({chain({step("t", "a"), step("t", "b"), step("t", "c")}), {}, "f"});
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_EQ(made->id, "f");
    EXPECT_FALSE(made->existed);
    EXPECT_EQ(rig.made, (std::map<std::string, int>{{"flow:f:r.c000000", 1}}));
    rig.failures["r.c000001"] = 2;
    auto worker = rig.shop.start(rig.options());
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
    EXPECT_EQ(rig.ran, (Paths{"r.c000000", "r.c000001", "r.c000001", "r.c000001", "r.z000002"}));
    EXPECT_EQ(**flows->result("f", "r.z000002"), "c<b<a");
    EXPECT_EQ(rig.made.size(), 3u);
  });
  // Enqueued only after its predecessor succeeded.
  const auto enqueued = rig.shop.all<MemberEnqueued>();
  ASSERT_EQ(enqueued.size(), 3u);
  EXPECT_EQ(what<MemberEnqueued>(enqueued[0]).by, "its submission");
  EXPECT_EQ(what<MemberEnqueued>(enqueued[1]).by, "r.c000000");
  EXPECT_EQ(what<MemberEnqueued>(enqueued[2]).by, "r.c000001");
}

TEST(FlowTest, GroupsRunSideBySide) {
  FlowRig rig;
  int at_once = 0, most = 0;
  rig.during = [&](Context& context) {
    most = std::max(most, ++at_once);
    context.clock().sleep_until(context.clock().now() + 1s, {});
    --at_once;
  };
  rig.shop.run([&] {
    const auto flows = rig.flows();
    ASSERT_TRUE(flows->submit({group(steps(4)), {}, "f"}).ok());
    auto worker = rig.shop.start(rig.options(4));
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
  });
  EXPECT_EQ(most, 4);
  EXPECT_EQ(rig.ran.size(), 4u);
}

// A finalizer that reads what its members gave, page by page.
HandlerResult sum_up(Context& context) {
  std::string all;
  InputPage page;
  do {
    const auto next = context.inputs().page(page.after, 3);
    EXPECT_TRUE(next.ok()) << next.error().message;
    if (!next.ok()) return Failure{next.error().message};
    page = *next;
    EXPECT_LE(page.inputs.size(), 3u);
    for (const InputView& input : page.inputs)
      all += input.succeeded ? input.result.value_or("-") + "," : "(" + input.error + "),";
  } while (page.after);
  return Success{all};
}

TEST(FlowTest, ChordsEndWithTheirFinalizerWhichReadsAllResults) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    std::vector<Flow> members;
    for (int i = 0; i < 10; ++i)
      members.push_back(i % 3 == 0 ? chain({step("t", "x"), step("t", std::to_string(i))})
                                   : step("t", std::to_string(i)));
    ASSERT_TRUE(flows->submit({chain({chord(members, {"sum"}), step("t", "last")}), {}, "f"}).ok());
    rig.failures["r.c000000.b.g000004"] = 1;
    WorkerOptions options = rig.options(3);
    options.handlers["sum"].run = sum_up;
    auto worker = rig.shop.start(options);
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
    EXPECT_EQ(**flows->result("f", "r.c000000.f"), "0<x,1,2,3<x,4,5,6<x,7,8,9<x,");
    EXPECT_EQ(**flows->result("f", "r.z000001"), "last<0<x,1,2,3<x,4,5,6<x,7,8,9<x,");
    EXPECT_EQ(rig.made["flow:f:r.c000000.f"], 1);
    const auto view = rig.shown(*flows);
    EXPECT_EQ(view.root.counts, (MemberCounts{.succeeded = 16}));
  });
}

TEST(FlowTest, AsOneStepIsAFlowToo) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    ASSERT_TRUE(flows->submit({step("t", "alone"), {}, "f"}).ok());
    auto worker = rig.shop.start(rig.options());
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
    EXPECT_EQ(**flows->result("f", "r"), "alone");
    EXPECT_EQ(rig.shown(*flows).root.state, MemberState::succeeded);
  });
}

TEST(FlowTest, StepsWaitAsLongAsTheyAreTold) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    ASSERT_TRUE(
        flows->submit({chain({step("t"), step(Step{.type = "t", .delay = 60s})}), {}, "f"}).ok());
    auto worker = rig.shop.start(rig.options());
    const Instant began = rig.shop.now();
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
    EXPECT_GE(rig.shop.now(), began + 60s);
  });
}

TEST(FlowTest, SubmittedAgainIsTheSame) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows(), others = rig.flows("others");
    const FlowSubmission submission{chord(steps(3), {"t"}), {}, "f"};
    ASSERT_TRUE(flows->submit(submission).ok());
    for (const auto& who : {flows.get(), others.get()}) {
      const auto again = who->submit(submission);
      ASSERT_TRUE(again.ok());
      EXPECT_EQ(again->existed, true);
    }
    EXPECT_EQ(flows->submit({chord(steps(4), {"t"}), {}, "f"}).error().message,
              "another flow is called f");
    EXPECT_EQ(flows->submit({chord(steps(3), {"t"}), OnFailure::go_on, "f"}).error().code,
              ErrorCode::conflict);
    EXPECT_EQ(rig.made.size(), 3u);
    EXPECT_FALSE(rig.made.contains("again"));
    const auto drawn = flows->submit({step("t")});
    const auto other = flows->submit({step("t")});
    EXPECT_NE(drawn->id, other->id);
  });
}

TEST(FlowTest, WhoseSubmissionLosesItsAnswersIsThereOnce) {
  Random dice(3);
  Trouble trouble;
  trouble.before_commit = [&](const Commit&) -> std::optional<Error> {
    return dice.below(3) == 0 ? std::optional(Trouble::no_answer()) : std::nullopt;
  };
  trouble.after_commit = [&](const Commit&, const auto&) -> std::optional<Error> {
    return dice.below(3) == 0 ? std::optional(Trouble::no_answer()) : std::nullopt;
  };
  FlowRig rig({.trouble = &trouble});
  rig.shop.run([&] {
    const auto flows = rig.flows();
    for (int i = 0; i < 40; ++i) {
      FlowSubmission submission{group(steps(2)), {}, "f" + std::to_string(i)};
      auto made = flows->submit(submission);
      while (!made.ok()) made = flows->submit(submission);
    }
    EXPECT_EQ(rig.made.size(), 80u);
    for (const auto& [id, count] : rig.made) EXPECT_EQ(count, 1) << id;
  });
}

// The submission ends after its n-th commit; then nothing of it runs, and another takes it up.
TEST(FlowTest, OfManyPartsIsTakenUpWhereItsSubmissionWasInterrupted) {
  std::vector<Flow> members;
  for (int i = 0; i < 1'200; ++i) members.push_back(step("t", std::to_string(i)));
  const FlowSubmission submission{chord(members, {"t", "end"}), {}, "f"};
  for (int ends_after = 0; ends_after <= 4; ++ends_after) {
    int commits = 0;
    bool is_cut = true;
    Trouble trouble;
    trouble.before_commit = [&](const Commit&) -> std::optional<Error> {
      return is_cut && commits++ >= ends_after ? std::optional(Trouble::no_answer()) : std::nullopt;
    };
    FlowRig rig({.trouble = &trouble});
    rig.shop.run([&] {
      const auto flows = rig.flows(), others = rig.flows("others");
      WorkerOptions options = rig.options(8);
      options.poll_min = options.poll_max = 20ms;
      const bool is_there = flows->submit(submission).ok();
      EXPECT_EQ(is_there, ends_after == 4) << ends_after;
      is_cut = false;
      auto worker = rig.shop.start(options);
      if (!is_there) {
        rig.shop.pass(5s);
        EXPECT_TRUE(rig.ran.empty()) << ends_after;
        if (ends_after > 0) {
          EXPECT_EQ(rig.shown(*flows).state, FlowState::submitting);
        }
        const auto again = others->submit(submission);
        ASSERT_TRUE(again.ok()) << again.error().message;
        EXPECT_FALSE(again->existed);
      }
      EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
      EXPECT_EQ(rig.made.size(), 1'202u) << "members, the finalizer and a steward's errand";
      EXPECT_FALSE(rig.made.contains("again"));
      EXPECT_EQ(rig.runs_of("r.f"), 1);
      EXPECT_EQ(rig.ran.size(), 1'201u);
      EXPECT_EQ(rig.ran.back(), "r.f");
    });
  }
}

TEST(FlowTest, BeginsAGroupOfManyBehindAStep) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    std::vector<Flow> members = steps(1'000);
    members.push_back(chain({step("t"), group(steps(500)), step("t")}));
    ASSERT_TRUE(
        flows->submit({chain({step("t"), group(members), step("t", "last")}), {}, "f"}).ok());
    WorkerOptions options = rig.options(8);
    options.poll_min = options.poll_max = 20ms;
    auto worker = rig.shop.start(options);
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
    EXPECT_EQ(rig.ran.size(), 1'504u);
    EXPECT_EQ(rig.ran.back(), "r.z000002");
    for (const auto& [id, count] : rig.made) EXPECT_EQ(count, 1) << id;
  });
}

TEST(FlowTest, ShowsWhereItStands) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    ASSERT_TRUE(flows
                    ->submit({chain({step("t", "a"), chord(steps(30), {"t"}), step("u")}),
                              OnFailure::go_on, "f"})
                    .ok());
    FlowView view = rig.shown(*flows);
    EXPECT_EQ(view.state, FlowState::running);
    EXPECT_EQ(view.on_failure, OnFailure::go_on);
    EXPECT_EQ(view.root.counts, (MemberCounts{.waiting = 32, .enqueued = 1}));
    ASSERT_EQ(view.root.parts.size(), 3u);
    EXPECT_EQ(view.root.parts[0].job_state, JobState::ready);
    EXPECT_EQ(view.root.parts[0].job_id, "flow:f:r.c000000");
    EXPECT_EQ(view.root.parts[2].type, "u");

    rig.during = [](Context& context) {
      if (context.job().key->ends_with("g000025"))
        context.clock().sleep_until(context.clock().now() + 1h, context.stop());
    };
    rig.failures["r.c000001.b.g000003"] = 100;
    WorkerOptions options = rig.options(4);
    options.handlers["u"] = options.handlers["t"];
    auto worker = rig.shop.start(options);
    rig.shop.pass(5min);
    FlowPaging paging{.first = 22, .at_most = 5, .of = "r.c000001"};
    view = *flows->show("f", paging);
    EXPECT_EQ(view.root.counts,
              (MemberCounts{.waiting = 2, .enqueued = 1, .succeeded = 29, .dead = 1}));
    const FlowNode& chord = view.root.parts[1];
    EXPECT_EQ(chord.kind, FlowKind::chord);
    EXPECT_EQ(chord.parts_before, 22u);
    EXPECT_EQ(chord.parts_after, 3u);
    ASSERT_EQ(chord.parts.size(), 6u) << "and the finalizer";
    EXPECT_EQ(chord.parts[3].path, "r.c000001.b.g000025");
    EXPECT_EQ(chord.parts[3].job_state, JobState::leased);
    EXPECT_EQ(chord.parts[2].result_bytes, 2) << "<a";
    EXPECT_TRUE(chord.parts[5].is_finalizer);
    EXPECT_EQ(chord.parts[5].state, MemberState::waiting);
    view = rig.shown(*flows);
    EXPECT_EQ(view.root.parts[1].parts[3].state, MemberState::dead);
    EXPECT_EQ(view.root.parts[1].parts[3].error, "no luck at r.c000001.b.g000003");
    ASSERT_EQ(flows->list()->flows.size(), 1u);
    EXPECT_EQ(flows->list()->flows[0].steps, 33);
    worker->shutdown();
  });
}

TEST(FlowTest, IsForgottenOnceItHasEnded) {
  FlowRig rig;
  rig.shop.run([&] {
    const auto flows = rig.flows();
    const FlowSubmission submission{chord(steps(700), {"t"}), {}, "f"};
    ASSERT_TRUE(flows->submit(submission).ok());
    EXPECT_EQ(flows->forget("f").error().message, "the flow f is running, and may still go on");
    WorkerOptions options = rig.options(8);
    options.poll_min = options.poll_max = 20ms;
    auto worker = rig.shop.start(options);
    EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
    EXPECT_EQ(*flows->sweep(), (Swept{1, 0, 1}));
    EXPECT_EQ(*flows->sweep(), (Swept{0, 0, 0}));
    EXPECT_FALSE(flows->list()->flows[0].is_open);
    ASSERT_TRUE(flows->forget("f").ok());
    EXPECT_EQ(flows->show("f").error().code, ErrorCode::not_found);
    const auto session = rig.session();
    EXPECT_TRUE(session->records()->scan(rig.shop.now(), {})->records.empty());
    EXPECT_EQ(flows->submit(submission).error().code, ErrorCode::conflict)
        << "its jobs are still there";
  });
}

TEST(FlowTest, TellsItsEventsToPeople) {
  const auto said = [](Happening what) {
    return told({run_epoch, "w", -1, {}, std::move(what)}).substr(8);
  };
  EXPECT_EQ(said(EffectCommitted{{"a", "b"}, 2, true}),
            "outputs committed with the ack, version 2: a, b");
  EXPECT_EQ(said(EffectRepeated{"a"}), "output was committed before: a");
  EXPECT_EQ(said(EffectRefused{{"a"}, not_found("gone")}), "outputs refused: a: not_found: gone");
  EXPECT_EQ(said(FlowSubmitted{"f", 3, true}), "flow f submitted before, 3 steps");
  EXPECT_EQ(said(MemberEnqueued{"f", "r.f", "flow:f:r.f", "r.b.g000001", true}),
            "finalizer r.f of flow f enqueued as flow:f:r.f by r.b.g000001");
  EXPECT_EQ(said(FlowAdvanced{"f", "r.b.g000001", "dead", "r.b", true, 4}),
            "flow f: r.b.g000001 dead, counted for r.b, 4 left");
  EXPECT_EQ(said(FlowAdvanced{
                .flow = "f", .path = "r", .outcome = "succeeded", .join = "r", .is_heard = false}),
            "flow f: r succeeded, perhaps counted for r");
  EXPECT_EQ(said(FlowStopped{"f", "r.g000000", false}), "flow f stopped by r.g000000");
  EXPECT_EQ(said(FlowStopped{"f", "", true}), "flow f cancelled");
  EXPECT_EQ(said(FlowResumed{"f"}), "flow f goes on");
}

TEST(FlowTest, KeysAndIdsOfFlowsAreNotForOthers) {
  EXPECT_TRUE(objection_to(Submission{.type = "t", .key = "flow:f:r"}, Bounds{}, Instant{}));
  EXPECT_TRUE(objection_to(Submission{.type = "t", .id = "flow:f:r"}, Bounds{}, Instant{}));
  EXPECT_FALSE(objection_to(Submission{.type = "t", .key = "flows"}, Bounds{}, Instant{}));
  FlowRig rig;
  rig.shop.run([&] {
    WorkerOptions options = rig.options();
    options.handlers["assay.flow"].run = succeeds;
    const auto made = Worker::make(rig.shop.runtime(), rig.shop.driver(), options);
    EXPECT_EQ(made.error().message, "jobs of the type assay.flow are the engine's");
  });
}

}  // namespace
}  // namespace assay::engine
