#include "reports/text.h"

#include <gtest/gtest.h>

namespace assay::text {
namespace {

TEST(Text, GroupsDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(12'345'678), "12,345,678");
}

TEST(Text, SaysHowLong) {
  EXPECT_EQ(duration_text(0.25), "0.2 s");
  EXPECT_EQ(duration_text(5), "5 s");
  EXPECT_EQ(duration_text(12.4), "12 s");
  EXPECT_EQ(duration_text(300), "5 min");
  EXPECT_EQ(duration_text(125), "2 min 5 s");
}

TEST(Text, WrapsAtWordsAndIndents) {
  EXPECT_EQ(wrapped("one two three four", 10, 2, 1), "  one two\n   three\n   four\n");
  EXPECT_EQ(wrapped("a\n\nb\n", 10, 0, 2), "a\n\nb\n");
  EXPECT_EQ(wrapped("averylongwordindeed x", 8, 0, 0), "averylongwordindeed\nx\n");
  EXPECT_EQ(wrapped("  kept indent", 80, 2, 0), "    kept indent\n");
}

TEST(Text, CutsWithoutBreakingACharacter) {
  EXPECT_EQ(cut("abcdef", 6), "abcdef");
  EXPECT_EQ(cut("abcdefg", 6), "abc...");
  EXPECT_EQ(cut("ab\xc3\xa9"
                "defg",
                6),
            "ab...");
}

TEST(Text, ShowsControlCharacters) { EXPECT_EQ(printable("a\x1b[1m\nb\x7f"), "a\\x1b[1m\nb\\x7f"); }

}  // namespace
}  // namespace assay::text
