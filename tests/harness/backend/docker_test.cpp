// Containers, as far as that can be looked at without an engine: a stand-in for `docker` takes down
// what it is told to do. No container was ever started by these tests.
#include "harness/backend/backend.h"
#include "harness/contract/clock.h"
#include "tests/harness/backend/fixture.h"

namespace assay {
namespace {

using namespace backend_test;

// Behaves like an engine with one container: `wait` ends when it was killed or removed.
constexpr const char* stand_in = R"(#!/bin/sh
echo "$*" | sed 's/--project-name [^ ]* --file [^ ]* //' >>"$STAND_IN/calls"
case "$*" in
info*) [ ! -e "$STAND_IN/no-engine" ] || exit 1 ;;
*" up "*)
  echo "$ASSAY_PORT $ASSAY_STATE" >>"$STAND_IN/ups"
  if [ -e "$STAND_IN/port-taken" ]; then
    rm "$STAND_IN/port-taken"
    echo 'Bind for 127.0.0.1:1 failed: port is already allocated'
    exit 1
  fi
  ls -l "$ASSAY_STATE" >"$STAND_IN/state"
  touch "$STAND_IN/up" ;;
*" postgres --version") echo 'postgres (PostgreSQL) 15.8 (Debian 15.8-1.pgdg120+1)' ;;
*" redis-server --version") echo 'Redis server v=7.0.15 sha=0:0' ;;
*" ps "*) echo 0123 ;;
*" kill "* | *" down "*) rm -f "$STAND_IN/up" ;;
"compose ls "*) cat "$STAND_IN/projects" 2>/dev/null ;;
wait*) while [ -e "$STAND_IN/up" ]; do sleep 0.01; done ;;
esac
exit 0
)";

class Docker : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(world_ / "bin");
    fs::create_directories(world_ / "scratch");
    std::ofstream(world_ / "bin/docker") << stand_in;
    fs::permissions(world_ / "bin/docker", fs::perms::owner_all);
  }

  Result<std::unique_ptr<Backend>> start(const std::string& name,
                                         BackendKind kind = BackendKind::docker) {
    BackendOptions options{.kind = kind, .scratch = (world_ / "scratch").string()};
    options.settings = {{"appendfsync", "everysec"}};
    return start_backend(name, options);
  }

  std::string calls() const { return read_file(world_ / "calls"); }

  const Folder world_;
  const Variable path_{"PATH", (world_ / "bin").string() + ":" + ::getenv("PATH")};
  const Variable stand_in_{"STAND_IN", world_.text()};
};

TEST_F(Docker, IsToldToStartCrashRestartAndRemove) {
  auto backend = start("redis");
  ASSERT_TRUE(backend.ok()) << backend.error().message;
  EXPECT_EQ((*backend)->kind(), BackendKind::docker);
  EXPECT_TRUE((*backend)->description().starts_with("Redis 7.0.15 (docker, 127.0.0.1:"));
  const std::string url = (*backend)->url();
  RealClock clock;
  for (int tries = 0; tries < 2000 && calls().find("wait 0123") == std::string::npos; ++tries)
    clock.sleep_until(clock.now() + Duration{10}, {});
  ASSERT_TRUE((*backend)->crash().ok());
  ASSERT_TRUE((*backend)->restart().ok());
  EXPECT_EQ((*backend)->url(), url);
  ASSERT_TRUE((*backend)->stop().ok());
  EXPECT_TRUE(fs::is_empty(world_ / "scratch"));
  const std::string up =
      "compose up --detach --no-recreate --wait redis\n"
      "compose exec -T redis redis-server --version\n";
  const std::string look = "compose ls --all --quiet --filter name=assay-";
  const std::string boot = shell(
                               "cat /etc/hostname /proc/sys/kernel/random/boot_id 2>/dev/null | "
                               "cksum | cut -d' ' -f1 | tr -d '\\n'")
                               .out;
  // Whether the container still runs is watched beside all that.
  std::string made = calls();
  for (const std::string watched : {"compose ps --all --quiet redis\n", "wait 0123\n"}) {
    EXPECT_NE(made.find(watched), std::string::npos) << made;
    for (auto at = made.find(watched); at != std::string::npos; at = made.find(watched))
      made.erase(at, watched.size());
  }
  EXPECT_EQ(made, "info --format {{.ServerVersion}}\ncompose version\n" + look + boot + "-\n" + up +
                      "compose kill --signal SIGKILL redis\n" + look + boot + "-\n" + up +
                      "compose down --volumes --timeout 0\n");
}

