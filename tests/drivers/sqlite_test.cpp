// The sqlite driver under the reference profile: enqueue, claims, leases, settles.
#include "drivers/sqlite/sqlite.h"

#include "tests/drivers/sqlite_fixture.h"

namespace assay::lite_test {
namespace {

TEST(SqliteEnqueue, GivesEveryFieldBack) {
  Rig rig(reference());
  NewJob job;
  job.id = "mine";
  job.payload = std::string("a\0b\xff\xfe", 5);
  job.run_at = rig.now() + Duration{5};
  job.max_attempts = 0;
  job.timeout = Duration{17};
  job.key = "k";
  job.priority = -3;
  job.attempts = 2;
  rig.enqueue(job);
  const Job seen = rig.get("mine").job;
  EXPECT_EQ(seen.queue, "q");
  EXPECT_EQ(seen.type, "t");
  EXPECT_EQ(seen.payload, job.payload);
  EXPECT_EQ(seen.run_at, job.run_at);
  EXPECT_EQ(seen.max_attempts, 0);
  EXPECT_EQ(seen.timeout, Duration{17});
  EXPECT_EQ(seen.key, "k");
  EXPECT_EQ(seen.priority, -3);
  EXPECT_EQ(seen.attempts, 2);
  EXPECT_EQ(seen.created_at, rig.now());
  EXPECT_EQ(seen.state, JobState::scheduled);
}

TEST(SqliteEnqueue, KeepsHostileNamesAndPayloadsByteForByte) {
  Rig rig(reference());
  const std::vector<std::string> names = {std::string("\0", 1),
                                          std::string("a\0b", 3),
                                          "'; DROP TABLE jobs; --",
                                          "\xff\xc0\x80",
                                          "%_?:ns",
                                          std::string(5000, 'x'),
                                          "\n\t",
                                          "e\xcc\x81"};
  for (const std::string& name : names) {
    NewJob job;
    job.queue = job.type = job.payload = name;
    job.id = job.key = name;
    ASSERT_EQ(rig.enqueue(job), name);
  }
  for (const std::string& name : names) {
    const auto claims = rig.reserve(5, {name});
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].job.id, name);
    EXPECT_EQ(claims[0].job.type, name);
    EXPECT_EQ(claims[0].job.payload, name);
    EXPECT_EQ(claims[0].job.key, name);
  }
}

TEST(SqliteEnqueue, KeepsAnEmptyPayloadAndOneOfTenMebibytes) {
  Rig rig(reference());
  std::string big(10U << 20U, '\0');
  for (std::size_t i = 0; i < big.size(); i += 997) big[i] = static_cast<char>(i);
  const JobId empty = rig.enqueue({});
  NewJob job;
  job.payload = big;
  const JobId large = rig.enqueue(job);
  EXPECT_EQ(rig.get(empty).job.payload, "");
  EXPECT_TRUE(rig.get(large).job.payload == big);
}

TEST(SqliteEnqueue, TakesTimesFromZeroToTheYear9999) {
  Rig rig(reference());
  NewJob first;
  first.run_at = instant_from_ms(0);
  const JobId past = rig.enqueue(first);
  NewJob last;
  last.run_at = end_of_time;
  const JobId future = rig.enqueue(last);
  EXPECT_EQ(rig.get(past).job.run_at, instant_from_ms(0));
  EXPECT_EQ(rig.get(past).job.state, JobState::ready);
  EXPECT_EQ(rig.get(future).job.run_at, end_of_time);
  EXPECT_EQ(rig.get(future).job.state, JobState::scheduled);
  ASSERT_EQ(rig.reserve(5).size(), 1U);
  const auto at_the_end =
      rig.session->reserve(end_of_time, {{"q"}, Duration{1000}, "w", 5, {}}).value().claims;
  EXPECT_EQ(at_the_end.size(), 2U);
}

TEST(SqliteEnqueue, DerivesTheStateFromTheRunTimeInclusively) {
  Rig rig(reference());
  NewJob job;
  job.run_at = rig.now();
  EXPECT_EQ(rig.get(rig.enqueue(job)).job.state, JobState::ready);
  job.run_at = rig.now() + Duration{1};
  const JobId later = rig.enqueue(job);
  EXPECT_EQ(rig.get(later).job.state, JobState::scheduled);
  rig.pass(1);
  EXPECT_EQ(rig.get(later).job.state, JobState::ready);
}

