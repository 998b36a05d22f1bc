// Who gets which job from the memory driver, when, and for how long.
#include "tests/drivers/memory_fixture.h"

namespace assay {
namespace {

constexpr Duration tick{1};

NewJob due(std::string id, Instant run_at, std::int64_t priority = 0) {
  NewJob job;
  job.id = std::move(id);
  job.run_at = run_at;
  job.priority = priority;
  return job;
}

TEST(MemoryClaim, HandsOutADueJobNotATickEarlier) {
  Desk desk;
  desk.add(due("j", desk.now + Duration{100}));
  desk.pass(Duration{99});
  EXPECT_EQ(desk.state("j"), JobState::scheduled);
  EXPECT_TRUE(desk.take().empty());
  desk.pass(tick);
  EXPECT_EQ(desk.state("j"), JobState::ready);
  const Claim claim = desk.take_one();
  EXPECT_EQ(claim.job.state, JobState::leased);
  EXPECT_EQ(claim.expires_at, desk.now + Duration{1000});
  EXPECT_EQ(claim.version, 1);
  EXPECT_FALSE(claim.attempt);
  EXPECT_EQ(desk.get("j").lease, (LeaseView{claim.token, claim.expires_at, "w"}));
}

TEST(MemoryClaim, ReclaimsAtTheExpiryNotATickEarlier) {
  Desk desk;
  desk.put_as("j");
  const Claim first = desk.take_one();
  desk.pass(Duration{999});
  EXPECT_TRUE(desk.take().empty());
  desk.pass(tick);
  EXPECT_EQ(desk.state("j"), JobState::leased);
  const Claim second = desk.take_one();
  EXPECT_EQ(second.job.id, "j");
  EXPECT_NE(second.token, first.token);
  EXPECT_EQ(second.version, 2);
  EXPECT_EQ(second.job.run_at, first.expires_at);
  EXPECT_EQ(reason_of(desk.ack(first)), LeaseReason::mismatch);
  EXPECT_TRUE(desk.ack(second).ok());
}

TEST(MemoryClaim, KeepsALeaseAliveAtItsExpiryWhereTheEdgeSaysSo) {
  Profile profile = profile_named("reference");
  profile.lease_edge = LeaseEdge::alive_at_equal;
  Desk desk(profile);
  desk.put_as("j");
  desk.put_as("k");
  const Claim first = desk.take_one();
  const Claim second = desk.take_one();
  desk.pass(Duration{1000});
  EXPECT_TRUE(desk.take().empty());
  EXPECT_TRUE(desk.ack(first).ok());
  desk.pass(tick);
  EXPECT_EQ(reason_of(desk.ack(second)), LeaseReason::expired);
  EXPECT_EQ(desk.take().size(), 1u);
}

TEST(MemoryClaim, OrdersByPriorityThenRunnableTimeThenEnqueue) {
  Desk desk;
  desk.add(due("later", desk.now + Duration{10}));
  desk.put_as("first");
  desk.add(due("past", desk.now - Duration{10}));
  desk.add(due("urgent", desk.now + Duration{20}, 5));
  desk.add(due("future", desk.now + Duration{1000}, 9));
  desk.pass(Duration{50});
  desk.put_as("last");
  EXPECT_EQ(ids_of(desk.take(10)), "urgent first past later last");
}

TEST(MemoryClaim, IgnoresPriorityWithoutTheCapability) {
  Desk desk("taskharbor");
  desk.put_as("a");
  desk.add(due("b", desk.now, 9));
  EXPECT_EQ(ids_of(desk.take(2)), "a b");
}

TEST(MemoryClaim, PutsAReclaimedJobWhereItsExpiryBelongs) {
  for (const auto* profile : {"reference", "taskharbor"}) {
    Desk desk(profile);
    desk.put_as("lost");
    desk.take_one();
    desk.pass(Duration{500});
    desk.put_as("before");
    desk.pass(Duration{600});
    desk.put_as("after");
    EXPECT_EQ(ids_of(desk.take(3)), "before lost after") << profile;
  }
}

TEST(MemoryClaim, FindsJobsOfASetOfQueuesAndOfNoOther) {
  Desk desk;
  for (const auto* queue : {"a", "b", "c"}) {
    NewJob job;
    job.id = job.queue = queue;
    desk.add(job);
  }
  const auto claims =
      desk.session->reserve(desk.now, {{"c", "a", "c", "none"}, Duration{9}, "w", 9, {}});
  EXPECT_EQ(ids_of(claims->claims), "a c");
}

TEST(MemoryClaim, RefusesWrongArguments) {
  Desk desk, trace("trace"), weave("weave");
  const auto code = [](Desk& at, Reserve request) {
    return code_of(at.session->reserve(at.now, request));
  };
  EXPECT_EQ(code(desk, {{}, Duration{1}, "w", 1, {}}), ErrorCode::invalid);
  EXPECT_EQ(code(desk, {{"q", ""}, Duration{1}, "w", 1, {}}), ErrorCode::invalid);
  EXPECT_EQ(code(desk, {{"q"}, Duration{0}, "w", 1, {}}), ErrorCode::invalid);
  EXPECT_EQ(code(desk, {{"q"}, Duration{1}, "w", 0, {}}), ErrorCode::invalid);
  EXPECT_EQ(code(desk, {{"q"}, Duration{1}, "w", 1, "j"}), ErrorCode::invalid);
  EXPECT_EQ(code(trace, {{"q"}, Duration{1}, "w", 1, {}}), ErrorCode::invalid);
  EXPECT_EQ(code(weave, {{"q", "r"}, Duration{1}, "w", 1, {}}), ErrorCode::unsupported);
  EXPECT_TRUE(weave.session->reserve(weave.now, {{"q", "q"}, Duration{1}, "w", 1, {}}).ok());
}

TEST(MemoryClaim, GivesBatchesUpToWhatIsAskedFor) {
  Desk desk("weave");
  for (int i = 0; i < 5; ++i) desk.add({});
  EXPECT_EQ(desk.take(3).size(), 3u);
  EXPECT_EQ(desk.take(3).size(), 2u);
}

TEST(MemoryClaim, ByIdTakesThatJobOnlyAndOnlyFromTheAskedQueue) {
  Desk desk("trace");
  desk.put_as("a");
  desk.put_as("b");
  const auto claims = desk.take_by_id("b");
  ASSERT_EQ(ids_of(claims), "b");
  EXPECT_EQ(claims[0].attempt, 1);
  EXPECT_TRUE(desk.take_by_id("b").empty());
  EXPECT_TRUE(desk.take_by_id("nobody").empty());
  EXPECT_TRUE(desk.session->reserve(desk.now, {{"r"}, Duration{1}, "w", 1, "a"})->claims.empty());
}

TEST(MemoryClaim, CountsLostLeasesApartAndBuriesTheJobAtTheLimit) {
  Desk desk;
  NewJob job;
  job.id = "j";
  job.max_attempts = 2;
  desk.add(job);
  desk.take_one();
  desk.pass(Duration{1000});
  EXPECT_EQ(desk.take_one().job.attempts, 0);
  desk.pass(Duration{1000});
  EXPECT_TRUE(desk.take().empty());
  EXPECT_EQ(desk.get("j").dead, (DeadView{"lease expired", "lease expired", desk.now}));
  EXPECT_EQ(desk.get("j").job.last_error, "lease expired");
  EXPECT_FALSE(desk.get("j").lease);
  EXPECT_EQ(desk.dead().size(), 1u);
}

TEST(MemoryClaim, NeverBuriesForLostLeasesWhereTheyDoNotCount) {
  Desk desk("taskharbor");
  NewJob job;
  job.max_attempts = 1;
  desk.add(job);
  for (int i = 0; i < 5; ++i) {
    desk.take_one();
    desk.pass(Duration{1000});
  }
  EXPECT_EQ(desk.take_one().job.attempts, 0);
}

TEST(MemoryClaim, BacksOffAfterALostLeaseWhereTheAttemptsAreNumbered) {
  Desk desk("trace");
  NewJob job;
  job.id = "j";
  job.max_attempts = 2;
  desk.add(job);
  desk.take_by_id("j");
  desk.pass(Duration{1000});
  desk.take_by_id("j");
  const Job waiting = desk.get("j").job;
  EXPECT_EQ(waiting.attempts, 2);
  EXPECT_EQ(waiting.last_error, "lease expired");
  EXPECT_GE(*waiting.run_at, desk.now);
  EXPECT_LE(*waiting.run_at, desk.now + Duration{30'000});
  desk.pass(Duration{30'000});
  const auto again = desk.take_by_id("j");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].attempt, 2);
  desk.pass(Duration{1000});
  EXPECT_TRUE(desk.take_by_id("j").empty());
  EXPECT_EQ(desk.get("j").dead->reason, "lease expired");
}

TEST(MemoryClaim, CountsStartsWhereTheCounterDoes) {
  Desk desk("upnext");
  desk.put_as("j");
  const Claim claim = desk.take_one();
  EXPECT_EQ(claim.job.attempts, 1);
  EXPECT_FALSE(claim.version);
  ASSERT_TRUE(desk.retry(claim, desk.now, 1).ok());
  EXPECT_EQ(desk.take_one().job.attempts, 2);
}

TEST(MemoryClaim, LivesByTheCallersClockOrTheStores) {
  Desk caller("taskharbor"), store("weave");
  caller.put_as("j");
  store.put_as("j");
  caller.take_one();
  store.take_one();
  caller.now += Duration{1000};
  store.now += Duration{1000};
  EXPECT_EQ(caller.take().size(), 1u);
  EXPECT_TRUE(store.take().empty());
  ASSERT_TRUE(store.driver->advance(Duration{1000}).ok());
  EXPECT_EQ(store.take().size(), 1u);
  EXPECT_EQ(*store.driver->now(), run_epoch + Duration{1000});
}

TEST(MemoryClaim, DoesNotGiveASlowCallerWhatIsDueOnlyForAFastOne) {
  Desk desk("taskharbor");
  desk.add(due("soon", desk.now + Duration{500}));
  desk.put_as("held");
  const Claim claim = desk.take_one();
  desk.now += Duration{5000};
  desk.add(due("past", desk.now - Duration{6000}));
  desk.put_as("other");
  EXPECT_EQ(ids_of(desk.take(1)), "soon");
  desk.now -= Duration{4500};
  EXPECT_EQ(ids_of(desk.take(9)), "past");
  EXPECT_EQ(*desk.extend(claim, Duration{1000}), (Extended{desk.now + Duration{1000}}));
  EXPECT_TRUE(desk.ack(claim).ok());
}

TEST(MemoryPause, HoldsBackClaimsUntilResumed) {
  Desk desk;
  ASSERT_TRUE(desk.session->pause(desk.now, {"q"}).ok());
  ASSERT_TRUE(desk.session->pause(desk.now, {"q"}).ok());
  desk.put_as("j");
  EXPECT_TRUE(desk.take().empty());
  ASSERT_TRUE(desk.session->resume(desk.now, {"q"}).ok());
  ASSERT_TRUE(desk.session->resume(desk.now, {"other"}).ok());
  const Claim claim = desk.take_one();
  ASSERT_TRUE(desk.session->pause(desk.now, {"q"}).ok());
  EXPECT_TRUE(desk.ack(claim).ok());
  EXPECT_EQ(code_of(desk.session->pause(desk.now, {""})), ErrorCode::invalid);
  Desk weave("weave");
  EXPECT_EQ(code_of(weave.session->pause(weave.now, {"q"})), ErrorCode::unsupported);
}

}  // namespace
}  // namespace assay
