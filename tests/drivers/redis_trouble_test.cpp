// What the redis driver says when the world goes wrong, and whether it still knows what happened.
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/drivers/redis_fixture.h"
#include "tests/drivers/small_disk.h"

namespace assay::redis_test {
namespace {

Enqueue some_job() { return {NewJob{.queue = "q", .type = "t"}}; }

bool says(const Error& error, std::string_view part) {
  return error.message.find(part) != std::string::npos;
}

std::unique_ptr<RedisServer> server_with(std::vector<std::string> settings) {
  return RedisServer::start(std::move(settings)).value();
}

Error refused(const std::string& url) {
  VirtualClock clock;
  return make(clock, url).error();
}

TEST(RedisLocation, IsReadFromAUrl) {
  const rds::Location full =
      rds::parse_location("redis://ann:p%40ss%3a@db.example:7000/3?timeout_ms=9").value();
  EXPECT_EQ(full.user, "ann");
  EXPECT_EQ(full.password, "p@ss:");
  EXPECT_EQ(full.host, "db.example");
  EXPECT_EQ(full.port, 7000);
  EXPECT_EQ(full.database, 3);
  EXPECT_EQ(full.timeout_ms, 9);
  EXPECT_EQ(full.shown(), "the Redis at db.example:7000, database 3");
  const rds::Location short_form = rds::parse_location("redis://:a:b@[::1]").value();
  EXPECT_EQ(short_form.user, "");
  EXPECT_EQ(short_form.password, "a:b");
  EXPECT_EQ(short_form.host, "::1");
  EXPECT_EQ(short_form.port, 6379);
  const rds::Location socket = rds::parse_location("unix://u:p@/run/r.sock?db=2").value();
  EXPECT_EQ(socket.socket, "/run/r.sock");
  EXPECT_EQ(socket.user, "u");
  EXPECT_EQ(socket.database, 2);
  EXPECT_EQ(socket.shown(), "the Redis at /run/r.sock, database 2");
}

TEST(RedisLocation, RefusesWhatItDoesNotKnowAndKeepsThePassword) {
  for (const std::string url :
       {"", "redis:", "http://h", "redis://u:s3cret@h:x", "redis://u:s3cret@h:0",
        "redis://u:s3cret@h:70000", "redis://u:s3cret@h/x", "redis://u:s3cret@h?n=1",
        "redis://u:s3cret@h?db=-1", "redis://u:s3cret%4@h", "redis://u:s3cret@[::1",
        "unix://u:s3cret@", "rediss://u:s3cret@h", "u:s3cret@h", "redis://h?timeout_ms=0"}) {
    const auto location = rds::parse_location(url);
    ASSERT_FALSE(location.ok()) << url;
    EXPECT_FALSE(says(location.error(), "s3cret")) << location.error().message;
  }
  EXPECT_TRUE(says(rds::parse_location("rediss://h").error(), "TLS"));
}

TEST(RedisErrors, AreIndefiniteUnlessTheyAreKnown) {
  for (const std::string_view text : {"OOM command not allowed", "READONLY You can't", "NOAUTH x",
                                      "WRONGPASS x", "LOADING x", "MISCONF x", "NOSCRIPT x"})
    EXPECT_TRUE(is_definite(
        rds::to_error({rds::Trouble::refused, std::string(text), rds::server_code(text)}, "it")))
        << text;
  for (const std::string_view text : {"ERR increment would overflow", "WRONGTYPE x", "", "OOMPH x"})
    EXPECT_FALSE(is_definite(
        rds::to_error({rds::Trouble::refused, std::string(text), rds::server_code(text)}, "it")))
        << text;
  EXPECT_EQ(rds::server_code("ERR Error running script (call to f_ab): @user_script:1: "
                             "@user_script: 1: -OOM command not allowed"),
            rds::ServerCode::oom);
  EXPECT_FALSE(is_definite(rds::to_error({rds::Trouble::lost, ""}, "it")));
  EXPECT_FALSE(is_definite(rds::to_error({rds::Trouble::no_answer, ""}, "it")));
  EXPECT_FALSE(is_definite(rds::to_error({rds::Trouble::garbled, ""}, "it")));
  EXPECT_TRUE(is_definite(rds::to_error({rds::Trouble::cannot_connect, ""}, "it")));
}

TEST(RedisTrouble, NoServerIsSaidToBeThere) {
  const Error error = refused("unix:///nowhere/at/all");
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(error));
  EXPECT_TRUE(says(error, "cannot connect to the Redis at /nowhere/at/all"));
}

TEST(RedisTrouble, NoUrlIsAskedFor) {
  ::unsetenv("ASSAY_REDIS_URL");
  VirtualClock clock;
  const auto made = redis().make({reference(), clock, 7, std::nullopt, ""});
  EXPECT_TRUE(says(made.error(), "ASSAY_REDIS_URL"));
}

// Takes connections and never says a word.
TEST(RedisTrouble, ASilentServerIsNotWaitedForForEver) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const Error error =
      refused("redis://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "?timeout_ms=50");
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(says(error, "50 ms"));
  ::close(listener);
}

TEST_F(Redis, AStoppedServerLeavesItOpenWhatHappened) {
  const auto mine = server_with({});
  Rig rig(reference(), {"test"}, mine->url() + "?timeout_ms=1000");
  rig.enqueue();
  ::kill(mine->pid(), SIGSTOP);
  const auto answer = rig.session->enqueue(run_epoch, some_job());
  ::kill(mine->pid(), SIGCONT);
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_FALSE(is_definite(answer.error()));
  EXPECT_TRUE(rig.session->enqueue(run_epoch, some_job()).ok());
}

TEST_F(Redis, AServerThatComesBackIsFoundAgain) {
  const auto mine = server_with({"--appendonly", "yes", "--appendfsync", "always"});
  Rig rig(reference(), {"test"}, mine->url());
  EXPECT_EQ(rig.driver->profile().durability, Durability::crash);
  const JobId id = rig.enqueue();
  mine->kill();
  const auto answer = rig.session->enqueue(run_epoch, some_job());
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(answer.error()));
  ASSERT_TRUE(mine->start_again().ok());
  EXPECT_EQ(rig.session->reserve(run_epoch, {{"q"}, Duration{9}, "w", 9, {}}).value().claims.size(),
            1u);
  EXPECT_EQ(rig.get(id).job.state, JobState::leased);
}

