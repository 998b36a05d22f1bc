#include <gtest/gtest.h>

#include <map>

#include "tests/harness/proxy/conversations.h"

namespace assay::proxy_test {
namespace {

using namespace std::string_literals;
using proxy::Seen;

// What was seen, without where: requests and answers are what a gate lives by.
std::string letters(const Talk& talk) {
  static const std::map<Seen, char> of = {
      {Seen::part, '.'},   {Seen::pass, '-'},    {Seen::request, 'Q'},
      {Seen::answer, 'A'}, {Seen::push, 'P'},    {Seen::copy, 'C'},
      {Seen::reply, 'N'},  {Seen::refused, '!'}, {Seen::drop, 'D'}};
  std::string text;
  for (const Sight& sight : sights(talk, Pieces::whole)) text += of.at(sight.seen);
  return text;
}

TEST(Conversation, SeesRequestsAndAnswers) {
  const std::map<std::string, std::string> expected = {
      {"postgres, asks for encryption",
       "NN------"
       "--"},
      {"postgres, cancels", "-"},
      {"postgres, a query", "-----Q...A-"},
      {"postgres, queries at once", "-----QQ...A...A"},
      {"postgres, an error", "-----Q.A"},
      {"postgres, a prepared statement", "-----....Q.....A"},
      {"postgres, a pipeline", "-----....Q....Q.....A.....A"},
      {"postgres, a flush", "-----....Q....AQA"},
      {"postgres, a flush that fails", "-----....Q.A....QQA"},
      {"postgres, flushes at once", "-----....Q....QQ....A....AA"},
      {"postgres, a flush of nothing", "------Q...A"},
      {"postgres, notices", "-----PPQ....AP"},
      {"postgres, a function call", "-----Q.A"},
      {"postgres, a copy", "-----QC--.A"},
      {"postgres, garbage of the client", "-----!"},
      {"postgres, an absurd length", "-----!"},
      {"postgres, garbage of the server", "-----Q!"},
      {"postgres, TLS at once", "!"},
      {"postgres, another version", "!"},
      {"redis, a command", "QAQA"},
      {"redis, an error", "QA"},
      {"redis, a pipeline", "QQQAAA"},
      {"redis, inline", "-QQAA"},
      {"redis, nested replies", "QAQA"},
      {"redis, version 3", "QAQAQA"},
      {"redis, subscribes", "Q.APQAQ.AQA"},
      {"redis, subscribes in version 3", "QQAPAPQA"},
      {"redis, may not subscribe", "QAQA"},
      {"redis, monitors", "QAPQPA"},
      {"redis, is silent", "QQQAQQQA"},
      {"redis, TLS", "!"},
      {"redis, an absurd count", "!"},
      {"redis, an absurd length", "!"},
      {"redis, garbage of the server", "Q!"},
      {"redis, a reply that is too deep", "Q!"},
      {"redis, a return within a number", "Q!"},
      {"redis, a replica", "!"},
  };
  for (const Talk& talk : known_talks()) {
    ASSERT_TRUE(expected.contains(talk.name)) << talk.name;
    EXPECT_EQ(letters(talk), expected.at(talk.name)) << talk.name;
  }
}

TEST(Conversation, SeesTheSameHoweverTheBytesCome) {
  for (const Talk& talk : known_talks()) {
    const auto whole = sights(talk, Pieces::whole);
    EXPECT_EQ(told(sights(talk, Pieces::bytes)), told(whole)) << talk.name;
    for (std::uint64_t seed = 0; seed < 200; ++seed)
      EXPECT_EQ(told(sights(talk, Pieces::random, Random(seed))), told(whole))
          << talk.name << ", seed " << seed;
  }
}

TEST(Conversation, KnowsTheProcessThatServesIt) {
  const auto talk = proxy::postgres_conversation();
  const std::string welcome = pg_welcome(4711);
  talk->client(pg_startup());
  for (std::string_view left = welcome; !left.empty();) left.remove_prefix(talk->server(left).size);
  EXPECT_EQ(talk->backend_pid(), 4711);
}

TEST(Conversation, TellsAnErrorFromAnAnswer) {
  const auto talk = proxy::redis_conversation();
  for (const auto& [answer, is_error] :
       {std::pair{"-ERR no\r\n"s, true}, {"+OK\r\n"s, false}, {"!3\r\nERR\r\n"s, true}}) {
    talk->client(resp({"PING"}));
    EXPECT_TRUE(talk->delivered());
    EXPECT_EQ(talk->server(answer).seen, Seen::answer);
    EXPECT_EQ(talk->is_error(), is_error) << answer;
  }
}

TEST(Conversation, DoesNotWaitForTheAnswerOfWhatWasNotDelivered) {
  const auto talk = proxy::redis_conversation();
  EXPECT_EQ(talk->client(resp({"PING"})).seen, Seen::request);
  EXPECT_EQ(talk->outstanding(), 0u);
  EXPECT_TRUE(talk->delivered());
  EXPECT_EQ(talk->outstanding(), 1u);
}

TEST(Conversation, KnowsCommandsThatMayWait) {
  using proxy::RequestKind;
  const std::vector<std::pair<std::vector<std::string>, RequestKind>> commands = {
      {{"blpop", "q", "0"}, RequestKind::blocking},
      {{"BRPOP", "q", "0"}, RequestKind::blocking},
      {{"BLMOVE", "a", "b", "LEFT", "LEFT", "0"}, RequestKind::blocking},
      {{"BZPOPMIN", "q", "0"}, RequestKind::blocking},
      {{"WAIT", "1", "0"}, RequestKind::blocking},
      {{"XREAD", "COUNT", "1", "block", "0", "STREAMS", "s", "$"}, RequestKind::blocking},
      {{"XREAD", "COUNT", "1", "STREAMS", "BLOCK", "$"}, RequestKind::plain},
      {{"XREADGROUP", "GROUP", "block", "me", "STREAMS", "s", ">"}, RequestKind::plain},
      {{"XREADGROUP", "GROUP", "g", "me", "BLOCK", "5", "STREAMS", "s", ">"},
       RequestKind::blocking},
      {{"LPOP", "BLPOP"}, RequestKind::plain},
      {{"SUBSCRIBE", "c"}, RequestKind::subscribe},
      {{"MONITOR"}, RequestKind::subscribe},
  };
  for (const auto& [words, kind] : commands) {
    const auto talk = proxy::redis_conversation();
    EXPECT_EQ(talk->client(resp(words)).seen, Seen::request);
    EXPECT_EQ(talk->kind(), kind) << words[0];
  }
}

TEST(Conversation, IsDescribedInAShortLine) {
  EXPECT_EQ(proxy::describe_redis(resp({"BLPOP", "q", "0"})), "BLPOP q 0");
  EXPECT_EQ(proxy::describe_redis("PING  x\r\n"), "PING x");
  EXPECT_EQ(proxy::describe_redis(resp({"SET", "k", std::string(500, 'x')})),
            "SET k " + std::string(71, 'x') + "...");
  EXPECT_EQ(proxy::describe_redis(resp({"SET", "k", "a\r\n\x01\xff"})), "SET k a ??");
  EXPECT_EQ(proxy::describe_redis(resp({"AUTH", "hunter2"})), "AUTH ***");
  EXPECT_EQ(proxy::describe_redis(resp({"HELLO", "3", "auth", "me", "hunter2"})),
            "HELLO 3 auth ***");
  EXPECT_EQ(proxy::describe_postgres(pg('Q', "select\n  1\0"s)), "Q select 1");
  EXPECT_EQ(
      proxy::describe_postgres(pg('P', "s1\0select 2\0\0\0"s) + pg('B', "\0s1\0\0"s) + pg('S')),
      "PBS select 2");
  EXPECT_EQ(proxy::describe_postgres(pg('B', "\0s1\0\0"s) + pg('E', "\0\0\0\0\0"s) + pg('S')),
            "BES s1");
  EXPECT_EQ(proxy::describe_postgres(pg('S')), "S");
}

}  // namespace
}  // namespace assay::proxy_test
