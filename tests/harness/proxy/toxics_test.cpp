// Each toxic, without sockets, in virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/harness/proxy/virtual_line.h"

namespace assay::proxy_test {
namespace {

TEST(Latency, LetsEachChunkGoOnSoLongAfterItCame) {
  VirtualLine line;
  line.add("latency", {{"latency", 100}});
  line.say("a");
  line.until(ms(30));
  line.say("b");
  line.until(ms(1000));
  EXPECT_EQ(line.log, "100:a 130:b");
  EXPECT_EQ(line.effects.delayed_chunks, 2u);
}

TEST(Latency, DelaysTheEndWithWhatIsBeforeIt) {
  VirtualLine line;
  line.add("latency", {{"latency", 50}});
  line.say("a");
  line.end();
  line.until(ms(1000));
  EXPECT_EQ(line.log, "50:a 50!half");
}

TEST(Latency, AddsUpWhereThereAreTwo) {
  VirtualLine line;
  line.chain.add("first", make_toxic("latency", {{"latency", 100}}, Random(1)));
  line.chain.add("second", make_toxic("latency", {{"latency", 20}}, Random(1)));
  line.say("a");
  line.until(ms(1000));
  EXPECT_EQ(line.log, "120:a");
}

TEST(Latency, WithJitterIsBetweenBothEndsAndKeepsTheOrder) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    VirtualLine line;
    line.add("latency", {{"latency", 100}, {"jitter", 30}}, seed);
    line.say("a");
    line.until(ms(69));
    EXPECT_EQ(line.log, "") << seed;
    line.until(ms(129));
    EXPECT_EQ(line.text, "a") << seed;
    seen.insert(line.log);
    for (const char* word : {"b", "c", "d", "e"}) line.say(word);
    line.until(ms(1000));
    EXPECT_EQ(line.text, "abcde");
  }
  EXPECT_GT(seen.size(), 10u);
}

TEST(Latency, WithJitterIsTheSameForTheSameSeed) {
  const auto told = [](std::uint64_t seed) {
    VirtualLine line;
    line.add("latency", {{"latency", 100}, {"jitter", 90}}, seed);
    for (int i = 0; i < 20; ++i) {
      line.say("x");
      line.until(ms(200 * (i + 1)));
    }
    return line.log;
  };
  EXPECT_EQ(told(7), told(7));
  EXPECT_NE(told(7), told(8));
}

TEST(Latency, OfAMillionYearsOverflowsNothing) {
  VirtualLine line;
  line.add("latency", {{"latency", INT64_MAX}, {"jitter", INT64_MIN}});
  line.say("a");
  line.until(ms(1'000'000));
  EXPECT_EQ(line.log, "");
}

TEST(Latency, ThatIsTakenAwayLetsGoWhatWaited) {
  VirtualLine line;
  line.add("latency", {{"latency", 100}});
  line.say("a");
  line.until(ms(10));
  line.chain.remove("latency");
  line.work();
  EXPECT_EQ(line.log, "10:a");
}

TEST(Latency, ThatIsChangedCountsForWhatWaits) {
  VirtualLine line;
  line.add("latency", {{"latency", 1000}});
  line.say("a");
  line.until(ms(10));
  line.chain.find("latency")->set({{"latency", 40}});
  line.work();
  line.until(ms(500));
  EXPECT_EQ(line.log, "40:a");
}

TEST(Bandwidth, SendsSlicesOfATenthOfASecond) {
  VirtualLine line;
  line.add("bandwidth", {{"rate", 1}});
  line.say(std::string(250, 'x'));
  line.until(ms(1000));
  EXPECT_EQ(line.sizes, (std::vector<std::size_t>{100, 100, 50}));
  EXPECT_EQ(line.log.substr(0, 8), "100:xxxx");
  EXPECT_NE(line.log.find("200:"), std::string::npos);
  EXPECT_NE(line.log.find("250:"), std::string::npos);
}

TEST(Bandwidth, TakesHalfASecondForFiveThousandBytesAtTen) {
  VirtualLine line;
  line.add("bandwidth", {{"rate", 10}});
  line.say(std::string(5000, 'x'));
  line.until(ms(499));
  EXPECT_EQ(line.text.size(), 4000u);
  line.until(ms(500));
  EXPECT_EQ(line.text.size(), 5000u);
}

