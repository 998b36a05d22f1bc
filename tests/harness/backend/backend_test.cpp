// Real servers, where they are installed: started, crashed, started again, stopped.
#include "harness/backend/backend.h"

#include <sys/wait.h>

#include <thread>

#include "tests/harness/backend/fixture.h"

namespace assay {
namespace {

using namespace backend_test;

// What to look for, what to ask, and what a durable one must still know after a crash.
struct Server {
  std::string name;
  std::string installed;  // a command that succeeds where the server is
  std::string client;     // the verb of its script
  std::string write, read, stored;
  std::string setting, value, ask_setting;
};

void PrintTo(const Server& server, std::ostream* out) { *out << server.name; }

const Server postgres{
    "postgres",
    "command -v initdb || ls /usr/lib/postgresql/*/bin/initdb",
    "psql -qAt",
    "-c 'CREATE TABLE IF NOT EXISTS t (x int); INSERT INTO t VALUES (7)'",
    "-c 'SELECT count(*) FROM t'",
    "1\n",
    "synchronous_commit",
    "off",
    "-c 'SHOW synchronous_commit'",
};
const Server redis{
    "redis",
    "command -v redis-server",
    "cli",
    "SET t 1",
    "GET t",
    "1\n",
    "appendfsync",
    "everysec",
    "CONFIG GET appendfsync | tail -n 1",
};

class RealServer : public testing::TestWithParam<Server> {
 protected:
  void SetUp() override {
    if (shell(GetParam().installed).status != 0)
      GTEST_SKIP() << GetParam().name << " is not installed here";
  }

  std::unique_ptr<Backend> started(BackendOptions options = {}) const {
    options.kind = BackendKind::native;
    options.scratch = scratch_.text();
    auto backend = start_backend(GetParam().name, options);
    EXPECT_TRUE(backend.ok()) << backend.error().message;
    return backend.ok() ? std::move(*backend) : nullptr;
  }

  // As a person does it, with the same script, in the folder of the only backend there is.
  std::string ask(const std::string& what) const {
    std::string words = GetParam().client;
    const auto space = words.find(' ');
    const std::string verb = words.substr(0, space);
    const std::string flags = space == words.npos ? "" : words.substr(space);
    return shell("sh " ASSAY_SOURCE_DIR "/docker/" + GetParam().name + " " + verb + " --dir " +
                 scratch_.text() + "/" + GetParam().name + "-*/state" + flags + " " + what)
        .out;
  }

  const Folder scratch_;
};

TEST_P(RealServer, EndsInGoodOrderAndComesBackWithWhatItKnew) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  ask(GetParam().write);
  EXPECT_TRUE(backend->is_running());
  const auto processes = backend->processes();
  ASSERT_TRUE(processes.ok() && !processes->empty());
  const Status ended = backend->shut_down();
  ASSERT_TRUE(ended.ok()) << ended.error().message;
  EXPECT_FALSE(backend->is_running());
  for (const int process : *processes) EXPECT_NE(::kill(process, 0), 0) << process;
  EXPECT_FALSE(backend->shut_down().ok());
  ASSERT_TRUE(backend->restart().ok());
  EXPECT_EQ(ask(GetParam().read), GetParam().stored);
}

TEST_P(RealServer, KeepsItsDataWhereItIsToldTo) {
  const Folder elsewhere;
  fs::permissions(elsewhere.text(), fs::perms::others_exec, fs::perm_options::add);
  BackendOptions options;
  options.data_folder = elsewhere.text();
  const auto backend = started(options);
  ASSERT_TRUE(backend);
  ask(GetParam().write);
  EXPECT_FALSE(fs::is_empty(elsewhere / "data"));
  ASSERT_TRUE(backend->restart().ok());
  EXPECT_EQ(ask(GetParam().read), GetParam().stored);
  ASSERT_TRUE(backend->stop().ok());
  EXPECT_TRUE(fs::is_empty(elsewhere.text()));
}

TEST_P(RealServer, KeepsWhatWasWrittenBeforeACrash) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  const std::string url = backend->url();
  ask(GetParam().write);
  EXPECT_EQ(ask(GetParam().read), GetParam().stored);
  ASSERT_TRUE(backend->crash().ok());
  EXPECT_EQ(processes_below(scratch_.text()), "");
  EXPECT_NE(ask(GetParam().read), GetParam().stored);
  const Status again = backend->restart();
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(backend->url(), url);
  EXPECT_EQ(ask(GetParam().read), GetParam().stored);
  // Not only after a crash of our making.
  ASSERT_TRUE(backend->restart().ok());
  EXPECT_EQ(ask(GetParam().read), GetParam().stored);
}

