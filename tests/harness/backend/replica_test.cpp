// Servers with a replica, where they are installed: held back, failed over, killed.
#include <sys/wait.h>

#include "tests/harness/backend/fixture.h"

namespace assay {
namespace {

using namespace backend_test;

struct Pair {
  std::string name;
  Replica replica;
  std::string installed;
  std::string client;
  std::string write;  // one more
  std::string count;  // how many there are
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name << name_of(pair.replica); }

Pair postgres(Replica replica) {
  return {"postgres",
          replica,
          "command -v initdb || ls /usr/lib/postgresql/*/bin/initdb",
          "psql",
          "-qc 'CREATE TABLE IF NOT EXISTS t (x int)' -qc 'INSERT INTO t VALUES (7)'",
          "-qAtc 'SELECT count(*) FROM t'"};
}
Pair redis(Replica replica) {
  return {"redis", replica, "command -v redis-server", "cli", "RPUSH t 7", "LLEN t"};
}

class ServerWithReplica : public testing::TestWithParam<Pair> {
 protected:
  void SetUp() override {
    if (shell(GetParam().installed).status != 0)
      GTEST_SKIP() << GetParam().name << " is not installed here";
  }

  std::unique_ptr<Backend> started(BackendOptions options = {}) const {
    options.kind = BackendKind::native;
    options.scratch = scratch_.text();
    options.replica = GetParam().replica;
    auto backend = start_backend(GetParam().name, options);
    EXPECT_TRUE(backend.ok()) << backend.error().message;
    return backend.ok() ? std::move(*backend) : nullptr;
  }

  std::string state() const { return scratch_.text() + "/" + GetParam().name + "-*/state"; }

  std::string ask(const std::string& what) const {
    return shell("sh " ASSAY_SOURCE_DIR "/docker/" + GetParam().name + " " + GetParam().client +
                 " --dir " + state() + " " + what)
        .out;
  }
  void write() const { ask(GetParam().write); }
  std::string count() const { return ask(GetParam().count); }

  bool is_sync() const { return GetParam().replica == Replica::sync; }

  const Folder scratch_;
};

TEST_P(ServerWithReplica, LosesInAFailoverWhatHadNotArrivedAndNothingElse) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  const std::string url = backend->url();
  write();
  ASSERT_TRUE(backend->hold_back(true).ok());
  write();
  EXPECT_EQ(count(), "2\n");
  const auto lossy = backend->fail_over();
  ASSERT_TRUE(lossy.ok()) << lossy.error().message;
  EXPECT_EQ(count(), is_sync() ? "2\n" : "1\n");
  EXPECT_EQ(backend->url(), url);
  EXPECT_NE(lossy->proof.find(is_sync() ? "replayed nothing more" : "nothing more had reached"),
            std::string::npos)
      << lossy->proof;
  EXPECT_EQ(lossy->measured.find(" 0 bytes"), std::string::npos) << lossy->measured;

  // There is a new one to fail over to; it was not told to lag, so that it has everything.
  write();
  ASSERT_TRUE(backend->hold_back(false).ok());
  write();
  const auto harmless = backend->fail_over();
  ASSERT_TRUE(harmless.ok()) << harmless.error().message;
  EXPECT_EQ(count(), is_sync() ? "4\n" : "3\n");
  EXPECT_NE(harmless->proof.find("which had everything"), std::string::npos) << harmless->proof;
}

TEST_P(ServerWithReplica, IsKilledWithTheProcessThatStartedIt) {
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    const auto backend = started();
    const bool is_held = backend && backend->hold_back(true).ok();
    static_cast<void>(::write(told[1], is_held ? "y" : "n", 1));
    for (;;) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(told[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_NE(shell("cat " + state() + "/replica/pid").out, "");
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  EXPECT_TRUE(is_empty_soon(scratch_.text()));
}

class UnwatchedReplica : public ServerWithReplica {};

TEST_P(UnwatchedReplica, LeavesNothingWhenStopped) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  ASSERT_TRUE(backend->hold_back(false).ok());
  EXPECT_TRUE(backend->stop().ok());
  EXPECT_FALSE(backend->hold_back(true).ok());
  EXPECT_FALSE(backend->fail_over().ok());
  EXPECT_EQ(processes_below(scratch_.text()), "");
  EXPECT_TRUE(fs::is_empty(scratch_.text()));
}

TEST_P(UnwatchedReplica, StaysThePrimaryWhereNobodyCanBePromoted) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  write();
  ASSERT_TRUE(backend->hold_back(true).ok());
  shell("kill -9 $(cat " + state() + "/replica/pid)");
  const auto failed = backend->fail_over();
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().message.find("promoted"), std::string::npos) << failed.error().message;
  EXPECT_EQ(count(), "1\n");
  // And it has a replica again.
  const auto then = backend->fail_over();
  ASSERT_TRUE(then.ok()) << then.error().message;
  EXPECT_EQ(count(), "1\n");
}

