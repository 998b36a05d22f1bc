// Real servers under a clock of ours, where they are installed.
#include <sys/wait.h>

#include <thread>

#include "harness/backend/backend.h"
#include "tests/harness/backend/fixture.h"

namespace assay {
namespace {

using namespace backend_test;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct Server {
  std::string name;
  std::string installed;  // a command that succeeds where the server is
  std::string client;     // the verb of its script
  std::string flags;
  // Something that ends in 30 s, and whether it is still there; its last instant.
  std::string lease, is_held;
  Duration last;
};

void PrintTo(const Server& server, std::ostream* out) { *out << server.name; }

const Server postgres{"postgres",
                      "command -v initdb || ls /usr/lib/postgresql/*/bin/initdb",
                      "psql",
                      "-XqAt",
                      "-c \"CREATE TABLE t AS SELECT now() + interval '30 s' AS until\"",
                      "-c 'SELECT count(*) FROM t WHERE until > now()'",
                      milliseconds(29'999)};
// A key is gone once its time is past, not when it has come.
const Server redis{"redis",    "command -v redis-server", "cli", "", "SET t 1 PX 30000",
                   "EXISTS t", milliseconds(30'000)};

class ClockedServer : public testing::TestWithParam<Server> {
 protected:
  void SetUp() override {
    if (shell(GetParam().installed).status != 0)
      GTEST_SKIP() << GetParam().name << " is not installed here";
  }

  std::unique_ptr<Backend> started() const { return started_in(scratch_.text()); }

  std::unique_ptr<Backend> started_in(const std::string& scratch) const {
    auto backend = start_backend(
        GetParam().name, {.kind = BackendKind::native, .scratch = scratch, .virtual_clock = true});
    EXPECT_TRUE(backend.ok()) << backend.error().message;
    return backend.ok() ? std::move(*backend) : nullptr;
  }

  std::string script(const std::string& verb) const {
    return "timeout 60 sh " ASSAY_SOURCE_DIR "/docker/" + GetParam().name + " " + verb + " --dir " +
           scratch_.text() + "/" + GetParam().name + "-*/state ";
  }

  std::string ask(const std::string& what) const {
    return shell(script(GetParam().client) + GetParam().flags + " " + what).out;
  }

  // Until the server says so: it was told by another process.
  bool is_soon(const std::string& what, const std::string& answer) const {
    for (int tries = 0; tries < 500; ++tries)
      if (ask(what) == answer) return true;
    return false;
  }

  const Folder scratch_;
};

TEST_P(ClockedServer, StandsStillAtTheEpochUntilItIsMoved) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  EXPECT_TRUE(backend->has_virtual_clock());
  for (const Duration step : {Duration(0), Duration(hours(1)), Duration(hours(-24)), Duration(1),
                              Duration(hours(24) * 365 * 1000)}) {
    ASSERT_TRUE(backend->set_clock(run_epoch + step).ok());
    const auto told = backend->clock();
    ASSERT_TRUE(told.ok()) << told.error().message;
    EXPECT_EQ(to_ms(*told), to_ms(run_epoch + step));
  }
  EXPECT_FALSE(backend->set_clock(end_of_time + milliseconds(1)).ok());
  EXPECT_FALSE(backend->set_clock(Instant{} - milliseconds(1)).ok());
}

TEST_P(ClockedServer, EndsALeaseAtItsTick) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  ask(GetParam().lease);
  EXPECT_EQ(ask(GetParam().is_held), "1\n");
  ASSERT_TRUE(backend->set_clock(run_epoch + GetParam().last).ok());
  EXPECT_EQ(ask(GetParam().is_held), "1\n");
  ASSERT_TRUE(backend->set_clock(run_epoch + GetParam().last + milliseconds(1)).ok());
  EXPECT_EQ(ask(GetParam().is_held), "0\n");
}

TEST_P(ClockedServer, KeepsItsClockThroughACrash) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  ask(GetParam().lease);
  ASSERT_TRUE(backend->set_clock(run_epoch + GetParam().last).ok());
  ASSERT_TRUE(backend->crash().ok());
  EXPECT_FALSE(backend->clock().ok());
  ASSERT_TRUE(backend->restart().ok());
  EXPECT_EQ(backend->clock().value(), run_epoch + GetParam().last);
  EXPECT_EQ(ask(GetParam().is_held), "1\n");
  ASSERT_TRUE(backend->crash().ok());
  ASSERT_TRUE(backend->set_clock(run_epoch + hours(1)).ok());
  ASSERT_TRUE(backend->restart().ok());
  EXPECT_EQ(backend->clock().value(), run_epoch + hours(1));
  EXPECT_EQ(ask(GetParam().is_held), "0\n");
}

TEST_P(ClockedServer, HasAClockOfItsOwnBesideAnother) {
  const auto one = started(), other = started();
  ASSERT_TRUE(one && other);
  ASSERT_TRUE(one->set_clock(run_epoch + hours(1)).ok());
  EXPECT_EQ(one->clock().value(), run_epoch + hours(1));
  EXPECT_EQ(other->clock().value(), run_epoch);
}

TEST_P(ClockedServer, LeavesNothingWhenStopped) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  EXPECT_TRUE(backend->stop().ok());
  EXPECT_FALSE(backend->clock().ok());
  EXPECT_FALSE(backend->set_clock(run_epoch).ok());
  EXPECT_EQ(processes_below(scratch_.text()), "");
  EXPECT_TRUE(fs::is_empty(scratch_.text()));
}

TEST_P(ClockedServer, IsKilledWithTheProcessThatStartedIt) {
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    const auto backend = started();
    static_cast<void>(::write(told[1], backend ? "y" : "n", 1));
    for (;;) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(told[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  EXPECT_TRUE(is_empty_soon(scratch_.text()));
}

TEST_P(ClockedServer, IsStartedWhereItsLibraryCannotBe) {
  const std::string folder = (scratch_ / "assay-a b").string();
  fs::create_directory(folder);
  if (shell("chmod a+x " + scratch_.text()).status != 0) return;
  const auto backend = started_in(folder);
  ASSERT_TRUE(backend);
  EXPECT_EQ(backend->clock().value(), run_epoch);
}

TEST_P(ClockedServer, IsRefusedInAContainer) {
  const auto backend = start_backend(
      GetParam().name,
      {.kind = BackendKind::docker, .scratch = scratch_.text(), .virtual_clock = true});
  ASSERT_FALSE(backend.ok());
  EXPECT_TRUE(backend.error().message.starts_with("a virtual clock is for a "))
      << backend.error().message;
}

TEST_P(ClockedServer, IsRefusedWhereItDoesNotLiveByTheClock) {
  // One that is started without it, whoever wanted what.
  const std::string found =
      shell(
          "dirname $(readlink -f $(command -v redis-server || true) "
          "$(ls -d /usr/lib/postgresql/*/bin/postgres | tail -n 1) 2>/dev/null | grep /" +
          GetParam().name + ")")
          .out;
  const std::string bin = found.substr(0, found.find('\n'));
  fs::create_directory(scratch_ / "bin");
  shell("chmod a+x " + scratch_.text() + " " + scratch_.text() + "/bin; ln -s " + bin + "/* " +
        scratch_.text() + "/bin/");
  const std::string program = GetParam().name == "redis" ? "redis-server" : "postgres";
  const auto wrapper = scratch_ / ("bin/" + program);
  fs::remove(wrapper);
  std::ofstream(wrapper) << "#!/bin/sh\nunset LD_PRELOAD\nexec " << bin << "/" << program
                         << " \"$@\"\n";
  fs::permissions(wrapper, fs::perms(0755));
  const Variable here(GetParam().name == "redis" ? "ASSAY_REDIS_BIN" : "ASSAY_POSTGRES_BIN",
                      (scratch_ / "bin").string());
  const auto backend = start_backend(
      GetParam().name,
      {.kind = BackendKind::native, .scratch = scratch_.text(), .virtual_clock = true});
  ASSERT_FALSE(backend.ok());
  EXPECT_NE(backend.error().message.find("does not live by the virtual clock"), std::string::npos)
      << backend.error().message;
  EXPECT_EQ(processes_below(scratch_.text()), "");
}

TEST_P(ClockedServer, IsMovedByHand) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  EXPECT_EQ(shell(script("clock")).out, "1893456000000 2030-01-01T00:00:00.000Z\n");
  EXPECT_EQ(shell(script("clock") + "+3600.25").out, "1893459600250 2030-01-01T01:00:00.250Z\n");
  EXPECT_EQ(backend->clock().value(), run_epoch + hours(1) + milliseconds(250));
  EXPECT_EQ(shell(script("clock") + "2029-12-31T00:00:00Z").out,
            "1893369600000 2029-12-31T00:00:00.000Z\n");
  ASSERT_TRUE(backend->set_clock(run_epoch).ok());
  EXPECT_EQ(shell(script("clock") + "+1").out, "1893456001000 2030-01-01T00:00:01.000Z\n");
  EXPECT_EQ(shell(script("clock") + "+soon").status, 64);
  EXPECT_EQ(shell(script("clock") + "someday").status, 64);
}

TEST_P(ClockedServer, HasNoneUnlessAsked) {
  const auto backend =
      start_backend(GetParam().name, {.kind = BackendKind::native, .scratch = scratch_.text()});
  ASSERT_TRUE(backend.ok());
  EXPECT_FALSE((*backend)->has_virtual_clock());
  EXPECT_EQ((*backend)->set_clock(run_epoch).error().code, ErrorCode::unsupported);
  EXPECT_EQ((*backend)->clock().error().code, ErrorCode::unsupported);
  EXPECT_EQ(shell(script("clock")).status, 3);
}

INSTANTIATE_TEST_SUITE_P(Backend, ClockedServer, testing::Values(postgres, redis),
                         [](const auto& info) { return info.param.name; });

class ClockedPostgres : public ClockedServer {
 protected:
  // What a session says that is moved on by the clock once it waits in the server.
  std::string moved_on(const std::string& statements, const std::string& waits_for, Duration by) {
    const auto backend = started();
    if (!backend) return "";
    std::string said;
    std::jthread session([&] { said = ask("-c 'SET application_name = it' " + statements); });
    EXPECT_TRUE(
        is_soon("-c \"SELECT count(*) FROM pg_stat_activity WHERE application_name = 'it' "
                "AND wait_event = '" +
                    waits_for + "'\"",
                "1\n"));
    EXPECT_TRUE(backend->set_clock(run_epoch + by - milliseconds(1)).ok());
    EXPECT_EQ(ask("-c \"SELECT count(*) FROM pg_stat_activity WHERE application_name = 'it'\""),
              "1\n");
    EXPECT_TRUE(backend->set_clock(run_epoch + by).ok());
    session.join();
    return said;
  }
};

TEST_P(ClockedPostgres, SleepsUntilTheClockIsMoved) {
  EXPECT_EQ(moved_on("-c \"SELECT 'slept' FROM pg_sleep(3600)\"", "PgSleep", hours(1)), "slept\n");
}

TEST_P(ClockedPostgres, EndsAStatementThatTimedOut) {
  EXPECT_NE(moved_on("-c \"SET statement_timeout = '1h'\" -c 'SELECT pg_sleep(36000)'", "PgSleep",
                     hours(1))
                .find("statement timeout"),
            std::string::npos);
}

TEST_P(ClockedPostgres, FindsADeadlockWhileTheClockStandsStill) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  const auto session = [&](const std::string& own, const std::string& other) {
    return ask("-c 'SELECT pg_advisory_lock(" + own +
               ")' -c 'DO $$ BEGIN WHILE NOT EXISTS "
               "(SELECT FROM pg_locks WHERE objid = " +
               other +
               " AND granted) LOOP END LOOP; END "
               "$$' -c 'SELECT pg_advisory_lock(" +
               other + ")'");
  };
  std::string one;
  std::jthread first([&] { one = session("1", "2"); });
  const std::string other = session("2", "1");
  first.join();
  EXPECT_NE((one + other).find("deadlock detected"), std::string::npos) << one << other;
  EXPECT_EQ(backend->clock().value(), run_epoch);
}

TEST_P(ClockedPostgres, ServesManyWhileItsClockIsMoved) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  std::string said[3];
  {
    std::vector<std::jthread> sessions;
    for (std::string& text : said)
      sessions.emplace_back([&] {
        for (int i = 0; i < 10; ++i) text += ask("-c 'SELECT 1'");
      });
    const std::jthread mover([&](const std::stop_token& stop) {
      for (int i = 0; !stop.stop_requested(); ++i)
        EXPECT_TRUE(backend->set_clock(run_epoch + seconds(i % 60)).ok());
    });
    for (auto& session : sessions) session.join();
  }
  for (const std::string& text : said) EXPECT_EQ(text, "1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n");
}

INSTANTIATE_TEST_SUITE_P(Backend, ClockedPostgres, testing::Values(postgres),
                         [](const auto& info) { return info.param.name; });

class ClockedRedis : public ClockedServer {};

TEST_P(ClockedRedis, EndsABlockingCallWhenTheClockIsMoved) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  std::string said = "nothing";
  std::jthread session([&] { said = ask("BLPOP q 3600"); });
  EXPECT_TRUE(is_soon("INFO clients | grep -c blocked_clients:1", "1\n"));
  ASSERT_TRUE(backend->set_clock(run_epoch + hours(1) - milliseconds(1)).ok());
  EXPECT_EQ(ask("INFO clients | grep -c blocked_clients:1"), "1\n");
  ASSERT_TRUE(backend->set_clock(run_epoch + hours(1) + milliseconds(1)).ok());
  session.join();
  EXPECT_EQ(said, "\n");
}

TEST_P(ClockedRedis, RemovesWhatExpiredThoughNobodyAsks) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  ask("SET t 1 PX 30000");
  ASSERT_TRUE(backend->set_clock(run_epoch + hours(1)).ok());
  EXPECT_TRUE(is_soon("DBSIZE", "0\n"));
}

INSTANTIATE_TEST_SUITE_P(Backend, ClockedRedis, testing::Values(redis),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace assay
