// Where a driver that needs a server finds it.
#include "harness/cli/store.h"

#include <stdlib.h>

#include <cstdlib>

#include "harness/cli/catalogue.h"
#include "harness/cli/named_driver.h"
#include "tests/cli/cli_test.h"

namespace assay::cli {
namespace {

class Store : public tests::CliTest {
 protected:
  void SetUp() override {
    tests::CliTest::SetUp();
    driver_.name = "redis";
    driver_.backend = "redis";
    ::unsetenv("ASSAY_REDIS_URL");
    ::unsetenv("ASSAY_POSTGRES_URL");
  }

  Result<RunStore> find(const StoreWanted& wanted) {
    return store_for(driver_, wanted, (home_ / "tmp").string());
  }

  bool can_run(const std::string& driver, const std::string& program) {
    return driver_named(driver).ok() && std::system(program.c_str()) == 0;
  }

  // Certified with nothing prepared, in all the ways in which cases are run.
  void expect_certified(const std::string& driver, const std::string& title) {
    for (const std::vector<std::string>& more :
         std::vector<std::vector<std::string>>{{"--jobs", "2"}, {"--hosted"}}) {
      std::vector<std::string> words{"certify", driver, "--cases", "10", "--seed", "1"};
      words.insert(words.end(), more.begin(), more.end());
      const tests::Ended ended = assay(words);
      EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
      EXPECT_NE(ended.out.find("  backend  " + title), std::string::npos) << ended.out;
      EXPECT_TRUE(scratch_is_empty());
    }
  }

  DriverInfo driver_;
};

TEST_F(Store, IsWhatThePersonGave) {
  ::setenv("ASSAY_REDIS_URL", "redis://elsewhere", 1);
  const auto store = find({"redis://here", {}});
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(store->url, "redis://here");
  EXPECT_FALSE(store->backend);
}

TEST_F(Store, IsWhatTheEnvironmentNames) {
  ::setenv("ASSAY_REDIS_URL", "redis://:secret@there:1/0", 1);
  const auto store = find({});
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(store->url, "redis://:secret@there:1/0");
  EXPECT_EQ(store->described, "ASSAY_REDIS_URL: redis://:***@there:1/0");
  EXPECT_FALSE(store->backend);
}

TEST_F(Store, IsLeftToADriverThatNeedsNoServer) {
  driver_.backend = "";
  ::setenv("ASSAY_REDIS_URL", "redis://elsewhere", 1);
  const auto store = find({});
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(store->url, std::nullopt);
  EXPECT_EQ(store->described, "");
}

TEST_F(Store, IsStartedWhereNobodyNamesOne) {
  if (std::system("command -v redis-server >/dev/null") != 0) GTEST_SKIP() << "there is no redis";
  ::setenv("ASSAY_REDIS_URL", "redis://elsewhere", 1);
  auto store = find({{}, "native"});
  ASSERT_TRUE(store.ok()) << store.error().message;
  ASSERT_TRUE(store->backend);
  EXPECT_EQ(store->url, store->backend->url());
  EXPECT_TRUE(store->described.starts_with("Redis ")) << store->described;
  store->end();
  store->end();
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(Store, SaysHowToGetOne) {
  ::setenv("ASSAY_REDIS_BIN", "/nonexistent", 1);
  const auto store = find({{}, "native"});
  ::unsetenv("ASSAY_REDIS_BIN");
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().message,
            "redis needs a server: Redis is not installed here: apt-get install redis-server, or "
            "set ASSAY_REDIS_URL");
}

TEST_F(Store, IsAskedForInWordsThatMakeSense) {
  EXPECT_TRUE(check({{}, "docker"}, driver_).ok());
  EXPECT_FALSE(check({{}, "podman"}, driver_).ok());
  EXPECT_FALSE(check({"redis://here", "native"}, driver_).ok());
  expect_usage({"certify", "memory", "--backend", "native"}, "memory: it needs no server");
  expect_usage({"certify", "memory", "--backend", "podman"}, "native, docker or auto");
}

TEST_F(Store, OfRedisNeedsNoPreparation) {
  if (!can_run("redis", "command -v redis-server >/dev/null")) GTEST_SKIP() << "there is no redis";
  expect_certified("redis", "Redis ");
}

TEST_F(Store, OfPostgresNeedsNoPreparation) {
  if (!can_run("postgres", "ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1"))
    GTEST_SKIP() << "there is no postgres";
  expect_certified("postgres", "PostgreSQL ");
}

TEST_F(Store, ThatCannotBeStartedIsTroubleOfOurOwn) {
  if (!can_run("redis", "true")) GTEST_SKIP() << "there is no redis";
  environment_.extra["ASSAY_REDIS_BIN"] = "/nonexistent";
  const tests::Ended ended = assay({"certify", "redis", "--backend", "native"});
  EXPECT_EQ(ended.status, 3) << ended.out << ended.err;
  EXPECT_TRUE(tests::is_one_line(ended.err)) << ended.err;
  EXPECT_TRUE(scratch_is_empty());
}

}  // namespace
}  // namespace assay::cli