TEST_P(RealServer, LeavesNothingWhenStopped) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  EXPECT_NE(processes_below(scratch_.text()), "");
  EXPECT_TRUE(backend->stop().ok());
  EXPECT_TRUE(backend->stop().ok());
  EXPECT_FALSE(backend->crash().ok());
  EXPECT_FALSE(backend->restart().ok());
  EXPECT_EQ(processes_below(scratch_.text()), "");
  EXPECT_TRUE(fs::is_empty(scratch_.text()));
}

TEST_P(RealServer, IsKilledWithTheProcessThatStartedIt) {
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
  EXPECT_NE(processes_below(scratch_.text()), "");
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  EXPECT_TRUE(is_empty_soon(scratch_.text()));
}

TEST_P(RealServer, RunsBesideAnother) {
  std::unique_ptr<Backend> one, other;
  {
    const std::jthread first([&] { one = started(); });
    other = started();
  }
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->url(), other->url());
  EXPECT_TRUE(one->stop().ok());
  EXPECT_NE(processes_below(scratch_.text()), "");
  EXPECT_TRUE(other->crash().ok());
  EXPECT_TRUE(other->restart().ok());
}

TEST_P(RealServer, IsDurableUnlessToldOtherwise) {
  const auto usual = started();
  ASSERT_TRUE(usual);
  EXPECT_NE(ask(GetParam().ask_setting), GetParam().value + "\n");
  EXPECT_TRUE(usual->stop().ok());
  BackendOptions options;
  options.settings = {{GetParam().setting, GetParam().value}};
  const auto other = started(options);
  ASSERT_TRUE(other);
  EXPECT_EQ(ask(GetParam().ask_setting), GetParam().value + "\n");
}

TEST_P(RealServer, ShowsItsPasswordToNobody) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  const std::string url = backend->url();
  const auto colon = url.rfind(':', url.find('@'));
  const std::string password = url.substr(colon + 1, url.find('@') - colon - 1);
  EXPECT_EQ(password.size(), 32u);
  EXPECT_EQ(backend->description().find(password), std::string::npos);
  EXPECT_EQ(shell("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '").out.find(password),
            std::string::npos);
  // Neither in a file that others can read.
  EXPECT_EQ(shell("grep -rl --exclude-dir=data " + password + " " + scratch_.text() +
                  " | xargs -r stat -c %A | grep -v '^-rw-------'")
                .out,
            "");
}

TEST_P(RealServer, AnswersNobodyWithoutIt) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  const std::string url = backend->url();
  const std::string port = url.substr(url.rfind(':') + 1, 5);
  const std::string answer =
      GetParam().name == "postgres"
          ? shell("PGPASSWORD=wrong psql -h 127.0.0.1 -p " + port + " -U assay assay -c 'SELECT 1'")
                .out
          : shell("redis-cli -p " + port + " GET t").out;
  EXPECT_TRUE(answer.find("authentication failed") != answer.npos ||
              answer.find("NOAUTH") != answer.npos)
      << answer;
}

INSTANTIATE_TEST_SUITE_P(Backend, RealServer, testing::Values(postgres, redis),
                         [](const auto& info) { return info.param.name; });

