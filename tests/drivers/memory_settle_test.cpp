// How leases are extended and jobs leave them, in the memory driver.
#include "tests/drivers/memory_fixture.h"

namespace assay {
namespace {

constexpr Duration tick{1};

TEST(MemoryExtend, MovesTheExpiryLaterAndNeverEarlier) {
  Desk desk;
  desk.put_as("j");
  const Claim claim = desk.take_one();
  desk.pass(Duration{400});
  EXPECT_EQ(desk.extend(claim, Duration{100})->expires_at, claim.expires_at);
  EXPECT_EQ(desk.extend(claim, Duration{1000})->expires_at, claim.expires_at + Duration{400});
  desk.pass(Duration{999});
  EXPECT_TRUE(desk.take().empty());
  EXPECT_EQ(desk.get("j").lease->expires_at, desk.now + tick);
  desk.pass(tick);
  EXPECT_EQ(reason_of(desk.extend(claim, Duration{1000})), LeaseReason::expired);
  EXPECT_EQ(desk.take().size(), 1u);
}

TEST(MemoryExtend, RefusesWhoDoesNotHoldTheLease) {
  Desk desk;
  desk.put_as("j");
  Claim claim = desk.take_one();
  Claim forged = claim;
  forged.token = "forged";
  EXPECT_EQ(reason_of(desk.extend(forged, Duration{1})), LeaseReason::mismatch);
  EXPECT_EQ(code_of(desk.extend(claim, Duration{0})), ErrorCode::invalid);
  ASSERT_TRUE(desk.ack(claim).ok());
  EXPECT_EQ(reason_of(desk.extend(claim, Duration{1})), LeaseReason::not_held);
  claim.job.id = "nobody";
  EXPECT_EQ(code_of(desk.extend(claim, Duration{1})), ErrorCode::not_found);
}

TEST(MemoryExtend, DoesNotReviveAnExpiredLeaseWhereSettlesMayBeLate) {
  Desk desk("weave");
  desk.put_as("j");
  const Claim claim = desk.take_one();
  desk.pass(Duration{1000});
  EXPECT_EQ(reason_of(desk.extend(claim, Duration{1000})), LeaseReason::expired);
  EXPECT_TRUE(desk.ack(claim).ok());
}

TEST(MemorySettle, AcksOnceAndTakesTheSameAgainAsARepetition) {
  Desk desk;
  desk.put_as("j");
  const Claim claim = desk.take_one();
  ASSERT_TRUE(desk.ack(claim).ok());
  EXPECT_EQ(desk.state("j"), JobState::done);
  EXPECT_FALSE(desk.get("j").lease);
  EXPECT_TRUE(desk.ack(claim).ok());
  EXPECT_EQ(reason_of(desk.fail(claim)), LeaseReason::not_held);
  EXPECT_EQ(reason_of(desk.retry(claim, desk.now)), LeaseReason::not_held);
  Claim foreign = claim;
  foreign.token = "foreign";
  EXPECT_EQ(reason_of(desk.ack(foreign)), LeaseReason::not_held);
  desk.pass(Duration{5000});
  EXPECT_TRUE(desk.take().empty());
}

TEST(MemorySettle, TakesAForeignAckOfADoneJobWhereTheProfileDoes) {
  Desk desk("taskharbor");
  desk.put_as("j");
  Claim claim = desk.take_one();
  ASSERT_TRUE(desk.ack(claim).ok());
  claim.token = "foreign";
  EXPECT_TRUE(desk.ack(claim).ok());
  EXPECT_EQ(reason_of(desk.fail(claim)), LeaseReason::not_held);
}

TEST(MemorySettle, RefusesARepetitionWhereTheProfileCallsItStale) {
  Desk desk("trace");
  desk.put_as("j");
  const Claim claim = desk.take_by_id("j").at(0);
  ASSERT_TRUE(desk.ack(claim).ok());
  EXPECT_EQ(reason_of(desk.ack(claim)), LeaseReason::not_held);
}

TEST(MemorySettle, NamesTheReasonInItsOrder) {
  Desk desk;
  desk.put_as("j");
  const Claim claim = desk.take_one();
  Claim forged = claim;
  forged.token = "forged";
  EXPECT_EQ(reason_of(desk.ack(forged)), LeaseReason::mismatch);
  desk.pass(Duration{1000});
  EXPECT_EQ(reason_of(desk.ack(forged)), LeaseReason::expired);
  EXPECT_EQ(reason_of(desk.ack(claim)), LeaseReason::expired);
  EXPECT_EQ(desk.state("j"), JobState::leased);
  forged.job.id = "nobody";
  EXPECT_EQ(code_of(desk.ack(forged)), ErrorCode::not_found);
  forged.job.id = "";
  EXPECT_EQ(code_of(desk.ack(forged)), ErrorCode::invalid);
}

TEST(MemorySettle, TakesALateOneUntilSomebodyElseHasTheJob) {
  Desk desk("weave");
  desk.put_as("a");
  desk.put_as("b");
  const Claim a = desk.take_one(), b = desk.take_one();
  desk.pass(Duration{1000});
  EXPECT_EQ(ids_of(desk.take(1)), "a");
  EXPECT_EQ(reason_of(desk.ack(a)), LeaseReason::mismatch);
  EXPECT_TRUE(desk.ack(b).ok());
}

TEST(MemorySettle, NeedsTheAttemptWhereTheFenceDoes) {
  Desk desk("trace");
  desk.put_as("j");
  Claim claim = desk.take_by_id("j").at(0);
  claim.attempt = 2;
  EXPECT_EQ(reason_of(desk.ack(claim)), LeaseReason::mismatch);
  claim.attempt.reset();
  EXPECT_EQ(reason_of(desk.ack(claim)), LeaseReason::mismatch);
  claim.attempt = 1;
  EXPECT_TRUE(desk.ack(claim).ok());
}

TEST(MemorySettle, ChecksNoTokenWhereThereIsNoFence) {
  for (const bool unfenced : {true, false}) {
    Profile profile = profile_named("reference");
    if (unfenced) profile.late_settle = LateSettle::unfenced;
    if (!unfenced) profile.fence = Fence::none;
    Desk desk(profile);
    desk.put_as("j");
    Claim claim = desk.take_one();
    claim.token = "forged";
    EXPECT_TRUE(desk.ack(claim).ok());
  }
}

TEST(MemoryRetry, StoresWhatTheEngineHandsIn) {
  Desk desk;
  desk.put_as("j");
  const Claim claim = desk.take_one();
  ASSERT_TRUE(desk.retry(claim, desk.now + Duration{50}, 2).ok());
  const JobView waiting = desk.get("j");
  EXPECT_EQ(waiting.job.state, JobState::scheduled);
  EXPECT_EQ(waiting.job.run_at, desk.now + Duration{50});
  EXPECT_EQ(waiting.job.attempts, 2);
  EXPECT_EQ(waiting.job.last_error, "oops");
  EXPECT_FALSE(waiting.lease);
  EXPECT_TRUE(desk.retry(claim, desk.now + Duration{70}, 3).ok());
  EXPECT_EQ(desk.get("j"), waiting);
  desk.pass(Duration{49});
  EXPECT_TRUE(desk.take().empty());
  desk.pass(tick);
  EXPECT_EQ(desk.take_one().job.attempts, 2);
  EXPECT_EQ(reason_of(desk.retry(claim, desk.now)), LeaseReason::mismatch);
  EXPECT_EQ(code_of(desk.nack(claim)), ErrorCode::unsupported);
  EXPECT_EQ(code_of(desk.retry(claim, desk.now, -1)), ErrorCode::invalid);
}

TEST(MemoryFail, BuriesWithReasonErrorAndTime) {
  Desk desk;
  desk.put_as("j");
  const Claim claim = desk.take_one();
  desk.pass(Duration{3});
  ASSERT_TRUE(desk.fail(claim, 3).ok());
  const Instant died = desk.now;
  desk.pass(Duration{5000});
  EXPECT_TRUE(desk.fail(claim, 9).ok());
  EXPECT_EQ(desk.get("j").dead, (DeadView{"gave up", "oops", died}));
  const auto entries = desk.dead();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0], (DeadEntry{"j", desk.get("j").job, "gave up", "oops", died}));
  EXPECT_EQ(entries[0].job.attempts, 3);
  EXPECT_TRUE(desk.take().empty());
}

