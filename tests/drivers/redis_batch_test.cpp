// Many calls at once: each is answered as if it had been made alone after the one before, whatever
// becomes of the others.
#include <signal.h>

#include "drivers/redis/detail/scripts.h"
#include "tests/drivers/redis_fixture.h"

namespace assay::redis_test {
namespace {

template <class T>
std::string shown(const Result<T>& answer) {
  if (!answer.ok())
    return std::string(name_of(answer.error().code)) + ": " + answer.error().message +
           (is_definite(answer.error()) ? "" : " (indefinite)");
  if constexpr (std::is_same_v<T, Enqueued>)
    return answer->id + (answer->existed ? " existed" : " is new");
  return "ok";
}

template <class T>
std::vector<std::string> shown(const std::vector<Result<T>>& answers) {
  std::vector<std::string> all;
  for (const Result<T>& answer : answers) all.push_back(shown(answer));
  return all;
}

// More than are sent at once, by number and by size.
std::vector<Enqueue> requests_of_every_kind() {
  std::vector<Enqueue> requests;
  for (int i = 0; i < 2500; ++i) {
    NewJob job{.queue = "q", .type = "t"};
    if (i % 10 == 1) job.id = "id" + std::to_string(i % 100);
    if (i % 10 == 2) job.key = "key" + std::to_string(i % 100);
    if (i % 10 == 3) job.queue.clear();
    if (i % 10 == 4) job.max_attempts = -1;
    if (i % 10 == 5) job.priority = i;
    if (i % 500 == 1) job.payload = std::string(1 << 20, 'x');
    requests.push_back({job});
  }
  return requests;
}

TEST(Words, KnowEachOfThemAndCanBeginAnew) {
  rds::Words words{"EVALSHA", "digest", "1", "root"};
  words.add("").add(std::int64_t{7}).add(std::string_view("a\r\n$3\r\nb", 8));
  EXPECT_EQ(words.word(0), "EVALSHA");
  EXPECT_EQ(words.word(4), "");
  EXPECT_EQ(words.word(5), "7");
  EXPECT_EQ(words.word(6), std::string_view("a\r\n$3\r\nb", 8));
  const rds::Words anew = words.headed({"EVALSHA", "other", "2", "seen"}, 3);
  EXPECT_EQ(anew.word(3), "seen");
  EXPECT_EQ(anew.word(4), "root");
  EXPECT_EQ(anew.word(7), words.word(6));
  std::string text;
  anew.append_to(text);
  EXPECT_TRUE(text.starts_with("*8\r\n")) << text;
}

TEST_F(Redis, AnswersManyEnqueuesAsItDoesOneByOne) {
  Rig one(reference(), {"one"}), all(reference(), {"all"});
  const std::vector<Enqueue> requests = requests_of_every_kind();
  std::vector<Result<Enqueued>> singly;
  for (const Enqueue& request : requests)
    singly.push_back(one.session->enqueue(run_epoch, request));
  EXPECT_EQ(shown(all.session->enqueue_all(run_epoch, requests)), shown(singly));
  EXPECT_EQ(all.reserve(5000).size(), one.reserve(5000).size());
  EXPECT_TRUE(all.session->enqueue_all(run_epoch, {}).empty());
}

TEST_F(Redis, AnswersManyAcksAsItDoesOneByOne) {
  std::vector<std::string> answers[2];
  for (const bool at_once : {false, true}) {
    Rig rig;
    for (int i = 0; i < 1200; ++i) rig.enqueue();
    std::vector<Ack> acks;
    for (const Claim& claim : rig.reserve(1200)) acks.push_back({hold_of(claim)});
    acks.push_back(acks[0]);
    acks.push_back({{"", "", {}}});
    acks.push_back({{"nobody", "x", {}}});
    acks[7].hold.token = "forged";
    if (at_once)
      answers[1] = shown(rig.session->ack_all(run_epoch, acks));
    else
      for (const Ack& ack : acks) answers[0].push_back(shown(rig.session->ack(run_epoch, ack)));
    EXPECT_EQ(rig.session->list(run_epoch, {"q", JobState::done, 2000, {}}).value().jobs.size(),
              1199u);
  }
  EXPECT_EQ(answers[0], answers[1]);
}

TEST_F(Redis, RefusesManyAfterTheClose) {
  Rig rig;
  const std::vector<Enqueue> two(2, Enqueue{NewJob{.queue = "q", .type = "t"}});
  ASSERT_TRUE(rig.session->close().ok());
  for (const auto& answer : rig.session->enqueue_all(run_epoch, two))
    EXPECT_EQ(answer.error().code, ErrorCode::closed);
}

TEST_F(Redis, LoadsItsScriptsAgainWithinMany) {
  rds::Connection connection(rds::parse_location(server()->url()).value());
  rds::Scripts scripts(reference());
  scripts.load(connection);
  std::vector<rds::Words> commands;
  const auto attach = [&] {
    commands.push_back(scripts.begin(rds::Op::create, "assay:{nobodys}"));
    commands.back().add("0").add("attach");
  };
  attach();
  commands.push_back({"SCRIPT", "FLUSH"});
  attach();
  attach();
  const auto answers = scripts.run_all(rds::Op::create, connection, commands);
  ASSERT_EQ(answers.size(), 4u);
  for (const std::size_t i : {0u, 2u, 3u}) {
    ASSERT_TRUE(std::holds_alternative<rds::Reply>(answers[i])) << i;
    EXPECT_EQ(std::get<rds::Reply>(answers[i])[1].text(), "missing");
  }
}

TEST_F(Redis, LoadsItsScriptsAgainForMany) {
  Rig rig;
  command({"SCRIPT", "FLUSH"});
  const std::vector<Enqueue> three(3, Enqueue{NewJob{.queue = "q", .type = "t"}});
  for (const auto& answer : rig.session->enqueue_all(run_epoch, three)) EXPECT_TRUE(answer.ok());
  EXPECT_EQ(rig.reserve(9).size(), 3u);
}

// The server ends the connection between the second command and the third.
TEST_F(Redis, LeavesOpenWhatAnEndedConnectionDidNotAnswer) {
  rds::Connection connection(rds::parse_location(server()->url()).value());
  std::vector<rds::Words> commands;
  commands.push_back({"ECHO", "one"});
  commands.push_back({"QUIT"});
  commands.push_back({"ECHO", "three"});
  const auto answers = connection.ask_all(commands);
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(std::get<rds::Reply>(answers[0]).value().text(), "one");
  EXPECT_EQ(std::get<rds::Reply>(answers[1]).value().text(), "OK");
  EXPECT_FALSE(is_definite(rds::to_error(std::get<rds::Failure>(answers[2]), "it")));
  EXPECT_EQ(connection.ask({"ECHO", "again"}).value().text(), "again");
}

TEST_F(Redis, ManyOnAStoppedServerAreLeftOpen) {
  const auto mine = RedisServer::start().value();
  Rig rig(reference(), {"test"}, mine->url() + "?timeout_ms=1000");
  rig.enqueue();
  const std::vector<Enqueue> three(3, Enqueue{NewJob{.queue = "q", .type = "t"}});
  ::kill(mine->pid(), SIGSTOP);
  const auto answers = rig.session->enqueue_all(run_epoch, three);
  ::kill(mine->pid(), SIGCONT);
  ASSERT_EQ(answers.size(), 3u);
  for (const auto& answer : answers) EXPECT_FALSE(is_definite(answer.error()));
  mine->kill();
  for (const auto& answer : rig.session->enqueue_all(run_epoch, three))
    EXPECT_TRUE(is_definite(answer.error())) << answer.error().message;
}

// So large that it cannot leave us while the server stands still: what is behind it was not sent.
TEST_F(Redis, WhatWasNotSentHadNoEffect) {
  const auto mine = RedisServer::start().value();
  rds::Connection connection(rds::parse_location(mine->url() + "?timeout_ms=1000").value());
  connection.run({"PING"});
  std::vector<rds::Words> commands;
  commands.push_back({"SET", "a", std::string(64 << 20, 'x')});
  commands.push_back({"SET", "b", "1"});
  ::kill(mine->pid(), SIGSTOP);
  const auto answers = connection.ask_all(commands);
  ::kill(mine->pid(), SIGCONT);
  EXPECT_FALSE(is_definite(rds::to_error(std::get<rds::Failure>(answers[0]), "it")));
  EXPECT_TRUE(is_definite(rds::to_error(std::get<rds::Failure>(answers[1]), "it")));
}

}  // namespace
}  // namespace assay::redis_test
