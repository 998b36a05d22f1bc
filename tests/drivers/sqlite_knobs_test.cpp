// The sqlite driver, knob by knob.
#include <set>

#include "tests/drivers/sqlite_fixture.h"

namespace assay::lite_test {
namespace {

Result<Enqueued> with_key(Rig& rig, const std::string& queue, const std::string& type) {
  NewJob job{{}, queue, type};
  job.key = "k";
  return rig.session->enqueue(rig.now(), {job});
}

TEST(SqliteKeys, ReturnTheExistingJobInTheirScope) {
  struct Case {
    IdemScope scope;
    bool other_queue, other_type;
  };
  for (const Case& expected :
       {Case{IdemScope::queue, false, true}, Case{IdemScope::type, true, false},
        Case{IdemScope::global, true, true}}) {
    Profile profile = reference();
    profile.idem_scope = expected.scope;
    Rig rig(profile);
    const JobId first = with_key(rig, "q", "t")->id;
    EXPECT_EQ(*with_key(rig, "q", "t"), (Enqueued{first, true}));
    EXPECT_EQ(with_key(rig, "other", "t")->existed, expected.other_queue);
    EXPECT_EQ(with_key(rig, "q", "other")->existed, expected.other_type);
  }
}

TEST(SqliteKeys, ReturnTheExistingJobForEver) {
  Rig rig(reference());
  const JobId id = with_key(rig, "q", "t")->id;
  ASSERT_TRUE(rig.ack(hold_of(rig.claim())).ok());
  EXPECT_EQ(*with_key(rig, "q", "t"), (Enqueued{id, true}));
}

TEST(SqliteKeys, AreRefusedWhileActiveAndFreedAtTheEnd) {
  Rig rig(profile_named("upnext"));
  const auto taken = [&] { return !with_key(rig, "q", "t").ok(); };
  EXPECT_FALSE(taken());
  EXPECT_EQ(code_of(with_key(rig, "q", "t")), ErrorCode::duplicate_key);
  const Claim acked = rig.claim();
  EXPECT_TRUE(taken());
  ASSERT_TRUE(rig.ack(hold_of(acked)).ok());
  EXPECT_FALSE(taken());
  ASSERT_TRUE(rig.fail(hold_of(rig.claim())).ok());
  EXPECT_FALSE(taken());
  ASSERT_TRUE(rig.session->cancel(rig.now(), {rig.claim().job.id}).ok());
  EXPECT_FALSE(taken());
}

TEST(SqliteKeys, HaveNoEffectWhereTheProfileHasNone) {
  Rig rig(profile_named("weave"));
  const JobId first = with_key(rig, "q", "t")->id;
  EXPECT_NE(with_key(rig, "q", "t")->id, first);
  EXPECT_EQ(rig.get(first).job.key, "k");
}

TEST(SqliteFence, WantsTheAttemptNumberToo) {
  Rig rig(profile_named("trace"));
  const JobId id = rig.enqueue({});
  const auto claims = rig.reserve_id(id);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].attempt, 1);
  EXPECT_EQ(reason_of(rig.ack({id, claims[0].token, {}})), LeaseReason::mismatch);
  EXPECT_EQ(reason_of(rig.ack({id, claims[0].token, 2})), LeaseReason::mismatch);
  EXPECT_TRUE(rig.ack(hold_of(claims[0])).ok());
  EXPECT_EQ(reason_of(rig.ack(hold_of(claims[0]))), LeaseReason::not_held) << "stale_error";
}

TEST(SqliteFence, ChecksNothingWhereThereIsNone) {
  for (const bool by_fence : {true, false}) {
    Profile profile = reference();
    if (by_fence) profile.fence = Fence::none;
    profile.late_settle = by_fence ? LateSettle::reject : LateSettle::unfenced;
    Rig rig(profile);
    const JobId id = rig.enqueue({});
    rig.claim();
    EXPECT_TRUE(rig.ack({id, "forged", {}}).ok());
    EXPECT_EQ(rig.get(id).job.state, JobState::done);
  }
}

TEST(SqliteLateSettle, IsAcceptedUntilSomebodyReclaims) {
  Rig rig(profile_named("weave"));
  rig.enqueue({});
  rig.enqueue({});
  const Claim first = rig.claim();
  const Claim second = rig.claim();
  rig.pass(5000);
  EXPECT_EQ(reason_of(rig.session->extend(rig.now(), {hold_of(first), Duration{1}})),
            LeaseReason::expired);
  EXPECT_TRUE(rig.ack(hold_of(first)).ok());
  const Claim reclaimed = rig.claim();
  EXPECT_EQ(reclaimed.job.id, second.job.id);
  EXPECT_EQ(reclaimed.version, 2);
  EXPECT_EQ(reason_of(rig.ack(hold_of(second))), LeaseReason::mismatch);
}