class PostgresTemplate : public RealServer {};

TEST_P(PostgresTemplate, IsMadeByTwoAtOnceAndUsedByTheThird) {
  const Folder cache;
  const Variable here("XDG_CACHE_HOME", cache.text());
  {
    std::unique_ptr<Backend> one, other;
    {
      const std::jthread first([&] { one = started(); });
      other = started();
    }
    ASSERT_TRUE(one && other);
  }
  const std::string kept = shell("ls -A " + cache.text() + "/assay").out;
  EXPECT_TRUE(kept.starts_with("postgres-") && kept.find('\n') == kept.size() - 1) << kept;
  const auto third = started();
  ASSERT_TRUE(third);
  EXPECT_EQ(shell("grep -l 'initdb' " + scratch_.text() + "/*/state/server.log").out, "");
}

TEST_P(PostgresTemplate, IsMadeAnewWhereItIsDamaged) {
  const Folder cache;
  const Variable here("XDG_CACHE_HOME", cache.text());
  ASSERT_TRUE(started());
  shell("truncate -s 100000 " + cache.text() + "/assay/*.tar");
  ASSERT_TRUE(started());
  EXPECT_GT(fs::file_size(fs::directory_iterator(cache / "assay")->path()), 10'000'000u);
}

TEST_P(PostgresTemplate, IsDoneWithoutWhereNothingCanBeKept) {
  const Variable here("XDG_CACHE_HOME", "/proc/nowhere");
  EXPECT_TRUE(started());
}

INSTANTIATE_TEST_SUITE_P(Backend, PostgresTemplate, testing::Values(postgres),
                         [](const auto& info) { return info.param.name; });

class PostgresMemory : public RealServer {};

TEST_P(PostgresMemory, IsGivenBack) {
  const auto backend = started();
  ASSERT_TRUE(backend);
  const std::string id =
      shell("awk 'NR == 7 {printf \"%s\", $2}' " + scratch_.text() + "/*/state/data/postmaster.pid")
          .out;
  const std::string is_there = "awk '$2 == " + id + "' /proc/sysvipc/shm";
  EXPECT_NE(shell(is_there).out, "") << id;
  ASSERT_TRUE(backend->stop().ok());
  EXPECT_EQ(shell(is_there).out, "");
}

INSTANTIATE_TEST_SUITE_P(Backend, PostgresMemory, testing::Values(postgres),
                         [](const auto& info) { return info.param.name; });

TEST(StartBackend, SaysWhatIsMissing) {
  const Folder scratch;
  const Variable no_postgres("ASSAY_POSTGRES_BIN", "/nonexistent");
  const auto native =
      start_backend("postgres", {.kind = BackendKind::native, .scratch = scratch.text()});
  ASSERT_FALSE(native.ok());
  EXPECT_EQ(native.error().message, "PostgreSQL is not installed here: apt-get install postgresql");
  EXPECT_FALSE(start_backend("mysql", {.scratch = scratch.text()}).ok());
  EXPECT_FALSE(start_backend("redis", {.scratch = "/nonexistent"}).ok());
  EXPECT_TRUE(fs::is_empty(scratch.text()));
}

TEST(StartBackend, SaysWhyAServerDoesNotStart) {
  if (shell(postgres.installed).status != 0) GTEST_SKIP() << "postgres is not installed here";
  const Folder scratch;
  BackendOptions options{.kind = BackendKind::native, .scratch = scratch.text()};
  options.settings = {{"no_such_setting", "1"}};
  const auto backend = start_backend("postgres", options);
  ASSERT_FALSE(backend.ok());
  EXPECT_NE(backend.error().message.find("did not start"), std::string::npos)
      << backend.error().message;
  EXPECT_TRUE(fs::is_empty(scratch.text()));
}

}  // namespace
}  // namespace assay
