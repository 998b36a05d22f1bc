// What is the redis driver's own: names and bytes of any kind, bounded scripts, a namespace that
// leaves nothing behind, several processes.
#include <map>
#include <set>

#include "drivers/redis/detail/scripts.h"
#include "tests/drivers/child.h"
#include "tests/drivers/redis_fixture.h"

namespace assay::redis_test {
namespace {

TEST_F(Redis, KeepsBytesOfAnyKind) {
  Rig rig;
  std::string bytes;
  for (int i = 0; i < 512; ++i) bytes += static_cast<char>(i);
  for (const std::string& payload :
       {std::string(), std::string(1, '\0'), bytes, std::string(10 << 20, '\xff'),
        std::string("\xc3\x28\r\n$5")}) {
    NewJob job;
    job.payload = payload;
    const JobId id = rig.enqueue(job);
    EXPECT_TRUE(rig.get(id).job.payload == payload) << payload.size() << " bytes";
    const Claim claim = rig.claim();
    EXPECT_EQ(claim.job.id, id);
    EXPECT_TRUE(claim.job.payload == payload);
    EXPECT_TRUE(rig.ack(hold_of(claim)).ok());
  }
}

TEST_F(Redis, TakesNamesOfAnyKindApart) {
  Rig rig;
  const std::vector<std::string> names{"a",
                                       "a:b",
                                       "a:b:c",
                                       "{a}",
                                       "}",
                                       "{",
                                       "a b",
                                       "'\"",
                                       "%s",
                                       "\xf0\x9f\xa6\x8a",
                                       std::string("\0x", 2),
                                       std::string(300, 'n'),
                                       ":",
                                       "09223372036854775807:a",
                                       "-",
                                       "\r\n"};
  std::set<JobId> ids;
  for (const std::string& name : names) {
    NewJob job;
    job.id = "id" + name;
    job.queue = job.type = name;
    job.key = name;
    EXPECT_FALSE(rig.try_enqueue(job).value().existed) << name;
    ids.insert(*job.id);
  }
  for (const std::string& name : names) {
    const auto claims = rig.reserve(100, {name});
    ASSERT_EQ(claims.size(), 1u) << name;
    const Job& job = claims[0].job;
    EXPECT_EQ(job.id, "id" + name);
    EXPECT_EQ(job.type, name);
    EXPECT_EQ(job.key, name);
    EXPECT_EQ(rig.session->list(rig.now(), {name, {}, 100, {}}).value().jobs.size(), 1u);
  }
}

// The key of one queue's job must not be another's: "a:b" with "c", "a" with "b:c".
TEST_F(Redis, TakesScopesAndKeysApart) {
  Rig rig;
  NewJob one, other;
  one.queue = "a:b", one.key = "c";
  other.queue = "a", other.key = "b:c";
  EXPECT_NE(rig.enqueue(one), rig.enqueue(other));
}

TEST_F(Redis, OrdersPrioritiesOfAnySize) {
  Rig rig;
  for (const std::int64_t priority : {std::int64_t{0}, INT64_MIN, INT64_MAX, std::int64_t{-1},
                                      INT64_MAX - 1, std::int64_t{1}, std::int64_t{0}}) {
    NewJob job;
    job.priority = priority;
    rig.enqueue(job);
  }
  std::vector<std::int64_t> served;
  for (int i = 0; i < 7; ++i) served.push_back(rig.claim().job.priority);
  EXPECT_EQ(served, (std::vector<std::int64_t>{INT64_MAX, INT64_MAX - 1, 1, 0, 0, -1, INT64_MIN}));
}

TEST_F(Redis, KeepsInstantsToTheYear9999AndNumbersThatNoDoubleHolds) {
  Rig rig;
  NewJob job;
  job.run_at = end_of_time;
  job.max_attempts = INT64_MAX;
  job.timeout = Duration{INT64_MAX - 1};
  const Job stored = rig.get(rig.enqueue(job)).job;
  EXPECT_EQ(stored.run_at, end_of_time);
  EXPECT_EQ(stored.max_attempts, INT64_MAX);
  EXPECT_EQ(stored.timeout, Duration{INT64_MAX - 1});
  rig.pass(to_ms(end_of_time - run_epoch) - 1);
  EXPECT_TRUE(rig.reserve().empty());
  rig.pass(1);
  EXPECT_EQ(rig.claim().expires_at, end_of_time + Duration{1000});
}

// More lost leases than one script looks at: a claim still finds what may run.
TEST_F(Redis, FindsAJobBehindManyLostLeases) {
  Profile profile = reference();
  profile.default_limit = 1;  // a lost lease ends the job
  Rig rig(profile);
  for (int i = 0; i < 350; ++i) rig.enqueue();
  NewJob patient;
  patient.max_attempts = 9;
  for (int i = 0; i < 30; ++i) rig.enqueue(patient);
  EXPECT_EQ(rig.reserve(1000).size(), 380u);
  rig.pass(1000);
  EXPECT_EQ(rig.reserve(1000).size(), 30u);
  EXPECT_EQ(rig.session->dead(rig.now(), {"q", 1000, {}}).value().entries.size(), 350u);
}

TEST_F(Redis, ListsMoreThanOneScriptLooksAt) {
  Rig rig;
  std::set<JobId> ids;
  for (int i = 0; i < 1200; ++i) ids.insert(rig.enqueue());
  NewJob large;
  large.payload = std::string(3 << 20, 'x');
  for (int i = 0; i < 4; ++i) ids.insert(rig.enqueue(large));
  EXPECT_EQ(rig.session->list(rig.now(), {"q", JobState::done, 10, {}}).value().jobs.size(), 0u);
  std::set<JobId> seen;
  std::optional<std::string> cursor;
  int pages = 0;
  do {
    const JobPage page = rig.session->list(rig.now(), {"q", {}, 700, cursor}).value();
    for (const Job& job : page.jobs) EXPECT_TRUE(seen.insert(job.id).second);
    cursor = page.cursor;
  } while (cursor && ++pages < 10);
  EXPECT_EQ(seen, ids);
  EXPECT_EQ(pages, 1);
}

TEST_F(Redis, GoesOnBehindADeadLetterThatIsGone) {
  Rig rig;
  for (int i = 0; i < 6; ++i) rig.enqueue();
  for (int i = 0; i < 6; ++i)
    ASSERT_TRUE(rig.session->fail(rig.now(), {hold_of(rig.claim()), 1, "r", "e"}).ok());
  const DeadPage first = rig.session->dead(rig.now(), {"q", 3, {}}).value();
  ASSERT_EQ(first.entries.size(), 3u);
  ASSERT_TRUE(rig.session->requeue(rig.now(), {first.entries[2].job_id, {}, false}).ok());
  const DeadPage second = rig.session->dead(rig.now(), {"q", 3, first.cursor}).value();
  ASSERT_EQ(second.entries.size(), 3u);
  EXPECT_LT(first.entries[2].job_id, second.entries[0].job_id);
}

TEST_F(Redis, LeavesNothingBehind) {
  const std::int64_t before = key_count();
  Rig rig(reference(), {"tidy"});
  for (int i = 0; i < 1100; ++i) {
    NewJob job;
    job.queue = "queue {" + std::to_string(i % 3) + "}";
    job.key = std::to_string(i);
    job.priority = i % 5;
    if (i % 7 == 0) job.run_at = run_epoch - Duration{5};
    rig.enqueue(job);
  }
  rig.reserve(20, {"queue {0}", "queue {1}"});
  ASSERT_TRUE(rig.session->pause(rig.now(), {"never used"}).ok());
  for (const Claim& claim : rig.reserve(9, {"queue {2}"}))
    ASSERT_TRUE(rig.session->fail(rig.now(), {hold_of(claim), 1, "r", "e"}).ok());
  EXPECT_GT(key_count(), before + 1000);
  ASSERT_TRUE(rig.driver->teardown().ok());
  EXPECT_EQ(key_count(), before);
  const auto late = rig.session->enqueue(run_epoch, {NewJob{.queue = "q", .type = "t"}});
  EXPECT_EQ(late.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(late.error()));
  EXPECT_EQ(key_count(), before);
}

// A teardown takes several scripts; between them nobody may find, or make, anything.
TEST_F(Redis, IsGoneFromTheFirstStepOfItsTeardownOn) {
  const std::int64_t before = key_count();
  Rig rig(reference(), {"halfway"});
  for (int i = 0; i < 1100; ++i) rig.enqueue();
  const Claim held = rig.claim();
  rds::Connection connection(rds::parse_location(server()->url()).value());
  rds::Scripts scripts(reference());
  scripts.load(connection);
  const auto step = [&] {
    rds::Words words = scripts.begin(rds::Op::drop, "assay:{halfway}");
    return scripts.run(rds::Op::drop, connection, words.add(""))[1].number();
  };
  ASSERT_EQ(step(), 1);
  const Reserve any{{"q"}, Duration{1000}, "w", 1, {}};
  EXPECT_EQ(rig.session->reserve(run_epoch, any).error().code, ErrorCode::unavailable);
  EXPECT_EQ(rig.session->enqueue(run_epoch, {NewJob{.queue = "q", .type = "t"}}).error().code,
            ErrorCode::unavailable);
  EXPECT_FALSE(rig.session->get(run_epoch, {held.job.id}).ok());
  for (int steps = 0; step() == 1; ++steps) ASSERT_LT(steps, 10);
  EXPECT_FALSE(rig.session->ack(run_epoch, {hold_of(held)}).ok());
  EXPECT_EQ(key_count(), before);
}

TEST_F(Redis, GivesANewNamespaceToWhoeverCreatesIt) {
  Rig old(reference(), {"again"});
  old.enqueue();
  Rig fresh(reference(), {"again"});
  EXPECT_TRUE(fresh.reserve().empty());
  EXPECT_FALSE(old.session->enqueue(run_epoch, {NewJob{.queue = "q", .type = "t"}}).ok());
  ASSERT_TRUE(old.driver->teardown().ok());
  fresh.enqueue();
  EXPECT_EQ(fresh.reserve().size(), 1u);
}

TEST_F(Redis, WaitsForTheRestOfANamespaceThatGoesBeforeItIsMadeAgain) {
  VirtualClock clock;
  const auto driver = make(clock, server()->url()).value();
  // As somebody leaves it who was killed while dropping it.
  command({"HSET", "assay:{going}", "layout", std::string(rds::layout)});
  command({"SADD", "assay:{going}:queues", "q"});
  ASSERT_TRUE(driver->setup({"going", Create::if_absent}).ok());
  EXPECT_EQ(command({"EXISTS", "assay:{going}:queues"}).value().number(), 0);
  ASSERT_TRUE(driver->teardown().ok());
}

TEST_F(Redis, RefusesAnotherLayoutAndForeignKeys) {
  VirtualClock clock;
  const auto driver = make(clock, server()->url()).value();
  command({"HSET", "assay:{newer}", "layout", "99", "precious", "1"});
  command({"SET", "assay:{foreign}", "x"});
  command({"HSET", "assay:{older}", "layout", "3", "generation", "1.1"});
  for (const Create create : {Create::anew, Create::if_absent, Create::never}) {
    const Status newer = driver->setup({"newer", create});
    EXPECT_EQ(newer.error().code, ErrorCode::invalid);
    EXPECT_NE(newer.error().message.find("layout '99'"), std::string::npos);
    const Status older = driver->setup({"older", create});
    EXPECT_EQ(older.error().code, ErrorCode::invalid);
    EXPECT_NE(older.error().message.find("layout '3'"), std::string::npos);
    EXPECT_EQ(driver->setup({"foreign", create}).error().code, ErrorCode::invalid);
  }
  EXPECT_EQ(driver->setup({"nobodys", Create::never}).error().code, ErrorCode::not_found);
  EXPECT_EQ(command({"HGET", "assay:{newer}", "precious"}).value().text(), "1");
  command({"DEL", "assay:{newer}", "assay:{older}", "assay:{foreign}"});
}

TEST_F(Redis, ServesByTheServersClockWhereNoneIsMoved) {
  Profile profile = reference();
  profile.clock = ClockKnob::store;
  profile.capabilities.erase("virtual_time");
  Rig rig(profile, {"real"});
  const Instant before = rig.now();
  rig.enqueue();
  const Claim claim = rig.claim();
  EXPECT_GE(claim.job.created_at, before);
  EXPECT_LE(claim.expires_at, rig.now() + Duration{1000});
  EXPECT_LT(abs(before - RealClock().now()), std::chrono::hours(1));
}

TEST_F(Redis, LoadsItsScriptsAgain) {
  Rig rig;
  rig.enqueue();
  command({"SCRIPT", "FLUSH"});
  EXPECT_EQ(rig.reserve().size(), 1u);
}

TEST_F(Redis, SharesTheJobsAmongProcesses) {
  constexpr std::size_t jobs = 120;
  {
    Rig rig;
    for (std::size_t i = 0; i < jobs; ++i) rig.enqueue();
  }
  std::vector<Child> children;
  for (int i = 0; i < 3; ++i)
    children.emplace_back([&](const Child::Tell& tell) {
      Rig rig(reference(), {"test", Create::never});
      for (auto claims = rig.reserve(2); !claims.empty(); claims = rig.reserve(2))
        for (const Claim& claim : claims) {
          tell(claim.job.id);
          EXPECT_TRUE(rig.ack(hold_of(claim)).ok());
        }
    });
  std::set<std::string> ids;
  std::size_t deliveries = 0;
  for (Child& child : children) {
    for (auto line = child.next(); line; line = child.next(), ++deliveries) ids.insert(*line);
    EXPECT_EQ(child.wait(), 0);
  }
  EXPECT_EQ(deliveries, jobs);
  EXPECT_EQ(ids.size(), jobs);
}

TEST_F(Redis, LosesNothingWhenAProcessIsKilled) {
  { Rig rig; }
  for (int lines = 20; lines < 25; ++lines) {
    Child child([](const Child::Tell& tell) {
      Rig rig(reference(), {"test", Create::never});
      for (int i = 0; i < 1'000'000; ++i) {
        tell("enqueued " + rig.enqueue());
        const Claim claim = rig.claim();
        if (i % 3 != 0) CHECK(rig.ack(hold_of(claim)).ok());
        tell((i % 3 != 0 ? "done " : "leased ") + claim.job.id);
      }
    });
    std::map<JobId, std::string> facts;
    int left = lines;
    for (auto line = child.next(); line; line = child.next()) {
      facts[line->substr(line->find(' ') + 1)] = line->substr(0, line->find(' '));
      if (--left == 0) child.kill();
    }
    EXPECT_NE(child.wait(), 0);
    Rig rig(reference(), {"test", Create::never});
    rig.pass(1000);
    std::set<JobId> back;
    for (const Claim& claim : rig.reserve(1000)) {
      back.insert(claim.job.id);
      EXPECT_TRUE(rig.ack(hold_of(claim)).ok());
    }
    for (const auto& [id, fact] : facts) {
      EXPECT_EQ(rig.get(id).job.state, JobState::done) << id << " was " << fact;
      EXPECT_TRUE(fact != "leased" || back.contains(id)) << id << " is lost";
    }
  }
}

}  // namespace
}  // namespace assay::redis_test
