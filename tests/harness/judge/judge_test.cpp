#include "harness/judge/judge.h"

#include <gtest/gtest.h>

#include "properties/all.h"
#include "tests/harness/judge/overlapping.h"
#include "tests/properties/judging.h"

namespace assay::told {
namespace {

Judgement judged(const History& history) { return judge(history, all_properties()); }

Judgement judged(Story story) { return judged(tell("reference", nullptr, story)); }

std::uint64_t triggered(const Judgement& judgement, std::string_view rule) {
  const auto found = judgement.tallies.find(rule);
  return found == judgement.tallies.end() ? 0 : found->second.triggered;
}

TEST(Judge, SaysNothingOfAnEmptyHistory) {
  const auto judgement = judged([](Told&) {});
  EXPECT_TRUE(judgement.tallies.empty());
  EXPECT_TRUE(judgement.findings.empty());
  EXPECT_EQ(judgement.unknown_outcomes, 0U);
  EXPECT_FALSE(judgement.overlapped);
}

TEST(Judge, CountsACallThatNeverEndsAsUnknown) {
  const auto judgement = judged([](Told& h) { h.enqueue("a").open(); });
  EXPECT_EQ(judgement.unknown_outcomes, 1U);
  EXPECT_EQ(findings_of(judgement), "");
}

TEST(Judge, ConcludesNothingFromACallThatNeverEnds) {
  const auto judgement = judged([](Told& h) { h.done("a").reserve().open(); });
  EXPECT_EQ(findings_of(judgement), "");
  EXPECT_FALSE(judgement.overlapped);
  EXPECT_GT(triggered(judgement, "ACK-1"), 0U);
  EXPECT_EQ(triggered(judgement, "ACK-3"), 0U);
}

TEST(Judge, BlamesNoStoreForSayingThatItCannotBeReached) {
  const auto full = judged([](Told& h) { h.enqueue("a").refused(ErrorCode::unavailable); });
  EXPECT_EQ(findings_of(full), "");
  const auto unwilling = judged([](Told& h) { h.enqueue("a").refused(ErrorCode::conflict); });
  EXPECT_NE(findings_of(unwilling), "");
}

TEST(Judge, PassesOverAReturnWithoutACall) {
  auto history = tell("reference", nullptr, [](Told& h) { h.done("a"); });
  const auto before = judged(history);
  history.events.emplace_back(ReturnEvent{99, OutcomeKind::ok, Enqueued{"z", false}, {}});
  const auto after = judged(history);
  EXPECT_EQ(tallies_of(after), tallies_of(before));
  EXPECT_EQ(findings_of(after), "");
}

TEST(Judge, GoesOnAfterCallsOverlapped) {
  const auto judgement = judged([](Told& h) {
    h.enqueue("a").ok();
    auto slow = h.as(1).get("a");
    h.as(0).reserve().claims({"a"});
    slow.shows();
    h.as(1).claim("a").reserve().refused(not_found);
  });
  EXPECT_TRUE(judgement.overlapped);
  EXPECT_EQ(judgement.tallies.of("LEASE-2").convicted, 1u);
  EXPECT_EQ(judgement.tallies.of("ERR-5").convicted, 1u);
}

TEST(Judge, KeepsWhatItFoundBeforeCallsOverlapped) {
  const auto judgement = judged([](Told& h) {
    h.enqueue("a").ok().reserve().nothing();
    auto slow = h.as(1).get("a");
    h.as(0).reserve().claims({"a"});
    slow.shows();
  });
  EXPECT_TRUE(judgement.overlapped);
  EXPECT_NE(findings_of(judgement), "");
}

TEST(Judge, AcceptsTheJobOfAnEnqueueThatNobodyKnowsTheEndOf) {
  const auto judgement =
      judged([](Told& h) { h.enqueue("a").ok().hide().get("a").shows().claim("a").ack("a").ok(); });
  EXPECT_EQ(findings_of(judgement), "");
  EXPECT_EQ(judgement.unknown_outcomes, 1U);
}

TEST(Judge, AcceptsAJobOfUnknownIdAfterSuchAnEnqueue) {
  const auto judgement = judged([](Told& h) {
    h.enqueue(NewJob{.queue = "q", .type = "t", .payload = "p"}).ok().hide();
    h.claim("made-0").ack("made-0").ok().get("made-0").shows();
  });
  EXPECT_EQ(findings_of(judgement), "");
}

TEST(Judge, ConvictsAJobThatNobodyEnqueued) {
  const auto judgement =
      judged([](Told& h) { h.enqueue("a").ok().claim("a", [](Claim& c) { c.job.id = "z"; }); });
  EXPECT_NE(findings_of(judgement), "");
}

TEST(Judge, ExcusesOnlyTheJobThatAnUnknownCallCouldTouch) {
  const auto judgement = judged([](Told& h) {
    h.held("a").held("b").ack("a").unknown().ack("b").ok().advance(30s);
    h.get("a").shows().get("b").shows([](JobView& v) { v.job.state = ready; });
  });
  ASSERT_FALSE(judgement.findings.empty());
  for (const auto& finding : judgement.findings) EXPECT_EQ(finding.ops.back(), 8U) << finding.rule;
}

TEST(Judge, ExcusesOnlyTheQueueThatAnUnknownClaimCouldTouch) {
  const auto judgement = judged([](Told& h) {
    h.enqueue(NewJob{.id = "b", .queue = "r", .type = "t", .payload = "p"}).ok();
    h.enqueue("a").ok().reserve("q").unknown().reserve("q").nothing().reserve("r").nothing();
  });
  ASSERT_FALSE(judgement.findings.empty());
  for (const auto& finding : judgement.findings) EXPECT_EQ(finding.ops.back(), 5U) << finding.rule;
}

TEST(Judge, ExcusesOnlyTheKeyThatAnUnknownEnqueueCouldTake) {
  const auto judgement = judged([](Told& h) {
    NewJob keyed{.id = "a", .queue = "q", .type = "t", .payload = "p", .key = "k"};
    h.enqueue(keyed).ok().enqueue("x").unknown();
    keyed.id = "b";
    h.enqueue(keyed).ok();
  });
  EXPECT_EQ(judgement.tallies.of("IDEMP-2").convicted, 1U);
}

TEST(Judge, ExcusesOnlyTheIdThatAnUnknownEnqueueCouldMake) {
  const auto judgement = judged([](Told& h) {
    h.enqueue("x").unknown().get("x").refused(unavailable).get("y").refused(conflict);
  });
  EXPECT_EQ(judgement.tallies.of("ERR-1").triggered, 1U);
  EXPECT_EQ(judgement.tallies.of("ERR-1").convicted, 1U);
}

TEST(Judge, KnowsNotWhatAnEarlierUnknownEnqueueGave) {
  const auto judgement = judged([](Told& h) {
    NewJob first{.id = "a", .queue = "q", .type = "t", .payload = "first", .key = "k"};
    NewJob second{.id = "b", .queue = "q", .type = "t", .payload = "second", .key = "k"};
    h.enqueue(first).ok().hide().advance(1h).enqueue(second).existed("a").get("a").shows();
  });
  EXPECT_EQ(findings_of(judgement), "");
}

TEST(Judge, KnowsNotWhetherAQueueStandsStillAfterAnUnknownPause) {
  EXPECT_EQ(findings_of(judged([](Told& h) {
              h.pause().unknown().enqueue("a").ok().reserve().nothing().claim("a");
            })),
            "");
  EXPECT_EQ(findings_of(judged([](Told& h) {
              h.pause().ok().resume().unknown().enqueue("a").ok().reserve().nothing().claim("a");
            })),
            "");
  // One that was lost may still come.
  EXPECT_EQ(findings_of(judged([](Told& h) {
              h.pause().unknown().resume().ok().enqueue("a").ok().reserve().nothing();
            })),
            "");
  EXPECT_NE(findings_of(judged([](Told& h) {
              h.pause().ok().resume().ok().enqueue("a").ok().reserve().nothing();
            })),
            "");
}

TEST(Judge, KnowsNotWhetherASessionIsOpenAfterAnUnknownClose) {
  EXPECT_EQ(findings_of(judged(
                [](Told& h) { h.enqueue("a").ok().close().unknown().get("a").refused(closed); })),
            "");
}

// A store without a server takes whoever has it open down with it: they come back with new sessions.
TEST(Judge, KnowsNotWhetherASessionIsOpenAfterAnOutageOfTheStore) {
  EXPECT_EQ(findings_of(judged(
                [](Told& h) { h.close().ok().store_goes().reserve().nothing(); })),
            "");
  EXPECT_EQ(findings_of(judged([](Told& h) {
              h.enqueue("a").ok().close().ok().store_goes().store_comes_back();
              h.get("a").refused(closed);
            })),
            "");
  EXPECT_NE(findings_of(judged([](Told& h) { h.close().ok().reserve().nothing(); })), "");
}

TEST(Judge, ConvictsAJobThatIsHandedOutTwiceInOneAnswer) {
  const auto judgement = judged([](Told& h) {
    h.enqueue("a").ok().reserve("q", 2).claims({"a", "a"});
  });
  EXPECT_EQ(judgement.tallies.of("CLAIM-3").convicted, 1U);
}

TEST(Judge, ConvictsATokenThatIsGivenTwiceInOneAnswer) {
  const auto judgement = judged([](Told& h) {
    h.enqueue("a").ok().enqueue("b").ok();
    h.reserve("q", 2).claims({"a", "b"}, [](Claim& c) { c.token = "same"; });
  });
  EXPECT_EQ(judgement.tallies.of("FENCE-5").convicted, 1U);
}

TEST(Judge, ConvictsARepeatedEnqueueThatIsNotAnsweredAsExisting) {
  const auto judgement =
      judged([](Told& h) { h.enqueue("a").ok().enqueue("a").refused(duplicate_id); });
  EXPECT_EQ(judgement.tallies.of("ENQ-3").convicted, 1U);
}

TEST(Judge, SurvivesAnswersOfTheWrongKind) {
  for (const auto& rule : all_cases()) {
    for (const auto story : {rule.holds, rule.convicts, rule.unknown}) {
      const auto whole = tell(rule.profile, rule.given, story);
      for (std::size_t at = 0; at < whole.events.size(); ++at) {
        auto strange = whole;
        auto* end = std::get_if<ReturnEvent>(&strange.events[at]);
        if (!end || whole.events.size() > 30) continue;
        for (const Response& response : {Response{Done{}}, Response{Enqueued{"a", true}}}) {
          *end = {end->op, OutcomeKind::ok, response, {}};
          EXPECT_EQ(judged(strange).undecided, 0u);
        }
      }
    }
  }
}

TEST(Judge, StillJudgesOtherJobsAfterAConviction) {
  const auto judgement = judged([](Told& h) {
    h.enqueue("a").ok().enqueue("b").ok();
    h.get("a").refused(not_found).get("b").refused(not_found);
  });
  OpId last = 0;
  for (const auto& finding : judgement.findings) last = std::max(last, finding.ops.back());
  EXPECT_EQ(last, 4U);
}

TEST(Judge, JudgesEventByEventAsItJudgesTheWhole) {
  const auto history = tell("reference", nullptr, [](Told& h) {
    h.done("a").enqueue("b").ok().reserve().nothing().get("a").refused(not_found);
  });
  Judge judge(history.profile, all_properties());
  for (const auto& event : history.events) judge.observe(event);
  const auto piecewise = judge.finish();
  const auto whole = judged(history);
  EXPECT_EQ(findings_of(piecewise), findings_of(whole));
  EXPECT_EQ(tallies_of(piecewise), tallies_of(whole));
  EXPECT_NE(findings_of(whole), "");
}

// What it keeps of a batch, and for how long, makes no difference; nor does what it gives back.
TEST(Judge, JudgesBatchesAsItJudgesTheWhole) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    auto history = stretched(faithful(*built_in_profile("reference"), seed), seed);
    if (seed % 2 == 0)  // an answer is lost
      std::erase_if(history.events, [&](const Event& event) {
        const auto* end = std::get_if<ReturnEvent>(&event);
        return end && end->op == seed;
      });
    const auto whole = judged(history);
    for (const std::size_t size : {1U, 2U, 7U, 30U}) {
      Judge judge(history.profile, all_properties());
      std::vector<Event> batch;
      for (const Event& event : history.events) {
        batch.push_back(event);
        if (batch.size() < size) continue;
        judge.observe(batch);
        for (Event& unneeded : batch) unneeded = ReturnEvent{99, OutcomeKind::unknown, Done{}, {}};
        batch.clear();
      }
      judge.observe(batch);
      const auto piecewise = judge.finish();
      ASSERT_EQ(findings_of(piecewise), findings_of(whole));
      ASSERT_EQ(tallies_of(piecewise), tallies_of(whole));
    }
  }
}

