// The gate before a real Redis, with hiredis for clients.
#include <gtest/gtest.h>

#include <thread>

#include "harness/contract/random.h"
#include "harness/proxy/lock_oracle.h"
#include "harness/proxy/proxy.h"
#include "tests/harness/proxy/conversations.h"
#include "tests/harness/proxy/real_stores.h"
#include "tests/harness/proxy/recorder.h"
#include "tests/harness/proxy/wire.h"

namespace assay::proxy_test {
namespace {

using namespace proxy;

class RedisProxy : public testing::Test {
 protected:
  void SetUp() override {
    backend = real_store("redis");
    if (!backend) GTEST_SKIP() << why_not("redis");
    begin(recorder);
    direct = std::make_unique<RedisClient>(backend->url(), upstream_of(backend->url())->port);
    direct->ask("FLUSHALL");
  }

  void begin(ProxyListener& listener) {
    auto started = GateProxy::start(*upstream_of(backend->url()), listener);
    ASSERT_TRUE(started.ok());
    proxy = std::move(*started);
  }

  RedisClient client(int number) { return {backend->url(), *proxy->add_client(number)}; }

  Answer step(int client) {
    EXPECT_TRUE(proxy->release(recorder.next_held(client).from).ok());
    return recorder.next_answer(client);
  }

  Backend* backend = nullptr;
  std::unique_ptr<RedisClient> direct;
  Recorder recorder;
  std::unique_ptr<GateProxy> proxy;
};

TEST_F(RedisProxy, IsNotNoticedByAClient) {
  const RedisClient one = client(1);
  EXPECT_EQ(one.ask("SET k v"), "OK");
  EXPECT_EQ(one.ask("EVAL return{1,{2,false,'x'},{}} 0"), "[1 [2 nil x] []]");
  EXPECT_EQ(one.ask("NOSUCH").substr(0, 9), "ERROR ERR");
}

TEST_F(RedisProxy, LetsTheOrderOfReleasesDecideWhoWins) {
  const RedisClient one = client(1), two = client(2);
  proxy->hold(true);
  for (const int first : {1, 2}) {
    direct->ask("DEL lock");
    auto a = one.ask_later("SETNX lock one");
    auto b = two.ask_later("SETNX lock two");
    const HeldRequest requests[] = {recorder.next_held(1), recorder.next_held(2)};
    EXPECT_EQ(requests[0].what, "SETNX lock one");
    EXPECT_TRUE(proxy->release(requests[first - 1].from).ok());
    recorder.next_answer(first);
    EXPECT_TRUE(proxy->release(requests[2 - first].from).ok());
    recorder.next_answer(3 - first);
    EXPECT_EQ(a.get(), first == 1 ? "1" : "0");
    EXPECT_EQ(b.get(), first == 2 ? "1" : "0");
  }
}

TEST_F(RedisProxy, HoldsEachCommandOfAPipelineAndOfATransaction) {
  const RedisClient one = client(1);
  proxy->hold(true);
  for (const char* command : {"MULTI", "INCR n", "EXEC", "INCR n"})
    redisAppendCommand(one.get(), command);
  std::jthread reading([&] {
    for (const std::string expected : {"OK", "QUEUED", "[1]", "2"}) {
      void* reply = nullptr;
      EXPECT_EQ(redisGetReply(one.get(), &reply), REDIS_OK);
      EXPECT_EQ(text_of(static_cast<redisReply*>(reply)), expected);
      freeReplyObject(reply);
    }
  });
  for (const std::string expected : {"MULTI", "INCR n", "EXEC", "INCR n"}) {
    const HeldRequest request = recorder.next_held(1);
    EXPECT_EQ(request.what, expected);
    EXPECT_TRUE(proxy->release(request.from).ok());
  }
}

TEST_F(RedisProxy, CutsBeforeDelivery) {
  const RedisClient one = client(1);
  proxy->hold(true);
  auto asked = one.ask_later("INCR n");
  ASSERT_TRUE(proxy->cut(recorder.next_held(1).from, Cut::before_delivery).ok());
  EXPECT_EQ(asked.get(), "LOST");
  recorder.next_closing(1);
  EXPECT_EQ(direct->ask("GET n"), "nil");
}

TEST_F(RedisProxy, CutsAfterDelivery) {
  const RedisClient one = client(1);
  proxy->hold(true);
  auto asked = one.ask_later("INCR n");
  ASSERT_TRUE(proxy->cut(recorder.next_held(1).from, Cut::after_delivery).ok());
  EXPECT_EQ(asked.get(), "LOST");
  recorder.next_closing(1);
  EXPECT_EQ(direct->ask("GET n"), "1");
}

TEST_F(RedisProxy, CutsAfterTheEffect) {
  const RedisClient one = client(1);
  proxy->hold(true);
  auto asked = one.ask_later("INCR n");
  ASSERT_TRUE(proxy->cut(recorder.next_held(1).from, Cut::after_effect).ok());
  EXPECT_EQ(asked.get(), "LOST");
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::ok);
  EXPECT_EQ(direct->ask("GET n"), "1");
}

TEST_F(RedisProxy, TakesNothingForABlockedClientThatWasCut) {
  const RedisClient one = client(1);
  proxy->hold(true);
  auto asked = one.ask_later("BLPOP q 0");
  ASSERT_TRUE(proxy->cut(recorder.next_held(1).from, Cut::after_delivery).ok());
  EXPECT_EQ(asked.get(), "LOST");
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::broken);
  recorder.next_closing(1);
  EXPECT_EQ(direct->ask("RPUSH q job"), "1");
  EXPECT_EQ(direct->ask("LLEN q"), "1");
}