TEST(MemoryNack, RetriesUntilTheLimitThenBuries) {
  Desk desk("weave");
  NewJob job;
  job.id = "j";
  job.max_attempts = 2;
  desk.add(job);
  for (int run = 1; run <= 2; ++run) {
    const auto answer = desk.nack(desk.take_one());
    EXPECT_EQ(answer->state, JobState::ready);
    EXPECT_GE(*answer->run_at, desk.now);
    EXPECT_LE(*answer->run_at, desk.now + Duration{500} * run);
    EXPECT_EQ(desk.get("j").job.attempts, run);
    EXPECT_EQ(desk.get("j").job.run_at, answer->run_at);
    desk.pass(Duration{1000});
  }
  const Claim last = desk.take_one();
  EXPECT_EQ(*desk.nack(last), (Nacked{JobState::dead, {}}));
  EXPECT_EQ(*desk.nack(last), (Nacked{JobState::dead, {}}));
  EXPECT_EQ(desk.get("j").job.attempts, 2);
  EXPECT_EQ(desk.get("j").dead, (DeadView{"limit reached", "oops", desk.now}));
}

TEST(MemoryNack, NumbersTheAttemptsWhereTheCounterDoes) {
  Desk desk("trace");
  NewJob job;
  job.id = "j";
  job.max_attempts = 2;
  desk.add(job);
  EXPECT_EQ(desk.nack(desk.take_by_id("j").at(0))->state, JobState::scheduled);
  EXPECT_EQ(desk.get("j").job.attempts, 2);
  desk.pass(Duration{30'000});
  EXPECT_EQ(desk.nack(desk.take_by_id("j").at(0))->state, JobState::dead);
  EXPECT_EQ(desk.get("j").job.attempts, 2);
}

TEST(MemoryNack, CountsFailuresWhereTheCounterDoes) {
  Profile profile = profile_named("reference");
  profile.decider = Decider::store;
  Desk desk(profile);
  NewJob job;
  job.id = "j";
  job.max_attempts = 2;
  desk.add(job);
  EXPECT_NE(desk.nack(desk.take_one())->state, JobState::dead);
  desk.pass(Duration{500});
  EXPECT_EQ(desk.nack(desk.take_one())->state, JobState::dead);
  EXPECT_EQ(desk.get("j").job.attempts, 2);
}

TEST(MemoryNack, BuriesTheUnrecoverableAtOnce) {
  Desk desk("weave");
  desk.put_as("j");
  EXPECT_EQ(desk.nack(desk.take_one(), true)->state, JobState::dead);
  EXPECT_EQ(desk.get("j").dead->reason, "unrecoverable");
}

TEST(MemoryNack, AnswersARepetitionAsBefore) {
  Desk desk("weave");
  desk.put_as("j");
  const Claim claim = desk.take_one();
  const Nacked first = *desk.nack(claim);
  desk.pass(Duration{10'000});
  EXPECT_EQ(*desk.nack(claim), first);
  EXPECT_EQ(desk.get("j").job.attempts, 1);
  EXPECT_EQ(code_of(desk.retry(claim, desk.now)), ErrorCode::unsupported);
  EXPECT_EQ(code_of(desk.fail(claim)), ErrorCode::unsupported);
}

TEST(MemoryNack, SpreadsTheDelaysOverTheWholeWindow) {
  Desk desk("weave");
  std::int64_t shortest = 500, longest = 0;
  for (int i = 0; i < 300; ++i) desk.add({});
  for (const Claim& claim : desk.take(300)) {
    const std::int64_t delay = to_ms(*desk.nack(claim)->run_at - desk.now);
    shortest = std::min(shortest, delay);
    longest = std::max(longest, delay);
  }
  EXPECT_LT(shortest, 25);
  EXPECT_GT(longest, 475);
}

}  // namespace
}  // namespace assay
