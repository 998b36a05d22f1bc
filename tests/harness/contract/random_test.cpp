#include "harness/contract/random.h"

#include <gtest/gtest.h>

#include <set>

namespace assay {
namespace {

TEST(Random, GivesTheSameNumbersForTheSameSeed) {
  Random one(42), other(42), different(43);
  for (int i = 0; i < 10; ++i) {
    const auto number = one.next();
    EXPECT_EQ(number, other.next());
    EXPECT_NE(number, different.next());
  }
}

// Tokens carry seeds between builds and machines: the numbers themselves are part of the promise.
TEST(Random, GivesTheNumbersOfSplitmix64) {
  Random random(0);
  EXPECT_EQ(random.next(), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(random.next(), 0x6e789e6aa1b965f4ULL);
}

TEST(Random, ForksBySeedAndLabelAlone) {
  Random fresh(7), used(7);
  used.next();
  EXPECT_EQ(fresh.fork("producer/3").next(), used.fork("producer/3").next());
  EXPECT_NE(fresh.fork("producer/3").next(), fresh.fork("producer/4").next());
  EXPECT_NE(Random(7).fork("a").next(), Random(8).fork("a").next());
}

TEST(Random, StaysBelowTheBoundAndReachesAllOfIt) {
  Random random(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(random.below(5));
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, WritesHexDigits) {
  const std::string text = Random(5).hex(64);
  EXPECT_EQ(text.size(), 64U);
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(Random(5).hex(0), "");
}

TEST(StableHash, IsFnv1a) {
  EXPECT_EQ(stable_hash(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(stable_hash("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(stable_hash("foobar"), 0x85944171f73967e8ULL);
}

}  // namespace
}  // namespace assay
