// What findings say: what must have been, and what came instead.
#include <gtest/gtest.h>

#include <algorithm>

#include "properties/all.h"
#include "tests/properties/cases.h"
#include "tests/properties/judging.h"

namespace assay::told {
namespace {

// The story of the rule's first finding.
std::string story_of(std::string_view rule, const History& history) {
  const auto judgement = judge(history, all_properties());
  const auto found = std::ranges::find(judgement.findings, rule, &Finding::rule);
  return found == judgement.findings.end() ? "not convicted" : found->story;
}

NewJob limited(std::int64_t limit) {
  return {.id = "a", .queue = "q", .type = "t", .payload = "p", .max_attempts = limit};
}

TEST(Wording, OfAFailureWithRunsLeft) {
  Told h("weave");
  h.held("a").nack("a").dies();
  const std::string story =
      "job a failed at +0.000 s with its counter at 0 and 4 runs allowed: it has runs left, so it "
      "must wait for a retry at a given time; the answer was: dead.";
  EXPECT_EQ(story_of("RETRY-4", h.history()), story);
  EXPECT_EQ(story_of("RETRY-6", h.history()), story);
}

TEST(Wording, OfAFailureThatIsTheLast) {
  Told h("weave");
  h.enqueue(limited(1)).ok().claim("a").nack("a").waits(0ms).claim("a").nack("a").waits(100ms);
  EXPECT_EQ(story_of("RETRY-6", h.history()),
            "job a failed at +0.000 s with its counter at 1 and 2 runs allowed: that was its last "
            "run, so it must be dead now; the answer was: ready, to run at +0.100 s.");
}

TEST(Wording, OfAFailureThatIsShownOtherwise) {
  Told h("weave");
  h.held("a").nack("a").waits(100ms).get("a").shows([](JobView& v) { v.job.state = dead; });
  EXPECT_EQ(story_of("RETRY-4", h.history()),
            "step 4 left job a scheduled with its counter at 1, to run at +0.100 s, and so it must "
            "be shown; it is shown as dead with its counter at 1, to run at +0.100 s.");
}

TEST(Wording, OfALostLeaseThatUsesUpTheBudget) {
  Told h("reference");
  h.enqueue(limited(1)).ok().claim("a").advance(30s).claim("a");
  EXPECT_EQ(story_of("RETRY-14", h.history()),
            "the leases that job a lost use up the 1 run that it is allowed, so it must be dead; "
            "it was handed out again at +30.000 s.");
}

TEST(Wording, OfALostLeaseWithRunsLeft) {
  Told h("reference");
  h.enqueue(limited(3)).ok().claim("a").advance(30s).get("a").shows([](JobView& v) {
    v.job.state = dead;
    v.lease.reset();
  });
  EXPECT_EQ(story_of("RETRY-14", h.history()),
            "job a lost its lease of step 3 and has some of its 3 runs left, so it must come back; "
            "it is shown as dead.");
}

TEST(Wording, OfARequeueOfTheLiving) {
  Told h("reference");
  h.held("a").requeue("a").refused(invalid);
  EXPECT_EQ(story_of("XADMIN-3", h.history()),
            "job a is leased since step 3, not dead: requeueing it must be refused with conflict; "
            "it was refused with invalid.");
}

TEST(Wording, OfARequeueThatIsShownOtherwise) {
  Told h("reference");
  h.buried("a").requeue("a", true).ok().get("a").shows([](JobView& v) { v.job.attempts = 1; });
  EXPECT_EQ(story_of("XADMIN-3", h.history()),
            "step 5 requeued job a and reset its counter: it must be ready with its counter at 0; "
            "it is shown as ready with its counter at 1, to run at +0.000 s.");
}

}  // namespace
}  // namespace assay::told
