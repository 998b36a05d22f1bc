// Records, wake-ups and setup of the redis driver.
#include "drivers/memory/memory.h"
#include "drivers/redis/detail/connection.h"
#include "drivers/redis/redis.h"
#include "tests/drivers/backend_crash.h"
#include "tests/drivers/engine_suite.h"
#include "tests/drivers/records_suite.h"
#include "tests/drivers/redis_server.h"
#include "tests/drivers/setup_suite.h"
#include "tests/drivers/wakeups_suite.h"

namespace assay::on_store {
namespace {

using Url = Result<std::optional<std::string>>;

Store on_redis() {
  return {"redis", redis(),
          [](const std::string&) -> Url {
            if (!redis_test::server()) return unsupported(redis_test::why_not());
            return Url(redis_test::server()->url());
          },
          true};
}

class RedisCommits : public ::testing::TestWithParam<std::string> {};

TEST_P(RedisCommits, AreAnsweredAsThoseOfMemory) {
  if (!redis_test::server()) GTEST_SKIP() << redis_test::why_not();
  const Store in_memory{"memory", memory(), [](const std::string&) { return Url(std::nullopt); }};
  expect_same_commits({in_memory, GetParam()}, {on_redis(), GetParam()}, 20);
}

TEST(CommitsOnRedis, AreWholeAfterTheServerIsKilledInTheMiddle) {
  expect_whole_after_crashes(redis());
}

TEST(WakeUpsOnRedis, AreNotSentWhereNobodyEverListened) {
  const auto server = redis_test::RedisServer::start();
  if (!server.ok()) GTEST_SKIP() << server.error().message;
  rds::Connection admin(rds::parse_location((*server)->url()).value());
  const auto sent = [&] {
    const rds::Reply said = admin.run({"INFO", "commandstats"});
    return said.value().text().find("cmdstat_publish:") != std::string_view::npos;
  };
  Rig rig({on_redis(), "reference"}, (*server)->url());
  for (const char* id : {"one", "two"})
    ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job(id)).ok());
  EXPECT_FALSE(sent());
  const auto wakeups = rig.driver->wakeups({"q"}).value();
  for (int i = 0; i < 3; ++i) static_cast<void>(rig.driver->wakeups({"q"}).value());
  ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("three")).ok());
  EXPECT_TRUE(sent());
  EXPECT_EQ(drain(*wakeups), 1);
  // The order of jobs is what it was.
  const auto claims = rig.session->reserve(rig.now(), {{"q"}, Duration{9}, "w", 9, {}}).value();
  ASSERT_EQ(claims.claims.size(), 3U);
  EXPECT_EQ(claims.claims[0].job.id, "one");
  EXPECT_EQ(claims.claims[2].job.id, "three");
}

TEST(WakeUpsOnRedis, AreMissedOnlyByWhoMayNotHearThem) {
  const auto server = redis_test::RedisServer::start();
  if (!server.ok()) GTEST_SKIP() << server.error().message;
  rds::Connection admin(rds::parse_location((*server)->url()).value());
  admin.run({"ACL", "SETUSER", "mute", "on", ">pw", "~*", "+@all", "resetchannels"});
  const Case of{on_redis(), "reference"};
  Rig rig(of, (*server)->url());
  const auto wakeups = rig.driver->wakeups({"q"}).value();
  Rig mute(of, "unix://mute:pw@" + (*server)->socket(), {"on_store", Create::never});
  const auto refused = mute.driver->wakeups({"q"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable) << refused.error().message;
  // It wakes nobody, and works as ever.
  const Hold hold = mute.claim("one");
  ASSERT_TRUE(mute.session->retry(mute.now(), {hold, mute.now(), 1, "e"}).ok());
  ASSERT_TRUE(mute.commit({{}, {{"k", "v", 0}}, {}, {}, {Rig::job("two")}}).ok());
  EXPECT_EQ(mute.state("one"), "ready");
  EXPECT_EQ(mute.state("two"), "ready");
  EXPECT_EQ(drain(*wakeups), 0);
  ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("three")).ok());
  EXPECT_EQ(drain(*wakeups), 1);
}

TEST(WakeUpsOnRedis, ComeAgainAfterTheServerWasAway) { expect_woken_after_a_restart(redis()); }

INSTANTIATE_TEST_SUITE_P(Differential, RedisCommits,
                         ::testing::Values("reference", "taskharbor", "trace", "upnext", "weave"),
                         [](const auto& profile) { return profile.param; });

INSTANTIATE_TEST_SUITE_P(Redis, SetupOnStore, ::testing::Values(Case{on_redis(), "reference"}),
                         name_of_case);

INSTANTIATE_TEST_SUITE_P(Redis, RecordsOnStore,
                         ::testing::ValuesIn(with_every_profile({on_redis()})), name_of_case);

INSTANTIATE_TEST_SUITE_P(Redis, WakeUpsOnStore,
                         ::testing::ValuesIn(with_every_profile({on_redis()})), name_of_case);

INSTANTIATE_TEST_SUITE_P(Redis, EngineOnStore,
                         ::testing::Values(Case{on_redis(), "reference"},
                                           Case{on_redis(), "trace"}),
                         name_of_case);

}  // namespace
}  // namespace assay::on_store