TEST(SqliteEnqueue, ShowsAnAbsentRunTimeAsTheCreation) {
  Rig rig(reference());
  const Job job = rig.get(rig.enqueue({})).job;
  EXPECT_EQ(job.run_at, job.created_at);
  EXPECT_EQ(job.max_attempts, std::nullopt);
}

TEST(SqliteEnqueue, RefusesBadArguments) {
  Rig rig(reference());
  const auto refused = [&](auto change) {
    NewJob job;
    job.queue = "q";
    job.type = "t";
    change(job);
    return code_of(rig.session->enqueue(rig.now(), {job}));
  };
  EXPECT_EQ(refused([](NewJob& j) { j.queue = ""; }), ErrorCode::invalid);
  EXPECT_EQ(refused([](NewJob& j) { j.type = ""; }), ErrorCode::invalid);
  EXPECT_EQ(refused([](NewJob& j) { j.id = ""; }), ErrorCode::invalid);
  EXPECT_EQ(refused([](NewJob& j) { j.key = ""; }), ErrorCode::invalid);
  EXPECT_EQ(refused([](NewJob& j) { j.timeout = Duration{-1}; }), ErrorCode::invalid);
  EXPECT_EQ(refused([](NewJob& j) { j.max_attempts = -1; }), ErrorCode::invalid);
  EXPECT_EQ(refused([](NewJob& j) { j.attempts = -1; }), ErrorCode::invalid);
  EXPECT_EQ(refused([](NewJob& j) { j.max_attempts = 2, j.attempts = 3; }), ErrorCode::invalid);
  EXPECT_TRUE(rig.reserve(5).empty());
}

TEST(SqliteEnqueue, AcceptsTheSameIdAgainOnlyWithTheSameContent) {
  Rig rig(reference());
  NewJob job{"id", "q", "t", "p"};
  rig.enqueue(job);
  EXPECT_EQ(*rig.session->enqueue(rig.now(), {job}), (Enqueued{"id", true}));
  job.payload = "other";
  EXPECT_EQ(code_of(rig.session->enqueue(rig.now(), {job})), ErrorCode::duplicate_id);
  job.payload = "p";
  job.run_at = rig.now();
  EXPECT_EQ(code_of(rig.session->enqueue(rig.now(), {job})), ErrorCode::duplicate_id);
}

TEST(SqliteReserve, RefusesBadArguments) {
  Rig rig(reference());
  const auto refused = [&](const Reserve& request) {
    return code_of(rig.session->reserve(rig.now(), request));
  };
  EXPECT_EQ(refused({{}, Duration{1}, "w", 1, {}}), ErrorCode::invalid);
  EXPECT_EQ(refused({{"q", ""}, Duration{1}, "w", 1, {}}), ErrorCode::invalid);
  EXPECT_EQ(refused({{"q"}, Duration{0}, "w", 1, {}}), ErrorCode::invalid);
  EXPECT_EQ(refused({{"q"}, Duration{1}, "w", 0, {}}), ErrorCode::invalid);
  EXPECT_EQ(refused({{"q"}, Duration{1}, "w", 1, "id"}), ErrorCode::invalid);
}

TEST(SqliteReserve, HandsOutByPriorityThenByTimeThenInOrder) {
  Rig rig(reference());
  const JobId first = rig.enqueue({});
  const JobId second = rig.enqueue({});
  NewJob scheduled;
  scheduled.run_at = rig.now() + Duration{10};
  const JobId due_later = rig.enqueue(scheduled);
  NewJob urgent;
  urgent.priority = 9;
  const JobId best = rig.enqueue(urgent);
  rig.pass(20);
  const JobId last = rig.enqueue({});
  std::vector<JobId> order;
  for (const Claim& claim : rig.reserve(10)) order.push_back(claim.job.id);
  EXPECT_EQ(order, (std::vector{best, first, second, due_later, last}));
}