TEST(Bandwidth, OfNothingBlocksEverythingUntilItIsChanged) {
  VirtualLine line;
  line.add("bandwidth", {{"rate", 0}});
  line.say("abc");
  line.end();
  line.until(ms(100'000));
  EXPECT_EQ(line.log, "");
  line.chain.find("bandwidth")->set({{"rate", 1}});
  line.work();
  line.until(ms(100'002));
  EXPECT_EQ(line.log, "");  // the time before is not made up for
  line.until(ms(100'010));
  EXPECT_EQ(line.log, "100003:abc 100003!half");
}

TEST(Bandwidth, DoesNotSaveUpWhatWasNotUsed) {
  VirtualLine line;
  line.add("bandwidth", {{"rate", 1}});
  line.until(ms(10'000));
  line.say("abcde");
  line.until(ms(11'000));
  EXPECT_EQ(line.log, "10005:abcde");
}

TEST(SlowClose, DelaysNothingButTheEnd) {
  VirtualLine line;
  line.add("slow_close", {{"delay", 70}});
  line.say("a");
  line.until(ms(10));
  line.end();
  line.until(ms(1000));
  EXPECT_EQ(line.log, "0:a 80!half");
}

TEST(Timeout, SwallowsAllAndClosesWhenNothingCame) {
  VirtualLine line;
  line.add("timeout", {{"timeout", 100}});
  line.until(ms(60));
  line.say("abc");
  line.until(ms(1000));
  EXPECT_EQ(line.log, "160!close");
  EXPECT_EQ(line.effects.dropped_bytes, 3u);
}

TEST(Timeout, OfNothingIsABlackHole) {
  VirtualLine line;
  line.add("timeout", {{"timeout", 0}});
  line.say("abc");
  line.until(ms(1'000'000));
  EXPECT_EQ(line.log, "");
  EXPECT_FALSE(line.next());
}

TEST(Timeout, ThatIsTakenAwayClosesTheConnection) {
  VirtualLine line;
  line.add("timeout", {{"timeout", 0}});
  line.say("abc");
  line.chain.remove("timeout");
  line.work();
  EXPECT_EQ(line.log, "0!close");
}

TEST(Timeout, PassesOnThatTheOtherSideEnded) {
  VirtualLine line;
  line.add("timeout", {{"timeout", 0}});
  line.end();
  EXPECT_EQ(line.log, "0!half");
}

TEST(ResetPeer, WaitsForTheFirstByteAndThenSoLong) {
  VirtualLine line;
  line.add("reset_peer", {{"timeout", 300}});
  line.until(ms(1000));
  EXPECT_EQ(line.log, "");
  line.say("a");
  line.until(ms(1200));
  line.say("b");
  line.until(ms(2000));
  EXPECT_EQ(line.log, "1300!reset");
  EXPECT_EQ(line.effects.dropped_bytes, 2u);
}

TEST(ResetPeer, OfNothingResetsAtTheEndToo) {
  VirtualLine line;
  line.add("reset_peer", {{"timeout", 0}});
  line.end();
  EXPECT_EQ(line.log, "0!reset");
}

TEST(ResetPeer, DoesNotWaitForASlowCloseBehindIt) {
  VirtualLine line;
  line.add("reset_peer", {{"timeout", 0}}).add("slow_close", {{"delay", 1000}});
  line.say("a");
  EXPECT_EQ(line.log, "0!reset");
}

TEST(Slicer, CutsIntoPiecesWithADelayBetween) {
  VirtualLine line;
  line.add("slicer", {{"average_size", 2}, {"delay", 1000}});
  line.say("abcdefgh");
  line.end();
  line.until(ms(100));
  EXPECT_EQ(line.log, "0:ab 1:cd 2:ef 3:gh 4!half");
}

TEST(Slicer, VariesTheSizesWithinWhatWasSaid) {
  VirtualLine line;
  line.add("slicer", {{"average_size", 100}, {"size_variation", 30}});
  const std::string all(10'000, 'x');
  line.say(all);
  EXPECT_EQ(line.text, all);
  EXPECT_GT(line.sizes.size(), 50u);
  EXPECT_LE(*std::max_element(line.sizes.begin(), line.sizes.end()), 130u);
  EXPECT_GT(std::set(line.sizes.begin(), line.sizes.end()).size(), 5u);
}

TEST(Slicer, WithoutASizeCutsIntoBytes) {
  VirtualLine line;
  line.add("slicer", {});
  line.say("abc");
  EXPECT_EQ(line.log, "0:a 0:b 0:c");
}

TEST(Slicer, WithAVariationBeyondItsSizeLosesNothing) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    VirtualLine line;
    line.add("slicer", {{"average_size", 1}, {"size_variation", 40}}, seed);
    std::string all;
    for (int i = 0; i < 500; ++i) all += static_cast<char>('a' + i % 26);
    line.say(all);
    EXPECT_EQ(line.text, all);
    EXPECT_EQ(std::count(line.sizes.begin(), line.sizes.end(), 0u), 0);
  }
}

TEST(LimitData, ClosesAfterSoManyBytes) {
  VirtualLine line;
  line.add("limit_data", {{"bytes", 5}});
  line.say("abc");
  line.say("defg");
  line.say("h");
  EXPECT_EQ(line.log, "0:abc 0:de 0!close");
  EXPECT_EQ(line.effects.dropped_bytes, 3u);
}

TEST(LimitData, ClosesWhenExactlySoManyCame) {
  VirtualLine line;
  line.add("limit_data", {{"bytes", 3}});
  line.say("abc");
  EXPECT_EQ(line.log, "0:abc 0!close");
}

TEST(LimitData, OfNothingClosesOnTheFirstByte) {
  VirtualLine line;
  line.add("limit_data", {{"bytes", 0}});
  EXPECT_EQ(line.log, "");
  line.say("abc");
  EXPECT_EQ(line.log, "0!close");
}

TEST(LimitData, RemembersWhatPassedWhenItIsChanged) {
  VirtualLine line;
  line.add("limit_data", {{"bytes", 100}});
  line.say("abc");
  line.chain.find("limit_data")->set({{"bytes", 4}});
  line.say("def");
  EXPECT_EQ(line.log, "0:abc 0:d 0!close");
}

TEST(Noop, ChangesNothing) {
  VirtualLine line;
  line.add("noop", {});
  line.say("a");
  line.end();
  EXPECT_EQ(line.log, "0:a 0!half");
}

TEST(Chain, LetsEachToxicWorkOnWhatTheOneBeforeLetGo) {
  VirtualLine line;
  line.add("latency", {{"latency", 100}})
      .add("slicer", {{"average_size", 1}, {"delay", 1000}})
      .add("limit_data", {{"bytes", 2}})
      .add("slow_close", {{"delay", 50}});
  line.say("abc");
  line.until(ms(1000));
  EXPECT_EQ(line.log, "100:a 101:b 151!close");
}

TEST(Chain, TakesNoMoreThanItHasRoomFor) {
  VirtualLine line;
  line.room = 0;
  line.add("noop", {}).add("bandwidth", {{"rate", 1'000'000}});
  std::size_t said = 0;
  for (; line.chain.wants_more() && said < (1 << 24); said += 1024)
    line.say(std::string(1024, 'x'));
  EXPECT_LT(said, 1u << 20);
  line.room = 1 << 20;
  line.until(ms(1000));
  EXPECT_EQ(line.text.size(), said);
}

TEST(Chain, WithoutToxicsIsALine) {
  VirtualLine line;
  line.say("a");
  line.end();
  EXPECT_EQ(line.log, "0:a 0!half");
}

TEST(ToxicTypes, AreThoseOfToxiproxy) {
  std::string all;
  for (const ToxicType& type : toxic_types()) all += type.name + " ";
  EXPECT_EQ(all, "bandwidth latency limit_data noop reset_peer slicer slow_close timeout ");
  EXPECT_EQ(toxic_type("slicer")->attributes,
            (std::vector<std::string>{"average_size", "size_variation", "delay"}));
  EXPECT_EQ(toxic_type("down"), nullptr);
}

TEST(DirectionFrom, TakesAnyCase) {
  EXPECT_EQ(direction_from("UpStream"), Direction::upstream);
  EXPECT_EQ(direction_from("downstream"), Direction::downstream);
  EXPECT_EQ(direction_from("sideways"), std::nullopt);
}

}  // namespace
}  // namespace assay::proxy_test