TEST_F(Redis, ClaimsDurabilityByTheServersSettings) {
  const auto of = [](std::vector<std::string> settings) {
    const auto mine = server_with(std::move(settings));
    VirtualClock clock;
    return make(clock, mine->url()).value()->profile().durability;
  };
  EXPECT_EQ(of({}), Durability::none);
  EXPECT_EQ(of({"--save", "60 1"}), Durability::restart);
  EXPECT_EQ(of({"--appendonly", "yes", "--appendfsync", "everysec"}), Durability::restart);
  EXPECT_EQ(of({"--appendonly", "yes", "--rename-command", "CONFIG", ""}), Durability::none);
}

TEST_F(Redis, AServerThatEvictsIsRefused) {
  const auto mine = server_with({"--maxmemory-policy", "allkeys-lru"});
  EXPECT_TRUE(says(refused(mine->url()), "maxmemory-policy to noeviction"));
}

TEST_F(Redis, AServerWithoutMemoryTakesNothingAndStillServes) {
  const auto mine = server_with({});
  Rig rig(reference(), {"test"}, mine->url());
  rig.enqueue();
  command({"CONFIG", "SET", "maxmemory", "1"}, mine->url());
  const auto answer = rig.session->enqueue(run_epoch, some_job());
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(answer.error()));
  EXPECT_TRUE(says(answer.error(), "out of memory")) << answer.error().message;
  const Claim claim = rig.claim();
  EXPECT_TRUE(rig.ack(hold_of(claim)).ok());
  EXPECT_TRUE(rig.driver->teardown().ok());
}

// Enqueues until one is refused.
Error error_of_filling(Rig& rig) {
  Enqueue large = some_job();
  large.job.payload.assign(1 << 16, 'x');
  for (int i = 0; i < 1000; ++i)
    if (const auto made = rig.session->enqueue(run_epoch, large); !made.ok()) return made.error();
  ADD_FAILURE() << "the disk does not get full";
  return {};
}