TEST(SqliteReserve, GivesAtMostWhatIsAskedFromTheAskedQueues) {
  Rig rig(reference());
  for (const char* queue : {"a", "b", "c", "a", "b", "c"}) {
    NewJob job;
    job.queue = queue;
    rig.enqueue(job);
  }
  const auto claims = rig.reserve(3, {"a", "b", "a"});
  ASSERT_EQ(claims.size(), 3U);
  for (const Claim& claim : claims) EXPECT_NE(claim.job.queue, "c");
  EXPECT_EQ(rig.reserve(9, {"b", "a"}).size(), 1U);
  EXPECT_EQ(rig.reserve(9, {"c"}).size(), 2U);
}

TEST(SqliteReserve, MakesTokensThatAreNeverTheSameAndVersionsThatRise) {
  Rig rig(reference());
  rig.enqueue({});
  const Claim first = rig.claim();
  EXPECT_EQ(first.version, 1);
  EXPECT_EQ(first.expires_at, rig.now() + Duration{1000});
  EXPECT_EQ(first.job.state, JobState::leased);
  rig.pass(1000);
  const Claim second = rig.claim();
  EXPECT_EQ(second.version, 2);
  EXPECT_NE(first.token, second.token);
  const JobView view = rig.get(second.job.id);
  ASSERT_TRUE(view.lease);
  EXPECT_EQ(*view.lease, (LeaseView{second.token, second.expires_at, "w"}));
}

