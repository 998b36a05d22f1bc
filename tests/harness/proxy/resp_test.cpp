#include <gtest/gtest.h>

#include "harness/proxy/detail/resp_replies.h"
#include "harness/proxy/detail/resp_requests.h"
#include "tests/harness/proxy/conversations.h"

namespace assay::proxy_test {
namespace {

using proxy::RespReplies;
using proxy::RespRequests;

const std::vector<std::string> replies = {
    "+OK\r\n",
    "-ERR no\r\n",
    ":-42\r\n",
    "$0\r\n\r\n",
    "$-1\r\n",
    "$5\r\n\r\n\r\n*\r\n",
    "*0\r\n",
    "*-1\r\n",
    "*2\r\n+a\r\n*2\r\n:1\r\n*1\r\n$1\r\nx\r\n",
    "_\r\n",
    "#f\r\n",
    ",inf\r\n",
    "(-123456789012345678901234567890123456789\r\n",
    "!21\r\nSYNTAX invalid syntax\r\n",
    "=15\r\ntxt:Some string\r\n",
    "%0\r\n",
    "%2\r\n+a\r\n:1\r\n+b\r\n%1\r\n+c\r\n_\r\n",
    "~3\r\n+a\r\n:1\r\n#t\r\n",
    ">2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n",
    "|1\r\n+key-popularity\r\n%1\r\n$1\r\na\r\n,0.19\r\n*1\r\n:1\r\n",
    "*2\r\n:1\r\n|1\r\n+ttl\r\n:3600\r\n:3\r\n",
    "|0\r\n+OK\r\n",
    "$?\r\n;4\r\nHell\r\n;1\r\no\r\n;0\r\n",
    "*?\r\n:1\r\n*?\r\n.\r\n$?\r\n;0\r\n.\r\n",
    "%?\r\n+a\r\n:1\r\n.\r\n",
};

TEST(RespReplies, EndWhereTheyEnd) {
  for (const std::string& reply : replies) {
    RespReplies reader;
    EXPECT_EQ(reader.take(reply + "+more\r\n"), reply.size()) << reply;
    EXPECT_TRUE(reader.is_whole()) << reply;
  }
}

TEST(RespReplies, AreNotWholeBeforeTheirLastByte) {
  for (const std::string& reply : replies) {
    RespReplies reader;
    for (std::size_t i = 0; i + 1 < reply.size(); ++i) {
      EXPECT_EQ(reader.take(reply.substr(i, 1)), 1u);
      EXPECT_FALSE(reader.is_whole()) << reply << " at " << i;
    }
    reader.take(reply.substr(reply.size() - 1));
    EXPECT_TRUE(reader.is_whole()) << reply;
  }
}

TEST(RespReplies, FollowEachOther) {
  std::string all;
  for (const std::string& reply : replies) all += reply;
  RespReplies reader;
  std::string_view left = all;
  for (const std::string& reply : replies) {
    const std::size_t size = reader.take(left);
    EXPECT_EQ(left.substr(0, size), reply);
    left.remove_prefix(size);
  }
  EXPECT_TRUE(left.empty());
}

TEST(RespReplies, AreKnownByTheirBeginning) {
  RespReplies reader;
  reader.take("*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:7\r\n");
  EXPECT_EQ(reader.type(), '*');
  EXPECT_EQ(reader.first_text(), "subscribe");
  EXPECT_EQ(reader.last_number(), 7);
  reader.take("|1\r\n+a\r\n+b\r\n-ERR x\r\n");
  EXPECT_TRUE(reader.is_error());
  EXPECT_EQ(reader.first_text(), "ERR x");
}

TEST(RespReplies, OfNobodyAreBroken) {
  for (const std::string text : {"hello\r\n", "$x\r\n", "$-2\r\n", "*9223372036854775808\r\n",
                                 ".\r\n", ";1\r\n", "+a\n", ":1x\r\n", "%-1\r\n", "$?\r\n+a\r\n",
                                 "*?\r\n;0\r\n", "$111111111111111111111111111111111111"}) {
    RespReplies reader;
    reader.take(text);
    EXPECT_TRUE(reader.is_broken()) << text;
    EXPECT_EQ(reader.take("+OK\r\n"), 0u);
  }
}

TEST(RespRequests, TellTheirFirstWords) {
  RespRequests reader;
  const std::string command = resp({"config", "Set", "x", std::string(1000, 'y')});
  EXPECT_EQ(reader.take(command + "*1"), command.size());
  EXPECT_TRUE(reader.is_whole());
  EXPECT_EQ(reader.name(), "CONFIG");
  EXPECT_EQ(reader.second(), "SET");
  EXPECT_EQ(reader.words(), 4u);
  reader.take("*1\r\n$4\r\nping\r\n");
  EXPECT_EQ(reader.name(), "PING");
  EXPECT_EQ(reader.second(), "");
  EXPECT_EQ(reader.words(), 1u);
}

TEST(RespRequests, OfNobodyAreBroken) {
  for (const std::string text :
       {"*1\r\n+a\r\n", "*x\r\n", "*1\r\n$-1\r\n", "*1048577\r\n", "*1\r\n$1073741825\r\n"}) {
    RespRequests reader;
    reader.take(text);
    EXPECT_TRUE(reader.is_broken()) << text;
  }
  RespRequests endless;
  endless.take(std::string(70'000, 'x'));
  EXPECT_TRUE(endless.is_broken());
}

}  // namespace
}  // namespace assay::proxy_test
