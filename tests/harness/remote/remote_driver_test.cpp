// A remote session is a session: what runs in a process of its own gives the same histories as what
// runs in ours.
#include "harness/remote/remote_driver.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "drivers/all.h"
#include "drivers/memory/memory.h"
#include "harness/contract/profile_json.h"
#include "harness/history/jsonl.h"
#include "harness/plan/generate.h"
#include "harness/run/run.h"
#include "scenarios/all.h"
#include "tests/drivers/embedded_drivers.h"
#include "tests/drivers/sqlite_fixture.h"

namespace assay {
namespace {

constexpr std::uint64_t seed = 7;

std::unique_ptr<Driver> served(const DriverInfo& info, const Profile& profile,
                               const std::string& scratch) {
  RemoteOptions options;
  options.seed = seed;
  options.connection.answer_seconds = 120;  // a machine that has much to do is no failure
  Command command{{ASSAY_BINARY, "serve", info.name, "--profile", to_json(profile)}, {}, {}};
  if (info.private_store) {
    options.url = *info.private_store(scratch);
    command.words.insert(command.words.end(), {"--driver-url", *options.url});
  }
  options.to = command;
  auto driver = remote_driver(options);
  EXPECT_TRUE(driver.ok()) << driver.error().message;
  return driver.ok() ? std::move(*driver) : nullptr;
}

std::unique_ptr<Session> opened(Driver& driver, const SessionSpec& spec) {
  auto session = driver.open(spec);
  EXPECT_TRUE(session.ok()) << session.error().message;
  return std::move(*session);
}

std::string lines(const Plan& plan, Driver& driver) {
  const RunResult result = run(plan, driver, "a driver");
  EXPECT_FALSE(result.trouble) << result.trouble->message;
  std::string text;
  for (const Event& event : result.history.events)
    text += event_line(event, result.history.clients) + "\n";
  return text;
}

class Served : public ::testing::TestWithParam<std::tuple<DriverInfo, std::string_view>> {};

TEST_P(Served, GivesTheSameHistoriesAsInProcess) {
  const auto& [info, name] = GetParam();
  const Profile profile = *built_in_profile(name);
  const lite_test::TempFolder scratch;
  VirtualClock clock;
  auto local = info.make({profile, clock, seed, std::nullopt, scratch.path()});
  ASSERT_TRUE(local.ok());
  const auto remote = served(info, profile, scratch.path());
  EXPECT_EQ(remote->profile(), (*local)->profile());
  const std::uint64_t plans = info.name == "memory" ? 60 : 15;
  for (std::uint64_t n = 0; n < plans; ++n) {
    const Plan plan = generate(profile, n);
    ASSERT_EQ(lines(plan, *remote), lines(plan, **local)) << "plan " << n;
  }
  EXPECT_TRUE(remote->health().ok());
  EXPECT_TRUE(remote->end().ok());
}

INSTANTIATE_TEST_SUITE_P(Drivers, Served,
                         ::testing::Combine(::testing::ValuesIn(embedded_drivers()),
                                            ::testing::ValuesIn(profile_names())),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" +
                                  std::string(std::get<1>(test.param));
                         });

TEST(RemoteDriver, CarriesTenMebibytes) {
  const auto driver = served(memory(), *built_in_profile("reference"), "");
  ASSERT_TRUE(driver->setup({"big"}).ok());
  auto session = driver->open({"p", Role::producer});
  std::string payload(10 * 1024 * 1024, '\0');
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<char>(i * 31 >> 3);
  ASSERT_TRUE(
      (*session)->enqueue(run_epoch, {{.queue = "q", .type = "t", .payload = payload}}).ok());
  const auto claims = (*session)->reserve(run_epoch, {{"q"}, Duration{1000}, "w", 1, {}});
  ASSERT_TRUE(claims.ok());
  EXPECT_TRUE(claims->claims.at(0).job.payload == payload);
}

TEST(RemoteDriver, ServesSessionsOfManyThreadsAtOnce) {
  const auto driver = served(memory(), *built_in_profile("reference"), "");
  ASSERT_TRUE(driver->setup({"many"}).ok());
  std::vector<std::unique_ptr<Session>> sessions;
  for (int n = 0; n < 8; ++n)
    sessions.push_back(opened(*driver, {"w" + std::to_string(n), Role::worker}));
  std::atomic<int> settled = 0;
  {
    std::vector<std::jthread> threads;
    for (auto& session : sessions)
      threads.emplace_back([&, queue = std::to_string(threads.size())] {
        for (int i = 0; i < 100; ++i) {
          const auto made =
              session->enqueue(run_epoch, {{.queue = queue, .type = "t", .payload = queue}});
          const auto claims = session->reserve(run_epoch, {{queue}, Duration{1000}, "w", 1, {}});
          if (!made.ok() || !claims.ok() || claims->claims.size() != 1) return;
          const Claim& claim = claims->claims.front();
          if (claim.job.id != made->id || claim.job.payload != queue) return;
          settled += session->ack(run_epoch, {{claim.job.id, claim.token, claim.attempt}}).ok();
        }
      });
  }
  EXPECT_EQ(settled, 800);
}

TEST(RemoteDriver, HasAProcessForEachSessionWhereStorageIsShared) {
  const lite_test::TempFolder scratch;
  const Command command{{"/bin/sh", "-c",
                         "echo x >> " + scratch.path() +
                             "/started; exec " ASSAY_BINARY " serve sqlite --driver-url " +
                             scratch.path() + "/store.db"},
                        {},
                        {}};
  RemoteOptions options;
  options.to = command;
  auto driver = remote_driver(options);
  ASSERT_TRUE(driver.ok()) << driver.error().message;
  for (const char* name_space : {"first", "second"}) {
    ASSERT_TRUE((*driver)->setup({name_space}).ok());
    auto producer = opened(**driver, {"p", Role::producer});
    auto worker = opened(**driver, {"w", Role::worker});
    ASSERT_TRUE(producer->enqueue(run_epoch, {{.queue = "q", .type = "t"}}).ok());
    EXPECT_EQ(worker->reserve(run_epoch, {{"q"}, Duration{1000}, "w", 1, {}})->claims.size(), 1u);
    ASSERT_TRUE((*driver)->teardown().ok());
  }
  std::ifstream started(scratch.path() + "/started");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(started), {}), "x\nx\n");
}

TEST(RemoteDriver, TellsTheTimeWhileClientsBegin) {
  const lite_test::TempFolder scratch;
  const auto driver = served(sqlite(), *built_in_profile("reference"), scratch.path());
  ASSERT_TRUE(driver->setup({"timely"}).ok());
  std::atomic<int> told = 0;
  std::jthread asks([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) told += driver->now().ok();
  });
  std::vector<std::unique_ptr<Session>> sessions;
  for (int n = 0; n < 5; ++n) sessions.push_back(opened(*driver, {.name = "w", .may_die = true}));
  asks.request_stop();
  asks.join();
  EXPECT_GT(told, 0);
}

TEST(RemoteDriver, SaysWhatKilledIt) {
  RemoteOptions options;
  options.to = Command{{"/bin/sh", "-c", "echo 'Traceback: no such queue' >&2; exit 3"}, {}, {}};
  const auto driver = remote_driver(options);
  ASSERT_FALSE(driver.ok());
  EXPECT_NE(driver.error().message.find("ended with status 3"), std::string::npos)
      << driver.error().message;
  EXPECT_NE(driver.error().message.find("Traceback: no such queue"), std::string::npos);
}

}  // namespace
}  // namespace assay