TEST_F(RedisProxy, KnowsWhoWaitsInABlockingCommand) {
  auto oracle = lock_oracle(backend->url());
  ASSERT_TRUE(oracle.ok()) << oracle.error().message;
  const RedisClient one = client(1), two = client(2);
  proxy->hold(true);
  auto popped = one.ask_later("BLPOP q 0");
  const HeldRequest request = recorder.next_held(1);
  EXPECT_EQ(request.kind, RequestKind::blocking);
  ASSERT_TRUE(proxy->release(request.from).ok());
  const std::vector<StoreSession> all{*proxy->session({1, 1}), *proxy->session({2, 1})};
  const auto waiting = [&] { return (*oracle)->waiting(all, all).value(); };
  for (int tries = 0; tries < 100'000 && !waiting()[0]; ++tries) {
  }
  EXPECT_EQ(waiting(), (std::vector<bool>{true, false}));
  auto pushed = two.ask_later("RPUSH q job");
  EXPECT_EQ(step(2).outcome, Outcome::ok);
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::ok);
  EXPECT_EQ(popped.get(), "[q job]");
  EXPECT_EQ(pushed.get(), "1");
  EXPECT_EQ(waiting(), (std::vector<bool>{false, false}));
}

TEST_F(RedisProxy, HasAnOracleThatComesBack) {
  auto oracle = lock_oracle(backend->url());
  ASSERT_TRUE(oracle.ok());
  direct->ask("CLIENT KILL TYPE normal SKIPME yes");
  const std::vector<StoreSession> nobody{{0, "127.0.0.1:1"}};
  EXPECT_FALSE((*oracle)->waiting(nobody, nobody).ok());
  EXPECT_EQ((*oracle)->waiting(nobody, nobody).value(), std::vector<bool>{false});
  std::string wrong = backend->url();
  wrong.replace(wrong.find(password_in(wrong)), 3, "xyz");
  EXPECT_FALSE(lock_oracle(wrong).ok());
}

TEST_F(RedisProxy, SpeaksVersionThree) {
  const Wire wire = Wire::to(*proxy->add_client(1));
  proxy->hold(true);
  wire.say(resp({"HELLO", "3", "AUTH", "default", password_in(backend->url())}) +
           resp({"SUBSCRIBE", "news"}) + resp({"CONFIG", "GET", "port"}));
  EXPECT_EQ(step(1).outcome, Outcome::ok);
  EXPECT_EQ(direct->ask("PUBLISH news hello"), "1");
  EXPECT_EQ(recorder.next_push(1), ">3 $7 message $4 news $5 hello ");
  EXPECT_EQ(step(1).outcome, Outcome::ok);
}

// Many clients, each of which counts, and a scheduler on another thread that lets them.
TEST_F(RedisProxy, LosesNothingUnderLoad) {
  constexpr int clients = 6, each = 200;
  std::vector<std::unique_ptr<RedisClient>> all;
  for (int i = 0; i < clients; ++i) all.push_back(std::make_unique<RedisClient>(client(i)));
  proxy->hold(true);
  std::vector<std::jthread> threads;
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&, i] {
      for (int n = 1; n <= each; ++n) {
        EXPECT_EQ(all[static_cast<std::size_t>(i)]->ask("INCR n" + std::to_string(i)),
                  std::to_string(n));
      }
    });
  for (int n = 0; n < each; ++n)
    for (int i = 0; i < clients; ++i) EXPECT_TRUE(proxy->release(recorder.next_held(i).from).ok());
  threads.clear();
  for (int i = 0; i < clients; ++i) {
    for (int n = 0; n < each; ++n) EXPECT_EQ(recorder.next_answer(i).outcome, Outcome::ok);
    EXPECT_EQ(direct->ask("GET n" + std::to_string(i)), std::to_string(each));
  }
}

// Clients come, ask, are cut and go, while everything is switched on and off.
TEST_F(RedisProxy, SurvivesAStorm) {
  constexpr int clients = 4;
  std::vector<int> ports;
  for (int i = 0; i < clients; ++i) ports.push_back(*proxy->add_client(i));
  std::stop_source stop;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < clients; ++i)
      threads.emplace_back([&, i] {
        Random random(static_cast<std::uint64_t>(i));
        while (!stop.stop_requested()) {
          const Wire wire = Wire::to(ports[static_cast<std::size_t>(i)]);
          wire.say(resp({"AUTH", password_in(backend->url())}));
          for (auto n = random.below(5); n > 0; --n) wire.say(resp({"INCR", "storm"}));
          if (random.below(4) == 0) wire.say("*1\r\n$99999999999\r\n");
          wire.is_readable(static_cast<int>(random.below(3)));
        }
      });
    Random random(99);
    for (int round = 0; round < 3000; ++round) {
      const int one = static_cast<int>(random.below(clients));
      const ConnectionId id{one, 1 + random.below(1 + static_cast<std::uint64_t>(round) / 4)};
      const std::uint64_t what = random.below(8);
      if (what == 0) proxy->hold(random.below(2) == 0);
      if (what == 1) static_cast<void>(proxy->hold(one, random.below(2) == 0));
      if (what == 2) static_cast<void>(proxy->cut(id, static_cast<Cut>(random.below(3))));
      if (what == 3) static_cast<void>(proxy->session(id));
      if (what > 3) static_cast<void>(proxy->release(id));
    }
    proxy->hold(false);
    stop.request_stop();
  }
  const RedisClient after = client(clients);
  EXPECT_EQ(after.ask("PING"), "PONG");
}

}  // namespace
}  // namespace assay::proxy_test