TEST(Judge, LeavesOutWhatTheProfileDoesNotPromise) {
  const auto history = tell("taskharbor", nullptr,
                            [](Told& h) { h.enqueue("a").ok().enqueue("b").ok().claim("b"); });
  EXPECT_EQ(triggered(judged(history), "ORDER-2"), 0U);
}

TEST(Judge, ThatFinishedIsAsNew) {
  const auto bad = tell("reference", nullptr,
                        [](Told& h) { h.reserve().refused(not_found).enqueue("a").open(); });
  const auto overlapping = tell("reference", nullptr, [](Told& h) {
    h.enqueue("a").ok();
    auto slow = h.as(1).get("a");
    h.as(0).reserve().claims({"a"});
    slow.shows();
  });
  const auto good = tell("reference", nullptr, [](Told& h) { h.done("a"); });
  Judge kept(good.profile, all_properties());
  EXPECT_NE(findings_of(kept.judge(bad)), "");
  EXPECT_TRUE(kept.judge(overlapping).overlapped);
  const auto after = kept.judge(good);
  EXPECT_EQ(tallies_of(after), tallies_of(judged(good)));
  EXPECT_EQ(findings_of(after), "");
  EXPECT_EQ(after.unknown_outcomes, 0U);
  EXPECT_FALSE(after.overlapped);
}

