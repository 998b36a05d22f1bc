// What the memory driver does with what producers hand in.
#include "tests/drivers/memory_fixture.h"

namespace assay {
namespace {

TEST(MemoryEnqueue, GivesBackWhatItWasGiven) {
  Desk desk;
  NewJob job{"j", "q", "work", "payload", desk.now + Duration{5}, 7, Duration{9}, "k", 3, 2};
  ASSERT_EQ(*desk.put(job), (Enqueued{"j", false}));
  const Job shown = desk.get("j").job;
  EXPECT_EQ(shown, (Job{"j",
                        "q",
                        "work",
                        "payload",
                        desk.now + Duration{5},
                        7,
                        Duration{9},
                        "k",
                        3,
                        2,
                        {},
                        desk.now,
                        JobState::scheduled}));
}

TEST(MemoryEnqueue, ShowsAbsentThingsAsAbsentAndTheRunTimeAsTheCreation) {
  Desk desk;
  const JobId id = desk.put({})->id;
  const Job shown = desk.get(id).job;
  EXPECT_EQ(shown.run_at, desk.now);
  EXPECT_FALSE(shown.max_attempts || shown.timeout || shown.key || shown.last_error);
  EXPECT_EQ(shown.attempts, 0);
}

TEST(MemoryEnqueue, CountsTheFirstAttemptWhereTheCounterNumbersThem) {
  Desk desk("trace");
  EXPECT_EQ(desk.get(desk.put({})->id).job.attempts, 1);
}

TEST(MemoryEnqueue, RefusesWrongArguments) {
  Desk desk;
  const auto code = [&](NewJob job) { return code_of(desk.session->enqueue(desk.now, {job})); };
  const NewJob good{{}, "q", "t", "", {}, {}, {}, {}, {}, {}};
  for (auto spoil : std::vector<void (*)(NewJob&)>{
           [](NewJob& job) { job.queue = ""; }, [](NewJob& job) { job.type = ""; },
           [](NewJob& job) { job.id = ""; }, [](NewJob& job) { job.key = ""; },
           [](NewJob& job) { job.timeout = Duration{-1}; },
           [](NewJob& job) { job.max_attempts = -1; }, [](NewJob& job) { job.attempts = -1; },
           [](NewJob& job) { job.max_attempts = 2, job.attempts = 3; }}) {
    NewJob bad = good;
    spoil(bad);
    EXPECT_EQ(code(bad), ErrorCode::invalid);
  }
  EXPECT_TRUE(desk.session->enqueue(desk.now, {good}).ok());
}

TEST(MemoryEnqueue, TakesTheSameIdWithTheSameContentAsARepetition) {
  Desk desk;
  NewJob job;
  job.id = "j";
  job.payload = "a";
  EXPECT_FALSE(desk.put(job)->existed);
  desk.pass(Duration{5});
  EXPECT_EQ(*desk.put(job), (Enqueued{"j", true}));
  job.payload = "b";
  EXPECT_EQ(code_of(desk.put(job)), ErrorCode::duplicate_id);
  EXPECT_EQ(desk.take(10).size(), 1u);
}

TEST(MemoryEnqueue, MakesIdsThatNobodyChose) {
  Desk desk, same_seed;
  const JobId id = desk.put({})->id;
  EXPECT_NE(id, desk.put({})->id);
  same_seed.put_as(id);
  EXPECT_NE(id, same_seed.put({})->id);
}

NewJob keyed(std::string key, std::string queue = "q", std::string type = "work") {
  NewJob job;
  job.queue = std::move(queue);
  job.type = std::move(type);
  job.key = std::move(key);
  return job;
}

TEST(MemoryKeys, ReturnTheExistingJobWhateverItsStateAndLeaveItAlone) {
  Desk desk;
  const JobId id = desk.put(keyed("k"))->id;
  ASSERT_TRUE(desk.ack(desk.take_one()).ok());
  NewJob other = keyed("k");
  other.payload = "other";
  EXPECT_EQ(*desk.put(other), (Enqueued{id, true}));
  EXPECT_EQ(desk.get(id).job.payload, "");
  EXPECT_TRUE(desk.take().empty());
}

TEST(MemoryKeys, ComeBeforeIds) {
  Desk desk;
  const JobId first = desk.put(keyed("k"))->id;
  desk.put_as("j");
  NewJob both = keyed("k");
  both.id = "j";
  EXPECT_EQ(*desk.put(both), (Enqueued{first, true}));
}

TEST(MemoryKeys, AreSeparateByQueueWhateverTheNamesHold) {
  Desk desk;
  desk.add(keyed("c", "a:b"));
  EXPECT_FALSE(desk.put(keyed("b:c", "a"))->existed);
  EXPECT_FALSE(desk.put(keyed("c", "a"))->existed);
  EXPECT_TRUE(desk.put(keyed("c", "a:b", "other type"))->existed);
}

TEST(MemoryKeys, AreSeparateByTypeOrNotAtAllWhereTheProfileSaysSo) {
  Profile profile = profile_named("reference");
  profile.idem_scope = IdemScope::type;
  Desk by_type(profile);
  by_type.add(keyed("k", "q", "a"));
  EXPECT_FALSE(by_type.put(keyed("k", "q", "b"))->existed);
  EXPECT_TRUE(by_type.put(keyed("k", "r", "b"))->existed);
  profile.idem_scope = IdemScope::global;
  Desk global(profile);
  global.add(keyed("k", "q", "a"));
  EXPECT_TRUE(global.put(keyed("k", "r", "b"))->existed);
}

TEST(MemoryKeys, HaveNoEffectWhereTheProfileHasNone) {
  Desk desk("weave");
  EXPECT_NE(desk.put(keyed("k"))->id, desk.put(keyed("k"))->id);
}

TEST(MemoryKeys, AreRejectedWhileActiveAndFreeOnceTheJobHasEnded) {
  for (int end = 0; end < 3; ++end) {
    Desk desk("upnext");
    const JobId id = desk.put(keyed("k"))->id;
    EXPECT_EQ(code_of(desk.put(keyed("k"))), ErrorCode::duplicate_key);
    const Claim claim = desk.take_one();
    EXPECT_EQ(code_of(desk.put(keyed("k"))), ErrorCode::duplicate_key);
    if (end == 0) CHECK(desk.ack(claim).ok());
    if (end == 1) CHECK(desk.fail(claim).ok());
    if (end == 2) CHECK(desk.session->cancel(desk.now, {id}).ok());
    EXPECT_FALSE(desk.put(keyed("k"))->existed) << end;
    EXPECT_EQ(code_of(desk.put(keyed("k"))), ErrorCode::duplicate_key);
  }
}

TEST(MemoryEnqueue, RefusesAFutureRunTimeWithoutTheCapability) {
  Desk desk("weave");
  NewJob job;
  job.run_at = desk.now + Duration{1};
  EXPECT_EQ(code_of(desk.put(job)), ErrorCode::unsupported);
  job.run_at = desk.now;
  EXPECT_TRUE(desk.put(job).ok());
}

TEST(MemoryEnqueue, KeepsHostileNamesApart) {
  Desk desk;
  const std::vector<std::string> names{" ",
                                       "a b",
                                       "a'b",
                                       "a\"b",
                                       "a:b",
                                       "a%b",
                                       "%00",
                                       "\n\t",
                                       "q\\r",
                                       "\xF0\x9F\x90\x9B",
                                       "\xFF\xFE",
                                       std::string("a\0b", 3),
                                       std::string(300, 'x')};
  for (const auto& name : names) {
    NewJob job = keyed(name, name, name);
    job.id = name;
    ASSERT_EQ(*desk.put(job), (Enqueued{name, false}));
  }
  for (const auto& name : names) {
    const auto claims = desk.take(10, name);
    ASSERT_EQ(claims.size(), 1u);
    EXPECT_EQ(claims[0].job.id, name);
    EXPECT_EQ(claims[0].job.key, name);
    EXPECT_EQ(desk.session->list(desk.now, {name, {}, 10, {}})->jobs.size(), 1u);
  }
}

TEST(MemoryEnqueue, KeepsPayloadsByteForByte) {
  Desk desk;
  const std::vector<std::string> payloads{"", std::string("\0a\0", 3), "\xC3\x28\xFF",
                                          std::string(10u << 20, '\x80')};
  for (const auto& payload : payloads) {
    NewJob job;
    job.payload = payload;
    const JobId id = desk.put(job)->id;
    EXPECT_TRUE(desk.get(id).job.payload == payload);
    const Claim claim = desk.take_one();
    EXPECT_TRUE(claim.job.payload == payload);
    EXPECT_TRUE(desk.ack(claim).ok());
  }
}

TEST(MemoryEnqueue, LivesFromTheFirstInstantToTheLast) {
  Desk desk;
  NewJob late, early;
  late.id = "late";
  late.run_at = end_of_time;
  early.id = "early";
  early.run_at = instant_from_ms(0);
  desk.now = instant_from_ms(0);
  desk.add(late);
  desk.add(early);
  EXPECT_EQ(ids_of(desk.take(2)), "early");
  desk.now = end_of_time - Duration{1};
  EXPECT_EQ(ids_of(desk.take(2)), "early");
  desk.now = end_of_time;
  EXPECT_EQ(ids_of(desk.take(2, "q", Duration::max())), "late");
  EXPECT_EQ(desk.get("late").lease->expires_at, Instant::max());
}

}  // namespace
}  // namespace assay
