// Races: what is convicted when calls overlap, and what is not.
#include <gtest/gtest.h>

#include <algorithm>

#include "properties/all.h"
#include "tests/properties/judging.h"

namespace assay::told {
namespace {

std::string findings(Story story, std::string_view profile = "reference") {
  return findings_of(judge(tell(profile, nullptr, story), all_properties()));
}

bool convicts(Story story, std::string_view rule, std::string_view profile = "reference") {
  const Judgement judgement = judge(tell(profile, nullptr, story), all_properties());
  return judgement.tallies.of(rule).convicted > 0;
}

std::uint64_t triggers(Story story, std::string_view rule) {
  return judge(tell("reference", nullptr, story), all_properties()).tallies.of(rule).triggered;
}

TEST(Race, TwoClaimersThatGetOneJobAreConvicted) {
  const Story story = [](Told& h) {
    h.enqueue("a").ok();
    auto one = h.as(0).reserve();
    auto other = h.as(1).reserve();
    one.claims({"a"});
    other.claims({"a"});
  };
  EXPECT_TRUE(convicts(story, "CLAIM-1")) << findings(story);
  EXPECT_TRUE(convicts(story, "LEASE-2"));
}

TEST(Race, TwoClaimersThatGetOneJobEachAreNot) {
  const Story story = [](Told& h) {
    h.enqueue("a").ok().enqueue("b").ok();
    auto one = h.as(0).reserve();
    auto other = h.as(1).reserve();
    other.claims({"a"});
    one.claims({"b"});
  };
  EXPECT_EQ(findings(story), "");
  EXPECT_GT(triggers(story, "CLAIM-1"), 0u);
}

TEST(Race, ForAnExpiredJobHasOneWinner) {
  const Story story = [](Told& h) {
    h.enqueue("a").ok().reserve().claims({"a"}).advance(lease_length);
    auto one = h.as(1).reserve();
    auto other = h.as(2).reserve();
    one.claims({"a"});
    other.claims({"a"});
  };
  EXPECT_TRUE(convicts(story, "XLEASE-3")) << findings(story);
}

TEST(Race, AJobMayBeClaimedWhileItsEnqueueIsUnderWay) {
  const Story story = [](Told& h) {
    auto enqueue = h.as(0).enqueue("a");
    auto reserve = h.as(1).reserve();
    enqueue.ok();
    reserve.claims({"a"});
  };
  EXPECT_EQ(findings(story), "");
}

TEST(Race, AnAnswerThatComesLateTellsOfWhatWas) {
  const Story story = [](Told& h) {
    h.enqueue("a").ok();
    auto look = h.as(1).get("a");
    h.as(0).reserve().claims({"a"});
    look.shows();
  };
  EXPECT_EQ(findings(story), "");
}

TEST(Race, AnAckOfAStaleTokenIsConvictedWhateverElseGoesOn) {
  const Story story = [](Told& h) {
    h.enqueue("a").ok().enqueue("b").ok().reserve().claims({"a"}).advance(lease_length);
    h.as(1).reserve().claims({"a"});
    auto other = h.as(2).reserve();
    h.as(0).ack("a", "a#1").answers(Done{});
    other.claims({"b"});
  };
  EXPECT_TRUE(convicts(story, "FENCE-2")) << findings(story);
}

// Four looks and a refused ack overlap a double claim; none of them is needed to see that it is
// one.
TEST(Race, TheWitnessNamesNoMoreCallsThanContradictEachOther) {
  const Story story = [](Told& h) {
    h.enqueue("a").ok();
    auto look = h.as(2).get("a");
    auto second_look = h.as(3).get("a");
    auto one = h.as(0).reserve();
    auto other = h.as(1).reserve();
    auto forged = h.as(4).ack("a", "nobody's");
    look.shows();
    second_look.shows();
    one.claims({"a"});
    other.claims({"a"});
    forged.lost(not_held);
  };
  const Judgement judgement = judge(tell("reference", nullptr, story), all_properties());
  const auto found = std::ranges::find(judgement.findings, "CLAIM-1", &Finding::rule);
  ASSERT_NE(found, judgement.findings.end()) << findings_of(judgement);
  EXPECT_EQ(found->ops, (std::vector<OpId>{4, 5})) << found->story;
  EXPECT_NE(found->story.find("No order of steps 5 and 6 explains their answers."),
            std::string::npos)
      << found->story;
}

TEST(Race, AnExtensionWhoseAnswerWasLostMayComeLate) {
  const Story story = [](Told& h) {
    h.held("a").enqueue("b").ok();
    h.extend("a").unknown().advance(3s).get("b").shows().advance(4s);
    h.get("a").shows([](JobView& v) { v.lease->expires_at = run_epoch + 3s + lease_length; });
  };
  EXPECT_EQ(findings(story), "");
  const Story impossible = [](Told& h) {
    h.held("a").enqueue("b").ok();
    h.extend("a").unknown().advance(3s).get("b").shows().advance(4s);
    h.get("a").shows([](JobView& v) { v.lease->expires_at = run_epoch + 1h; });
  };
  EXPECT_NE(findings(impossible), "");
}

TEST(Race, AClaimThatWasUnderWayGetsNothingThatCameBehindThePause) {
  const Story story = [](Told& h) {
    auto reserve = h.as(1).reserve();
    h.as(0).pause().ok().enqueue("a").ok();
    reserve.claims({"a"});
  };
  EXPECT_TRUE(convicts(story, "PAUSE-1")) << findings(story);
}

TEST(Race, AClaimThatWasUnderWayMayComeBeforeThePause) {
  const Story before = [](Told& h) {
    h.enqueue("a").ok();
    auto reserve = h.as(1).reserve();
    h.as(0).pause().ok().enqueue("b").ok();
    reserve.claims({"a"});
  };
  EXPECT_EQ(findings(before), "");
  const Story meanwhile = [](Told& h) {
    auto reserve = h.as(1).reserve();
    auto pause = h.as(0).pause();
    h.as(2).enqueue("a").ok();
    pause.ok();
    reserve.claims({"a"});
  };
  EXPECT_EQ(findings(meanwhile), "");
}

TEST(Race, AClaimThatWasUnderWayMayComeBetweenAResumeAndThePauseBehindIt) {
  const Story story = [](Told& h) {
    auto reserve = h.as(1).reserve();
    h.as(0).pause().ok().enqueue("a").ok().resume().ok().pause().ok();
    reserve.claims({"a"});
  };
  EXPECT_EQ(findings(story), "");
  const Story under_way = [](Told& h) {
    auto reserve = h.as(1).reserve();
    h.as(0).pause().ok().enqueue("a").ok();
    auto resume = h.as(0).resume();
    reserve.claims({"a"});
    resume.ok();
  };
  EXPECT_EQ(findings(under_way), "");
}

TEST(Race, NobodyKnowsWhatCameBehindAPauseOrAResumeWhoseAnswerWasLost) {
  const Story paused = [](Told& h) {
    auto reserve = h.as(1).reserve();
    h.as(0).pause().unknown().enqueue("a").ok();
    reserve.claims({"a"});
  };
  EXPECT_EQ(findings(paused), "");
  const Story resumed = [](Told& h) {
    auto reserve = h.as(1).reserve();
    h.as(0).pause().ok().enqueue("a").ok().resume().unknown();
    reserve.claims({"a"});
  };
  EXPECT_EQ(findings(resumed), "");
}

TEST(Race, ManyLostClaimsExcuseAsMuchAsOne) {
  const Story story = [](Told& h) {
    h.enqueue("a").ok().enqueue("b").ok();
    for (int n = 0; n < 20; ++n) h.seek("b").unknown();
    h.seek("a").unknown();
    h.get("a").shows([](JobView& v) {
      v.job.state = leased;
      v.lease = LeaseView{"t", run_epoch + lease_length, "w"};
    });
  };
  EXPECT_EQ(findings(story, "trace"), "");
}

TEST(Race, OfManyEnqueuesForOneKeyIsDecided) {
  const Story story = [](Told& h) {
    const NewJob job{.id = "a", .queue = "q", .type = "t", .payload = "p", .key = "k"};
    std::vector<Asked> racers;
    for (int i = 0; i < 30; ++i) racers.push_back(h.as(i).enqueue(job));
    racers[17].ok();
    for (std::size_t i = 0; i < racers.size(); ++i)
      if (i != 17) racers[i].existed("a");
  };
  const Judgement judgement = judge(tell("reference", nullptr, story), all_properties());
  EXPECT_EQ(judgement.undecided, 0u);
  EXPECT_EQ(findings_of(judgement), "");
}

TEST(Race, OfManyAcksWithOneTokenIsDecided) {
  const Story story = [](Told& h) {
    h.held("a");
    std::vector<Asked> racers;
    for (int i = 0; i < 30; ++i) racers.push_back(h.as(i).ack("a"));
    for (Asked& racer : racers) racer.ok();
  };
  const Judgement judgement = judge(tell("reference", nullptr, story), all_properties());
  EXPECT_EQ(judgement.undecided, 0u);
  EXPECT_EQ(findings_of(judgement), "");
}

}  // namespace
}  // namespace assay::told
