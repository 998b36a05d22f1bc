#include "harness/remote/detail/wait.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

namespace assay::detail {
namespace {

class InputWaitTest : public testing::Test {
 protected:
  InputWaitTest() { EXPECT_EQ(::pipe(ends_), 0); }
  ~InputWaitTest() override {
    for (const int end : ends_) ::close(end);
  }

  void say(char c) { EXPECT_EQ(::write(ends_[1], &c, 1), 1); }
  void hear() {
    char c = 0;
    EXPECT_EQ(::read(ends_[0], &c, 1), 1);
  }
  int wait() {
    pollfd ready{ends_[0], POLLIN, 0};
    return wait_.wait(&ready, 1, 0);
  }
  void tire() {
    for (int i = 0; wait_.is_awake() && i < 100; ++i) EXPECT_EQ(wait(), 0);
  }

  int ends_[2] = {-1, -1};
  InputWait wait_;
};

TEST_F(InputWaitTest, TellsWhatIsThereAwakeAndAsleep) {
  say('a');
  EXPECT_EQ(wait(), 1);
  hear();
  tire();
  ASSERT_FALSE(wait_.is_awake());
  EXPECT_EQ(wait(), 0);
  say('b');
  ASSERT_FALSE(wait_.is_awake());
  EXPECT_EQ(wait(), 1);
}

TEST_F(InputWaitTest, StaysAwakeForWhoeverAnswersAtOnce) {
  for (int i = 0; i < 1'000; ++i) {
    say('x');
    EXPECT_EQ(wait(), 1);
    hear();
    EXPECT_TRUE(wait_.is_awake());
  }
}

TEST_F(InputWaitTest, SleepsWhereItWasAwakeInVainAndTriesAgainLater) {
  EXPECT_TRUE(wait_.is_awake());
  tire();
  int slept = 0;
  for (; !wait_.is_awake() && slept < 1'000; ++slept) EXPECT_EQ(wait(), 0);
  EXPECT_GT(slept, 10);
  ASSERT_TRUE(wait_.is_awake());
  EXPECT_EQ(wait(), 0);
  EXPECT_FALSE(wait_.is_awake());  // one look was enough
}

TEST_F(InputWaitTest, IsAwakeAgainForWhoeverBecomesQuick) {
  tire();
  say('x');
  while (!wait_.is_awake()) EXPECT_EQ(wait(), 1);
  EXPECT_EQ(wait(), 1);
  hear();
  EXPECT_EQ(wait(), 0);
  EXPECT_TRUE(wait_.is_awake());
}

}  // namespace
}  // namespace assay::detail