TEST_F(Redis, AServerWhoseDiskIsFullTakesNothing) {
  if (!can_mount_small_disks()) GTEST_SKIP() << "small disks cannot be mounted here";
  const auto mine = RedisServer::start({"--appendonly", "yes", "--appendfsync", "everysec"}, 2);
  ASSERT_TRUE(mine.ok()) << mine.error().message;
  Rig rig(reference(), {"test"}, (*mine)->url());
  const Error error = error_of_filling(rig);
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(error)) << error.message;
  EXPECT_TRUE(says(error, "cannot save them to its disk")) << error.message;
}

// Where each write must be on the disk, the server ends itself at the first that is not.
TEST_F(Redis, AServerThatEndsBecauseItsDiskIsFullLeavesItOpenWhatHappened) {
  if (!can_mount_small_disks()) GTEST_SKIP() << "small disks cannot be mounted here";
  const auto mine = RedisServer::start({"--appendonly", "yes", "--appendfsync", "always"}, 2);
  ASSERT_TRUE(mine.ok()) << mine.error().message;
  Rig rig(reference(), {"test"}, (*mine)->url());
  const Error error = error_of_filling(rig);
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_FALSE(is_definite(error)) << error.message;
}

TEST_F(Redis, AReplicaIsRefused) {
  const auto mine = server_with({});
  Rig rig(reference(), {"test"}, mine->url());
  command({"REPLICAOF", "127.0.0.1", "1"}, mine->url());
  const auto answer = rig.session->enqueue(run_epoch, some_job());
  EXPECT_TRUE(says(answer.error(), "read-only replica")) << answer.error().message;
  EXPECT_TRUE(is_definite(answer.error()));
  EXPECT_TRUE(says(refused(mine->url()), "read-only replica"));
}

TEST_F(Redis, LogsInWithUserPasswordAndDatabase) {
  const auto mine =
      server_with({"--requirepass", "s3cret", "--user", "ann", "on", ">h@lf", "~*", "&*", "+@all"});
  const std::string at = "@" + mine->socket();
  Rig rig(reference(), {"test"}, "unix://ann:h%40lf" + at + "?db=5");
  rig.enqueue();
  VirtualClock clock;
  EXPECT_TRUE(make(clock, "unix://:s3cret" + at).ok());
  const Error none = refused(mine->url());
  EXPECT_TRUE(says(none, "wants a password")) << none.message;
  for (const std::string login : {"unix://:wr0ng", "unix://ann:wr0ng", "unix://bob:wr0ng"}) {
    const Error wrong = refused(login + at);
    EXPECT_EQ(wrong.code, ErrorCode::unavailable);
    EXPECT_TRUE(says(wrong, "does not know this user")) << wrong.message;
    EXPECT_FALSE(says(wrong, "wr0ng"));
  }
  EXPECT_TRUE(says(refused("unix://:s3cret" + at + "?db=99"), "has no database 99"));
}

TEST_F(Redis, RunsOnACluster) {
  const auto mine = server_with({"--cluster-enabled", "yes"});
  command({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"}, mine->url());
  RealClock clock;
  for (int i = 0; i < 500; ++i) {
    const rds::Reply info = command({"CLUSTER", "INFO"}, mine->url());
    if (info.value().text().find("cluster_state:ok") != std::string_view::npos) break;
    clock.sleep_until(clock.now() + Duration{10}, {});
  }
  Rig rig(reference(), {"test"}, mine->url());
  NewJob job;
  job.queue = "{other} tag";
  job.key = "k";
  job.priority = 3;
  rig.enqueue(job);
  const auto claims = rig.reserve(1, {"{other} tag"});
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_TRUE(rig.ack(hold_of(claims[0])).ok());
  EXPECT_TRUE(rig.driver->teardown().ok());
  EXPECT_EQ(command({"DBSIZE"}, mine->url()).value().number(), 0);
}

}  // namespace
}  // namespace assay::redis_test