TEST_F(Docker, GetsThePasswordInAFileOfTheOwners) {
  auto backend = start("postgres");
  ASSERT_TRUE(backend.ok()) << backend.error().message;
  const std::string state = read_file(world_ / "state");
  EXPECT_NE(state.find("-rw-------"), std::string::npos) << state;
  const std::string url = (*backend)->url();
  const std::string password = url.substr(url.rfind(':', url.find('@')) + 1, 32);
  EXPECT_EQ(calls().find(password), std::string::npos);
}

TEST_F(Docker, TakesAnotherPortWhereItsOwnIsTaken) {
  std::ofstream(world_ / "port-taken").put('x');
  auto backend = start("postgres");
  ASSERT_TRUE(backend.ok()) << backend.error().message;
  std::istringstream ups(read_file(world_ / "ups"));
  std::string first, second, state;
  ups >> first >> state >> second >> state;
  EXPECT_NE(first, second);
  EXPECT_NE((*backend)->url().find(":" + second + "/"), std::string::npos);
}

TEST_F(Docker, IsSaidNotToAnswer) {
  std::ofstream(world_ / "no-engine").put('x');
  const auto backend = start("postgres");
  ASSERT_FALSE(backend.ok());
  EXPECT_EQ(backend.error().message, "no Docker engine with the compose plugin answers here");
  const Variable no_postgres("ASSAY_POSTGRES_BIN", "/nonexistent");
  const auto any = start("postgres", BackendKind::automatic);
  ASSERT_FALSE(any.ok());
  EXPECT_EQ(any.error().message,
            "there is no PostgreSQL here and no Docker engine answers: apt-get install postgresql");
}

TEST_F(Docker, IsTakenWhereTheServerIsNotInstalled) {
  const Variable no_postgres("ASSAY_POSTGRES_BIN", "/nonexistent");
  auto backend = start("postgres", BackendKind::automatic);
  ASSERT_TRUE(backend.ok()) << backend.error().message;
  EXPECT_EQ((*backend)->kind(), BackendKind::docker);
}

TEST_F(Docker, LosesWhatDeadProcessesOfThisMachineLeft) {
  const std::string boot = shell(
                               "cat /etc/hostname /proc/sys/kernel/random/boot_id 2>/dev/null | "
                               "cksum | cut -d' ' -f1 | tr -d '\\n'")
                               .out;
  const std::string ours = "assay-" + boot + "-";
  std::ofstream(world_ / "projects") << ours << "999999999-ab\n"
                                     << ours << ::getpid() << "-cd\n"
                                     << ours << "person-ef\n";
  ASSERT_TRUE(start("redis").ok());
  EXPECT_NE(calls().find("compose --project-name " + ours + "999999999-ab down --volumes"),
            std::string::npos)
      << calls();
  EXPECT_EQ(calls().find("-cd down"), std::string::npos);
  EXPECT_EQ(calls().find("-ef down"), std::string::npos);
}

// Without an engine, but with the plugin, the file can be read as compose reads it.
TEST(ComposeFile, IsUnderstoodByCompose) {
  if (shell("docker compose version").status != 0)
    GTEST_SKIP() << "there is no docker compose here";
  const Folder state;
  const Ended read = shell("ASSAY_STATE=" + state.text() + " ASSAY_PORT=12345 docker compose -f " +
                           ASSAY_SOURCE_DIR "/docker/compose.yml config");
  EXPECT_EQ(read.status, 0) << read.out;
  EXPECT_NE(read.out.find("host_ip: 127.0.0.1"), std::string::npos) << read.out;
}

// Every service: an image with a whole version, nothing but the loopback, a health check.
TEST(ComposeFile, PinsImagesAndOpensTheLoopbackAlone) {
  if (shell("python3 -c 'import yaml'").status != 0)
    GTEST_SKIP() << "there is no python3-yaml here";
  const Ended read = shell("python3 - " ASSAY_SOURCE_DIR R"(/docker/compose.yml <<'END'
import re, sys, yaml
services = yaml.safe_load(open(sys.argv[1]))['services']
assert set(services) == {'postgres', 'redis', 'toxiproxy'}, services.keys()
for name, service in services.items():
    assert re.fullmatch(r'\$\{ASSAY_[A-Z]+_IMAGE:-[a-z/]+:\d+\.\d+(\.\d+)?(-bookworm)?\}', service['image']), name
    assert service['healthcheck']['test'] and service['restart'] == 'no', name
    if name == 'toxiproxy':
        assert service['network_mode'] == 'host' and '-host=127.0.0.1' in service['command'], name
        assert 'ports' not in service, name
        continue
    assert len(service['ports']) == 1 and service['ports'][0].startswith('127.0.0.1:'), name
END)");
  EXPECT_EQ(read.status, 0) << read.out;
}

}  // namespace
}  // namespace assay