TEST(SqliteReserve, FindsAJobThatAClockAheadBackdated) {
  Rig rig(reference());
  const Instant ahead = rig.now() + Duration{60'000};
  NewJob job{{}, "q", "t"};
  job.run_at = rig.now();
  ASSERT_TRUE(rig.session->enqueue(ahead, {job}).ok());
  job.run_at = rig.now() + Duration{1};
  ASSERT_TRUE(rig.session->enqueue(ahead, {job}).ok());
  EXPECT_EQ(rig.reserve(5).size(), 1U);
}

TEST(SqliteLease, IsDeadAtItsExpiryAndNotBefore) {
  Rig rig(reference());
  rig.enqueue({});
  const Claim claim = rig.claim();
  rig.pass(999);
  EXPECT_TRUE(rig.reserve().empty());
  rig.pass(1);
  EXPECT_EQ(rig.get(claim.job.id).job.state, JobState::leased);
  EXPECT_EQ(reason_of(rig.ack(hold_of(claim))), LeaseReason::expired);
  const Claim again = rig.claim();
  EXPECT_EQ(again.job.id, claim.job.id);
  EXPECT_EQ(again.job.run_at, claim.expires_at);
  EXPECT_EQ(again.job.attempts, 0);
}

TEST(SqliteLease, BuriesAJobThatLosesTooManyLeases) {
  Rig rig(reference());
  NewJob job;
  job.max_attempts = 2;
  const JobId id = rig.enqueue(job);
  rig.claim();
  rig.pass(1000);
  rig.claim();
  rig.pass(1000);
  EXPECT_TRUE(rig.reserve().empty());
  const JobView view = rig.get(id);
  EXPECT_EQ(view.job.state, JobState::dead);
  EXPECT_EQ(view.job.attempts, 0);
  EXPECT_EQ(view.job.last_error, "lease expired");
  EXPECT_EQ(view.dead, (DeadView{"lease expired", "lease expired", rig.now()}));
  EXPECT_FALSE(view.lease);
}

TEST(SqliteExtend, NeverShortensAndNeverRevives) {
  Rig rig(reference());
  rig.enqueue({});
  const Claim claim = rig.claim();
  const auto extend = [&](std::int64_t ms, Hold hold) {
    return rig.session->extend(rig.now(), {std::move(hold), Duration{ms}});
  };
  EXPECT_EQ(extend(10, hold_of(claim))->expires_at, claim.expires_at);
  EXPECT_EQ(extend(1500, hold_of(claim))->expires_at, rig.now() + Duration{1500});
  EXPECT_EQ(code_of(extend(0, hold_of(claim))), ErrorCode::invalid);
  EXPECT_EQ(reason_of(extend(5, {claim.job.id, "forged", {}})), LeaseReason::mismatch);
  EXPECT_EQ(code_of(extend(5, {"unknown", claim.token, {}})), ErrorCode::not_found);
  rig.pass(1500);
  EXPECT_EQ(reason_of(extend(5, hold_of(claim))), LeaseReason::expired);
  EXPECT_EQ(extend(std::numeric_limits<std::int64_t>::max(), hold_of(rig.claim()))->expires_at,
            instant_from_ms(std::numeric_limits<std::int64_t>::max()));
}

TEST(SqliteSettle, AcksOnceAndRepeatsHarmlessly) {
  Rig rig(reference());
  rig.enqueue({});
  const Claim claim = rig.claim();
  EXPECT_EQ(reason_of(rig.ack({claim.job.id, "forged", {}})), LeaseReason::mismatch);
  EXPECT_EQ(rig.get(claim.job.id).job.state, JobState::leased);
  EXPECT_TRUE(rig.ack(hold_of(claim)).ok());
  EXPECT_TRUE(rig.ack(hold_of(claim)).ok());
  EXPECT_EQ(reason_of(rig.ack({claim.job.id, "other", {}})), LeaseReason::not_held);
  EXPECT_EQ(reason_of(rig.fail(hold_of(claim))), LeaseReason::not_held);
  EXPECT_EQ(code_of(rig.ack({"unknown", "t", {}})), ErrorCode::not_found);
  EXPECT_EQ(code_of(rig.ack({"", "t", {}})), ErrorCode::invalid);
  EXPECT_EQ(rig.get(claim.job.id).job.state, JobState::done);
  rig.pass(100'000);
  EXPECT_TRUE(rig.reserve().empty());
}

TEST(SqliteSettle, RetriesWithWhatTheEngineHandsIn) {
  Rig rig(reference());
  rig.enqueue({});
  const Claim claim = rig.claim();
  const Instant later = rig.now() + Duration{50};
  ASSERT_TRUE(rig.session->retry(rig.now(), {hold_of(claim), later, 1, "broke"}).ok());
  const JobView view = rig.get(claim.job.id);
  EXPECT_EQ(view.job.state, JobState::scheduled);
  EXPECT_EQ(view.job.run_at, later);
  EXPECT_EQ(view.job.attempts, 1);
  EXPECT_EQ(view.job.last_error, "broke");
  EXPECT_FALSE(view.lease);
  EXPECT_TRUE(rig.session->retry(rig.now(), {hold_of(claim), later, 1, "broke"}).ok());
  rig.pass(49);
  EXPECT_TRUE(rig.reserve().empty());
  rig.pass(1);
  EXPECT_NE(rig.claim().token, claim.token);
  EXPECT_EQ(reason_of(rig.session->retry(rig.now(), {hold_of(claim), later, 1, "broke"})),
            LeaseReason::mismatch);
}

TEST(SqliteSettle, FailsIntoTheDeadLetters) {
  Rig rig(reference());
  rig.enqueue({});
  const Claim claim = rig.claim();
  ASSERT_TRUE(rig.session->fail(rig.now(), {hold_of(claim), 3, "poison", "boom"}).ok());
  const JobView view = rig.get(claim.job.id);
  EXPECT_EQ(view.job.state, JobState::dead);
  EXPECT_EQ(view.job.attempts, 3);
  EXPECT_EQ(view.dead, (DeadView{"poison", "boom", rig.now()}));
  EXPECT_TRUE(rig.reserve().empty());
  EXPECT_EQ(code_of(rig.session->nack(rig.now(), {hold_of(claim), "e", false})),
            ErrorCode::unsupported);
}

TEST(SqliteSession, RefusesEverythingOnceClosed) {
  Rig rig(reference());
  EXPECT_TRUE(rig.session->close().ok());
  EXPECT_TRUE(rig.session->close().ok());
  EXPECT_EQ(code_of(rig.session->get(rig.now(), {"x"})), ErrorCode::closed);
  EXPECT_EQ(code_of(rig.session->enqueue(rig.now(), {})), ErrorCode::closed);
}

TEST(SqliteDriver, GivesTheSameAnswersForTheSameSeed) {
  const auto tokens = [](Rig& rig) {
    std::vector<std::string> all;
    for (int i = 0; i < 5; ++i) all.push_back(rig.enqueue({}));
    for (const Claim& claim : rig.reserve(5)) all.push_back(claim.token);
    return all;
  };
  Rig one(reference());
  Rig other(reference());
  EXPECT_EQ(tokens(one), tokens(other));
}

}  // namespace
}  // namespace assay::lite_test
