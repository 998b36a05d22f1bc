#include "harness/remote/connectable.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Words = std::vector<std::string>;

Words split(std::string_view text) {
  auto words = split_words(text);
  EXPECT_TRUE(words.ok()) << text;
  return words.ok() ? *words : Words{};
}

TEST(SplitWords, TakesQuotesAndBackslashesAsAShellDoes) {
  EXPECT_EQ(split("python3 my_driver.py --fast"), (Words{"python3", "my_driver.py", "--fast"}));
  EXPECT_EQ(split("  a\t b\n"), (Words{"a", "b"}));
  EXPECT_EQ(split("'two words' \"and 'more'\" un\\ quoted ''"),
            (Words{"two words", "and 'more'", "un quoted", ""}));
  EXPECT_EQ(split("a'b'\"c\""), Words{"abc"});
  EXPECT_EQ(split("'back\\slash' \"a\\\"b\""), (Words{"back\\slash", "a\"b"}));
  EXPECT_EQ(split("$HOME *"), (Words{"$HOME", "*"}));
}

TEST(SplitWords, RefusesAQuoteThatIsNotClosed) {
  EXPECT_FALSE(split_words("python3 'my_driver.py").ok());
}

TEST(JoinWords, IsSplitIntoTheSameWords) {
  const Words words{"python3", "", "two words", "it's", "a\"b", "back\\slash", "\n", "--x=1", "$a"};
  EXPECT_EQ(split(join_words(words)), words);
}

TEST(Connectable, IsACommandOrAnAddress) {
  const auto command = connectable_from("exec:python3 'my driver.py'");
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(std::get<Command>(*command).words, (Words{"python3", "my driver.py"}));
  const auto address = connectable_from("tcp:[::1]:7000");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(std::get<Address>(*address).host, "::1");
  EXPECT_EQ(std::get<Address>(*address).port, 7000);
}

TEST(Connectable, RefusesWhatNobodyCanStartOrReach) {
  for (const char* name : {"exec:", "exec:   ", "exec:'", "tcp:", "tcp:7000", "tcp::7000",
                           "tcp:localhost:", "tcp:localhost:http", "tcp:localhost:70000",
                           "tcp:localhost:0", "tcp:localhost:-1", "memory"}) {
    const auto connectable = connectable_from(name);
    ASSERT_FALSE(connectable.ok()) << name;
    EXPECT_EQ(connectable.error().code, ErrorCode::invalid);
    EXPECT_FALSE(connectable.error().message.empty());
  }
}

}  // namespace
}  // namespace assay
