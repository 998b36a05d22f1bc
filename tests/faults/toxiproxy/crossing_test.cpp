// What is concluded from the two ends of a stretch that nobody sees into, in virtual time.
#include "faults/toxiproxy/detail/crossing.h"

#include <gtest/gtest.h>

namespace assay::toxiproxy {
namespace {

using proxy::Direction;
using Side = proxy::LineWatcher::Side;
using namespace std::chrono_literals;

class Crossed : public testing::Test {
 protected:
  // A client that came, and for whom the store was called.
  void open(std::uint64_t number = 1) {
    crossing_.front().opened(number, now_);
    crossing_.back().opened(number, now_);
  }
  void up_in(std::size_t bytes, std::uint64_t number = 1) {
    crossing_.front().carried(number, Direction::upstream, bytes, now_);
  }
  void up_out(std::size_t bytes, std::uint64_t number = 1) {
    crossing_.back().carried(number, Direction::upstream, bytes, now_);
  }
  void down_in(std::size_t bytes) {
    crossing_.back().carried(1, Direction::downstream, bytes, now_);
  }
  void down_out(std::size_t bytes) {
    crossing_.front().carried(1, Direction::downstream, bytes, now_);
  }
  void client_ends(std::uint64_t number = 1) {
    EXPECT_FALSE(crossing_.front().ended(number, Side::client, false, now_));
  }
  void store_ends() { EXPECT_FALSE(crossing_.back().ended(1, Side::upstream, false, now_)); }
  bool client_is_told() { return crossing_.front().ended(1, Side::upstream, false, now_); }
  bool store_is_told() { return crossing_.back().ended(1, Side::client, false, now_); }

  proxy::ProxyCounters counted() { return crossing_.counters(now_); }
  void expect(const std::string& type, const std::string& stream,
              const proxy::Attributes& attributes = {}) {
    crossing_.expect({{.type = type, .stream = stream, .attributes = attributes}});
  }