TEST(SqliteLateSettle, KnowsALeaseThatLivesAtItsExpiry) {
  Profile profile = reference();
  profile.lease_edge = LeaseEdge::alive_at_equal;
  Rig rig(profile);
  rig.enqueue({});
  const Claim claim = rig.claim();
  rig.pass(1000);
  EXPECT_TRUE(rig.reserve().empty());
  EXPECT_TRUE(rig.session->extend(rig.now(), {hold_of(claim), Duration{1}}).ok());
  rig.pass(2);
  EXPECT_EQ(reason_of(rig.ack(hold_of(claim))), LeaseReason::expired);
  EXPECT_EQ(rig.reserve().size(), 1U);
}

TEST(SqliteResettle, OfAnotherTokenIsAsTheProfileSays) {
  Rig rig(profile_named("taskharbor"));
  const JobId id = rig.enqueue({});
  const Claim claim = rig.claim();
  ASSERT_TRUE(rig.ack(hold_of(claim)).ok());
  EXPECT_TRUE(rig.ack({id, "other", {}}).ok());
  EXPECT_EQ(reason_of(rig.fail({id, "other", {}})), LeaseReason::not_held);
}

TEST(SqliteNack, RetriesWithinItsWindowAndThenBuries) {
  Rig rig(profile_named("weave"));
  const JobId id = rig.enqueue({});
  std::int64_t window = 500;
  for (int retry = 1; retry <= 3; ++retry, window *= 2) {
    const Claim claim = rig.claim();
    EXPECT_EQ(claim.job.attempts, retry - 1);
    const Nacked answer = rig.session->nack(rig.now(), {hold_of(claim), "e", false}).value();
    EXPECT_EQ(answer.state, JobState::ready);
    EXPECT_GE(*answer.run_at, rig.now());
    EXPECT_LE(*answer.run_at, rig.now() + Duration{window});
    EXPECT_EQ(*rig.session->nack(rig.now(), {hold_of(claim), "e", false}), answer);
    EXPECT_EQ(rig.get(id).job.state, JobState::ready) << "hidden, not scheduled";
    EXPECT_EQ(rig.get(id).job.attempts, retry);
    rig.pass(window);
  }
  const Nacked last = rig.session->nack(rig.now(), {hold_of(rig.claim()), "e", false}).value();
  EXPECT_EQ(last, (Nacked{JobState::dead, std::nullopt}));
  EXPECT_EQ(rig.get(id).dead, (DeadView{"limit reached", "e", rig.now()}));
  EXPECT_EQ(rig.get(id).job.attempts, 3);
}

TEST(SqliteNack, BuriesAnUnrecoverableFailureAtOnce) {
  Rig rig(profile_named("weave"));
  const JobId id = rig.enqueue({});
  EXPECT_EQ(rig.session->nack(rig.now(), {hold_of(rig.claim()), "e", true})->state, JobState::dead);
  EXPECT_EQ(rig.get(id).dead->reason, "unrecoverable");
}

TEST(SqliteNack, SpreadsItsDelaysAndKeepsThemUnderTheCap) {
  Profile profile = profile_named("weave");
  profile.backoff = {Duration{400}, Duration{1000}};
  Rig rig(profile);
  std::set<std::int64_t> delays;
  for (int i = 0; i < 50; ++i) {
    NewJob job;
    job.attempts = 40;
    job.max_attempts = 60;
    rig.enqueue(job);
    const auto answer = rig.session->nack(rig.now(), {hold_of(rig.claim()), "e", false});
    delays.insert((*answer->run_at - rig.now()).count());
    rig.pass(1000);
    ASSERT_TRUE(rig.ack(hold_of(rig.claim())).ok());
  }
  EXPECT_GT(delays.size(), 20U);
  EXPECT_LE(*delays.rbegin(), 1000);
  EXPECT_GT(*delays.rbegin(), 500);
}