TEST(Judge, BoundsItsFindings) {
  const auto judgement = judged([](Told& h) {
    for (int n = 0; n < 5'000; ++n) h.reserve().refused(not_found);
  });
  EXPECT_EQ(judgement.tallies.of("ERR-5").convicted, 5'000U);
  EXPECT_LT(judgement.findings.size(), 5'000U);
}

// By one caller's clock the lease is over, and its claim may have ended it; by the holder's it is
// alive. Nobody knows which it is.
TEST(Judge, ConcludesNothingOfALeaseThatIsOverByAnotherCallersClock) {
  for (const bool is_refused : {false, true}) {
    Told told("reference");
    told.held("a").enqueue("b").ok();
    told.now += 5min;
    told.as(1).reserve().claims({"b"});
    told.now -= 5min;
    if (is_refused)
      told.as(0).ack("a").lost(LeaseReason::not_held);
    else
      told.as(0).ack("a").ok();
    EXPECT_EQ(findings_of(judge(told.history(), all_properties())), "") << is_refused;
  }
}

// The same where the call that granted the lease is judged together with the one that lost it.
TEST(Judge, ConcludesNothingOfALeaseThatIsGrantedWhileAnotherCallersClockIsAheadOfIt) {
  Told told("reference");
  told.enqueue("a").ok().enqueue("b").ok();
  told.now += 5min;
  auto ahead = told.as(1).reserve("p");
  told.now -= 5min;
  auto claim = told.as(2).reserve_for(1ms);
  auto other = told.as(3).get("a");
  claim.claims({"a"});
  ahead.nothing();
  auto lost = told.as(2).retry("a", 0ms, 1);
  lost.lost(LeaseReason::not_held);
  other.shows([](JobView& view) {
    view.job.state = JobState::ready;
    view.lease.reset();
  });
  EXPECT_EQ(findings_of(judge(told.history(), all_properties())), "");
}

TEST(Judge, TakesAClientThatDiedForANewOneWhenItComesBack) {
  Told told("reference");
  told.enqueue("a").ok().as(1).close().ok();
  told.dies(1).as(1).claim("a").ack("a").ok();
  EXPECT_EQ(findings_of(judge(told.history(), all_properties())), "");
}

}  // namespace
}  // namespace assay::told
