#include "harness/contract/clock.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(VirtualClock, StandsStillUntilMoved) {
  VirtualClock clock;
  EXPECT_EQ(clock.now(), run_epoch);
  EXPECT_EQ(clock.now(), run_epoch);
  clock.advance(Duration{5});
  EXPECT_EQ(clock.now(), run_epoch + Duration{5});
}

TEST(VirtualClock, NeverMovesBack) {
  VirtualClock clock;
  clock.move_to(run_epoch + Duration{10});
  clock.move_to(run_epoch + Duration{3});
  EXPECT_EQ(clock.now(), run_epoch + Duration{10});
}

TEST(VirtualClock, SleepsByMoving) {
  VirtualClock clock;
  clock.sleep_until(run_epoch + Duration{3'600'000}, {});
  EXPECT_EQ(clock.now(), run_epoch + Duration{3'600'000});
}

TEST(VirtualClock, DoesNotSleepOnceStopped) {
  VirtualClock clock;
  std::stop_source stopped;
  stopped.request_stop();
  clock.sleep_until(run_epoch + Duration{1}, stopped.get_token());
  EXPECT_EQ(clock.now(), run_epoch);
}

TEST(RealClock, ReturnsFromSleepOnceStopped) {
  RealClock clock;
  std::stop_source stopped;
  stopped.request_stop();
  clock.sleep_until(end_of_time, stopped.get_token());
  EXPECT_GT(clock.now(), instant_from_ms(1'600'000'000'000));
}

}  // namespace
}  // namespace assay