TEST_P(UnwatchedReplica, GoesOnAfterACrash) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  write();
  ASSERT_TRUE(backend->crash().ok());
  ASSERT_TRUE(backend->restart().ok());
  write();  // which a synchronous one must follow by now
  EXPECT_EQ(count(), "2\n");
  // A primary that is away is failed over, too.
  ASSERT_TRUE(backend->hold_back(false).ok());
  ASSERT_TRUE(backend->crash().ok());
  ASSERT_TRUE(backend->hold_back(false).ok());
  const auto done = backend->fail_over();
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(count(), "2\n");
}

TEST_P(ServerWithReplica, LivesByOneClock) {
  using namespace std::chrono_literals;
  BackendOptions options;
  options.virtual_clock = true;
  const auto backend = started(options);
  ASSERT_TRUE(backend);
  ASSERT_TRUE(backend->set_clock(run_epoch + 1h).ok());
  const std::string told = shell("sh " ASSAY_SOURCE_DIR "/docker/" + GetParam().name +
                                 " clock --dir " + state() + "/replica")
                               .out;
  EXPECT_TRUE(told.starts_with(std::to_string(to_ms(run_epoch + 1h)) + " ")) << told;
  write();
  ASSERT_TRUE(backend->hold_back(true).ok());
  ASSERT_TRUE(backend->set_clock(run_epoch + 2h).ok());
  write();
  const auto done = backend->fail_over();
  ASSERT_TRUE(done.ok()) << done.error().message;
  const auto now = backend->clock();
  ASSERT_TRUE(now.ok()) << now.error().message;
  EXPECT_EQ(*now, run_epoch + 2h);
  EXPECT_EQ(count(), is_sync() ? "2\n" : "1\n");
}

TEST_P(ServerWithReplica, ShowsItsPasswordToNobody) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  ASSERT_TRUE(backend->hold_back(true).ok());
  const std::string url = backend->url();
  const auto colon = url.rfind(':', url.find('@'));
  const std::string password = url.substr(colon + 1, url.find('@') - colon - 1);
  EXPECT_EQ(shell("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '").out.find(password),
            std::string::npos);
  EXPECT_EQ(shell("grep -rl --exclude-dir=data " + password + " " + scratch_.text() +
                  " | xargs -r stat -c %A | grep -v '^-rw-------'")
                .out,
            "");
}

std::string name_in_test(const testing::TestParamInfo<Pair>& info) {
  return info.param.name + "_" + std::string(name_of(info.param.replica));
}

INSTANTIATE_TEST_SUITE_P(Backend, ServerWithReplica,
                         testing::Values(postgres(Replica::async), postgres(Replica::sync),
                                         redis(Replica::async), redis(Replica::sentinel)),
                         name_in_test);

// Sentinels take their time, and would do nothing here that they do not do above.
INSTANTIATE_TEST_SUITE_P(Backend, UnwatchedReplica,
                         testing::Values(postgres(Replica::async), postgres(Replica::sync),
                                         redis(Replica::async)),
                         name_in_test);

TEST(Replicas, AreRefusedWhereTheyCannotBeHad) {
  const Folder scratch;
  const auto refusal = [&](std::string_view name, Replica replica, BackendKind kind) {
    BackendOptions options{.kind = kind, .scratch = scratch.text()};
    options.replica = replica;
    const auto backend = start_backend(name, options);
    return backend.ok() ? "" : backend.error().message;
  };
  EXPECT_NE(refusal("redis", Replica::sync, BackendKind::native).find("async|sentinel"),
            std::string::npos);
  EXPECT_NE(refusal("postgres", Replica::sentinel, BackendKind::native).find("async|sync"),
            std::string::npos);
  EXPECT_NE(
      refusal("redis", Replica::async, BackendKind::docker).find("not for one in a container"),
      std::string::npos);
  EXPECT_TRUE(fs::is_empty(scratch.text()));
}

TEST(Replicas, AreMissedByServersWithoutOne) {
  if (shell("command -v redis-server").status != 0) GTEST_SKIP() << "redis is not installed here";
  const Folder scratch;
  const auto backend =
      start_backend("redis", {.kind = BackendKind::native, .scratch = scratch.text()});
  ASSERT_TRUE(backend.ok());
  EXPECT_EQ((*backend)->replica(), Replica::none);
  EXPECT_FALSE((*backend)->hold_back(true).ok());
  EXPECT_FALSE((*backend)->fail_over().ok());
  EXPECT_EQ((*backend)->description().find("replica"), std::string::npos);
}

TEST(Replicas, HaveNames) {
  for (const Replica replica : {Replica::none, Replica::async, Replica::sync, Replica::sentinel})
    EXPECT_EQ(replica_from(name_of(replica)), replica);
  EXPECT_FALSE(replica_from("eventually"));
}

}  // namespace
}  // namespace assay
