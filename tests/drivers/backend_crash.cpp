#include "tests/drivers/backend_crash.h"

#include <atomic>
#include <thread>

#include "harness/backend/backend.h"
#include "tests/drivers/records_suite.h"
#include "tests/drivers/wakeups_suite.h"

namespace assay::on_store {
namespace {

Case case_of(const DriverInfo& info) { return {{info.name, info, {}, true, false}, "reference"}; }

}  // namespace

void expect_whole_after_crashes(const DriverInfo& info) {
  const Folder folder;
  const auto backend = start_backend(info.backend, {.scratch = folder.path()});
  if (!backend.ok()) GTEST_SKIP() << backend.error().message;
  const Case of = case_of(info);
  for (int round = 1; round <= 3; ++round) {
    Rig rig(of, (*backend)->url());
    std::atomic<int> told = 0;
    {
      const std::jthread worker([&] {
        for (int step = 1; commit_step(rig, step); ++step) told = step;
      });
      // In the middle of the work of a client that goes on without a pause.
      RealClock real;
      while (told < 10 * round) real.sleep_until(real.now() + Duration{1}, {});
      ASSERT_TRUE((*backend)->crash().ok());
    }
    const Status again = (*backend)->restart();
    ASSERT_TRUE(again.ok()) << again.error().message;
    const int whole = last_whole_step(rig);
    EXPECT_TRUE(whole == told || whole == told + 1) << whole << " of " << told;
    // What the dead server left is work to go on with.
    EXPECT_TRUE(rig.commit({{}, {{"after", "v", 0}}, {}, {}, {}}).ok());
    ASSERT_TRUE(rig.session->close().ok());
    ASSERT_TRUE(rig.driver->teardown().ok());
  }
}

void expect_woken_after_a_restart(const DriverInfo& info) {
  const Folder folder;
  const auto backend = start_backend(info.backend, {.scratch = folder.path()});
  if (!backend.ok()) GTEST_SKIP() << backend.error().message;
  Rig rig(case_of(info), (*backend)->url());
  auto made = rig.driver->wakeups({"q", "r"});
  ASSERT_TRUE(made.ok()) << made.error().message;
  WakeUps& wakeups = **made;
  ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("one")).ok());
  EXPECT_EQ(wakeups.wait(patience, {}).value().value().queue, "q");

  ASSERT_TRUE((*backend)->crash().ok());
  const auto lost = wakeups.wait(patience, {});
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, ErrorCode::unavailable) << lost.error().message;
  // Once; and while it is away a stop is still heard.
  EXPECT_TRUE(wakeups.wait(Duration{100}, {}).ok());
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_TRUE(wakeups.wait(Duration{600'000}, stopped.get_token()).ok());

  const Status again = (*backend)->restart();
  ASSERT_TRUE(again.ok()) << again.error().message;
  std::set<std::string> woken;
  while (woken.size() < 2) {
    const auto next = wakeups.wait(patience, {});
    ASSERT_TRUE(next.ok() && *next) << "after the restart";
    woken.insert((*next)->queue);
  }
  drain(wakeups);
  ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("two", "r")).ok());
  const auto next = wakeups.wait(patience, {});
  ASSERT_TRUE(next.ok() && *next);
  EXPECT_EQ((*next)->queue, "r");
  EXPECT_EQ((*next)->job_id, "two");

  // Gone while its server is.
  ASSERT_TRUE((*backend)->crash().ok());
  made->reset();
}

}  // namespace assay::on_store