TEST(SqliteExpiry, EndsAnAttemptWhereAttemptsAreNumbered) {
  Rig rig(profile_named("trace"));
  NewJob job;
  job.max_attempts = 2;
  const JobId id = rig.enqueue(job);
  ASSERT_EQ(rig.reserve_id(id)[0].attempt, 1);
  rig.pass(1000);
  rig.reserve_id(id);
  EXPECT_EQ(rig.get(id).job.attempts, 2);
  EXPECT_EQ(rig.get(id).job.last_error, "lease expired");
  rig.pass(30'000);
  if (rig.get(id).job.state != JobState::leased) {
    EXPECT_EQ(rig.reserve_id(id).at(0).attempt, 2);
  }
  rig.pass(1000);
  EXPECT_TRUE(rig.reserve_id(id).empty());
  EXPECT_EQ(rig.get(id).dead->reason, "lease expired");
  EXPECT_EQ(rig.get(id).job.attempts, 2);
}

TEST(SqliteExpiry, CountsForNothingWhereTheProfileSaysSo) {
  Rig rig(profile_named("taskharbor"));
  NewJob job;
  job.max_attempts = 1;
  rig.enqueue(job);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(rig.claim().job.attempts, 0);
    rig.pass(1000);
  }
}

TEST(SqliteCounter, OfStartsIsRaisedByAClaim) {
  Rig rig(profile_named("upnext"));
  const JobId id = rig.enqueue({});
  EXPECT_EQ(rig.claim().job.attempts, 1);
  EXPECT_EQ(rig.get(id).job.attempts, 1);
}

TEST(SqliteClaim, ByIdTakesThatJobFromTheAskedQueueOnly) {
  Rig rig(profile_named("trace"));
  rig.enqueue({});
  const JobId id = rig.enqueue({});
  const auto from = [&](const std::string& queue, const std::optional<JobId>& wanted) {
    return rig.session->reserve(rig.now(), {{queue}, Duration{1000}, "w", 1, wanted});
  };
  EXPECT_TRUE(from("other", id)->claims.empty());
  EXPECT_TRUE(from("q", "unknown")->claims.empty());
  EXPECT_EQ(code_of(from("q", std::nullopt)), ErrorCode::invalid);
  EXPECT_EQ(from("q", id)->claims.at(0).job.id, id);
  EXPECT_TRUE(from("q", id)->claims.empty());
}

TEST(SqliteClock, IsTheCallersOrTheStores) {
  Rig caller(reference());
  const JobId early = caller.session->enqueue(instant_from_ms(5), {NewJob{{}, "q", "t"}})->id;
  EXPECT_EQ(caller.get(early).job.created_at, instant_from_ms(5));
  Rig store(profile_named("weave"));
  store.pass(77);
  const JobId late = store.session->enqueue(instant_from_ms(5), {NewJob{{}, "q", "t"}})->id;
  EXPECT_EQ(store.get(late).job.created_at, run_epoch + Duration{77});
  EXPECT_EQ(store.driver->advance(Duration{-70}).value(), run_epoch + Duration{7});
  const JobId earlier = store.session->enqueue(instant_from_ms(5), {NewJob{{}, "q", "t"}})->id;
  EXPECT_EQ(store.get(earlier).job.created_at, run_epoch + Duration{7});
}

TEST(SqliteCapabilities, AreRefusedWhereMissing) {
  Profile bare = reference();
  bare.capabilities = {};
  Rig rig(bare);
  const Instant now = rig.now();
  NewJob later{{}, "q", "t"};
  later.run_at = now + Duration{1};
  EXPECT_EQ(code_of(rig.session->enqueue(now, {later})), ErrorCode::unsupported);
  EXPECT_EQ(code_of(rig.session->reserve(now, {{"a", "b"}, Duration{1}, "", 1, {}})),
            ErrorCode::unsupported);
  EXPECT_EQ(code_of(rig.session->cancel(now, {"x"})), ErrorCode::unsupported);
  EXPECT_EQ(code_of(rig.session->pause(now, {"q"})), ErrorCode::unsupported);
  EXPECT_EQ(code_of(rig.session->get(now, {"x"})), ErrorCode::unsupported);
  EXPECT_EQ(code_of(rig.session->list(now, {"q"})), ErrorCode::unsupported);
  EXPECT_EQ(code_of(rig.session->dead(now, {"q"})), ErrorCode::unsupported);
  EXPECT_EQ(code_of(rig.session->requeue(now, {"x"})), ErrorCode::unsupported);
  EXPECT_EQ(code_of(rig.driver->advance(Duration{1})), ErrorCode::unsupported);
  const JobId first = rig.enqueue({});
  NewJob urgent;
  urgent.priority = 5;
  rig.enqueue(urgent);
  EXPECT_EQ(rig.claim().job.id, first) << "priority has no effect";
}

}  // namespace
}  // namespace assay::lite_test