  Crossing crossing_;
  Crossing::Moment now_{1s};
};

TEST_F(Crossed, CountsNothingOfALineThatIsInOrder) {
  open();
  up_in(10);
  now_ += 300us;
  up_out(10);
  down_in(5);
  now_ += 300us;
  down_out(5);
  client_ends();
  store_is_told();
  EXPECT_EQ(counted(), proxy::ProxyCounters{});
  EXPECT_TRUE(crossing_.is_settled(now_));
}

TEST_F(Crossed, HasSwallowedWhatDoesNotComeOutWhereSomethingMayBeLost) {
  open();
  expect("timeout", "upstream");
  up_in(10);
  now_ += 40ms;
  EXPECT_FALSE(crossing_.is_settled(now_)) << "it may come yet";
  EXPECT_EQ(counted().bytes_dropped, 0u);
  now_ += 11ms;
  EXPECT_TRUE(crossing_.is_settled(now_));
  EXPECT_EQ(counted().bytes_dropped, 10u);
  EXPECT_EQ(counted().bytes_dropped, 10u) << "once";
}

TEST_F(Crossed, HasSwallowedNothingThatIsOnlySlow) {
  open();
  up_in(10);
  now_ += 1s;
  EXPECT_EQ(counted().bytes_dropped, 0u) << "nothing is there that loses anything";
  expect("timeout", "downstream");
  EXPECT_EQ(counted().bytes_dropped, 0u) << "nor on this way";
}

TEST_F(Crossed, HasSwallowedNothingOfWhoLeavesAtOnce) {
  open();
  expect("timeout", "downstream");
  down_in(10);
  now_ += 1ms;
  client_ends();
  now_ += 1s;
  EXPECT_EQ(counted().bytes_dropped, 0u);
}

TEST_F(Crossed, IsLateByWhatItsToxicsSay) {
  open();
  expect("latency", "upstream", {{"latency", 20}, {"jitter", 5}});
  up_in(10);
  now_ += 14ms;
  up_out(10);
  EXPECT_EQ(counted().chunks_delayed, 0u);
  up_in(10);
  now_ += 15ms;
  up_out(10);
  EXPECT_EQ(counted().chunks_delayed, 1u);
}

TEST_F(Crossed, IsNarrowWhereBytesTakeTheirTime) {
  open();
  expect("bandwidth", "downstream", {{"rate", 8}});
  down_in(80);
  now_ += 9ms;
  down_out(80);
  EXPECT_EQ(counted().chunks_delayed, 0u);
  down_in(80);
  now_ += 10ms;
  down_out(80);
  EXPECT_EQ(counted().chunks_delayed, 1u);
  down_in(4);
  now_ += 10ms;
  down_out(4);
  EXPECT_EQ(counted().chunks_delayed, 1u) << "so few bytes show nothing";
}

TEST_F(Crossed, IsSlicedWhereSmallPiecesComeOutOfLargeOnes) {
  open();
  expect("slicer", "upstream", {{"average_size", 7}, {"size_variation", 3}});
  up_in(30);
  up_out(20);
  EXPECT_EQ(counted().chunks_split, 0u) << "that is no small piece";
  up_out(5);
  EXPECT_EQ(counted().chunks_split, 1u);
  up_out(5);
  up_in(8);
  up_out(8);
  EXPECT_EQ(counted().chunks_split, 1u);
}

TEST_F(Crossed, HasCutWhomNobodyHasLeft) {
  open();
  EXPECT_FALSE(client_is_told()) << "he sees an end";
  EXPECT_FALSE(store_is_told());
  EXPECT_EQ(counted().cut, 1u) << "one connection, whose both sides are told";
  EXPECT_EQ(counted().reset, 0u);
}

TEST_F(Crossed, HasResetWhomItCutsWhileAToxicIsThereThatDoesThat) {
  open();
  expect("reset_peer", "downstream");
  EXPECT_TRUE(client_is_told()) << "he is cut off, even if the Toxiproxy just closed";
  EXPECT_TRUE(store_is_told());
  EXPECT_EQ(counted().reset, 1u);
  EXPECT_EQ(counted().cut, 0u);
}

TEST_F(Crossed, HasNotCutWhoLeftHimself) {
  open();
  expect("reset_peer", "downstream");
  client_ends();
  EXPECT_FALSE(store_is_told());
  open(2);
  EXPECT_FALSE(crossing_.back().ended(2, Side::upstream, false, now_));
  EXPECT_FALSE(crossing_.front().ended(2, Side::upstream, false, now_));
  EXPECT_EQ(counted().reset + counted().cut, 0u);
}

TEST_F(Crossed, TellsEndsLateOnlyToWhoIsStillThere) {
  expect("slow_close", "downstream", {{"delay", 40}});
  open();
  store_ends();
  now_ += 20ms;
  EXPECT_FALSE(crossing_.is_settled(now_));
  now_ += 20ms;
  client_is_told();
  EXPECT_EQ(counted().ends_delayed, 1u);
  crossing_.front().opened(2, now_);
  crossing_.back().opened(2, now_);
  crossing_.back().ended(2, Side::upstream, false, now_);
  client_ends(2);
  now_ += 60ms;
  crossing_.front().ended(2, Side::upstream, false, now_);
  EXPECT_EQ(counted().ends_delayed, 1u);
}

TEST_F(Crossed, ConcludesNothingFromHalvesThatDoNotBelongTogether) {
  open();
  up_in(5);
  up_out(9);
  expect("timeout", "upstream");
  up_in(100);
  now_ += 1s;
  client_is_told();
  EXPECT_EQ(counted(), proxy::ProxyCounters{});
}

TEST_F(Crossed, JoinsInTheOrderInWhichTheyCome) {
  expect("timeout", "upstream");
  crossing_.front().opened(1, now_);
  crossing_.front().opened(2, now_);
  crossing_.front().unreached(1);
  crossing_.back().opened(7, now_);
  up_in(3, 2);
  crossing_.back().carried(7, Direction::upstream, 3, now_);
  up_in(4, 2);
  now_ += 1s;
  EXPECT_EQ(counted().bytes_dropped, 4u);
}

TEST_F(Crossed, GivesUpAClientWhoLeftAndForWhomNobodyWasCalled) {
  expect("timeout", "upstream");
  crossing_.front().opened(1, now_);
  client_ends(1);
  now_ += 1001ms;
  open(2);
  up_in(4, 2);
  now_ += 1s;
  EXPECT_EQ(counted().bytes_dropped, 4u);
}

TEST_F(Crossed, TellsHowLongSomethingWasHeldUpThatNobodyAskedFor) {
  open();
  up_in(5);
  now_ += 350ms;
  EXPECT_EQ(crossing_.longest_hold(now_), 300ms) << "it is not out yet";
  up_out(5);
  EXPECT_EQ(crossing_.longest_hold(now_), 300ms);
  EXPECT_EQ(crossing_.longest_hold(now_), 0ms);
  // Nobody was called on behalf of a client, who gave up.
  crossing_.front().opened(2, now_);
  up_in(5, 2);
  now_ += 500ms;
  client_ends(2);
  EXPECT_EQ(crossing_.longest_hold(now_), 450ms);
}

}  // namespace
}  // namespace assay::toxiproxy
