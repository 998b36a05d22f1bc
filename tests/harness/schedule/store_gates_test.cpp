// On real servers, with clients that know nothing of us.
#include "harness/schedule/store_gates.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "harness/schedule/strategy.h"
#include "tests/harness/proxy/real_stores.h"

namespace assay {
namespace {

using proxy_test::PgClient;
using proxy_test::real_store;
using proxy_test::RedisClient;
using proxy_test::why_not;

using Bodies = std::vector<std::function<void()>>;

int port_in(const std::string& url) {
  const std::size_t at = url.find("127.0.0.1:");
  return at == std::string::npos ? 0 : std::atoi(url.c_str() + at + 10);
}

class Gated : public testing::Test {
 protected:
  void begin(const std::string& name) {
    backend = real_store(name);
    if (!backend) GTEST_SKIP() << why_not(name);
    auto made = store_gates(backend->url());
    ASSERT_TRUE(made.ok()) << made.error().message;
    gates = std::move(*made);
  }

  Explored run(const Bodies& bodies, const std::vector<int>& choices) const {
    Replayed strategy(choices);
    std::vector<int> clients;
    for (std::size_t i = 0; i < bodies.size(); ++i) clients.push_back(static_cast<int>(i));
    return gates->run(bodies, strategy, clients);
  }

  Backend* backend = nullptr;
  std::unique_ptr<StoreGates> gates;
};

class GatedPostgres : public Gated {
 protected:
  void SetUp() override {
    begin("postgres");
    if (!backend) return;
    direct = std::make_unique<PgClient>(backend->url());
    direct->ask("DROP TABLE IF EXISTS t, log");
    direct->ask("CREATE TABLE t (id int PRIMARY KEY, n int)");
    direct->ask("CREATE TABLE log (at serial, who int)");
    direct->ask("INSERT INTO t VALUES (1, 0), (2, 0)");
    for (int i = 0; i < 4; ++i) clients.push_back(std::make_unique<PgClient>(*gates->url_of(i)));
  }

  std::string ask(int client, const std::string& sql) {
    return clients[static_cast<std::size_t>(client)]->ask(sql);
  }

  // Who did it first, ...
  std::string order() {
    return direct->ask("SELECT string_agg(who::text, '' ORDER BY at) FROM log");
  }

  std::unique_ptr<PgClient> direct;
  std::vector<std::unique_ptr<PgClient>> clients;
};

class GatedRedis : public Gated {
 protected:
  void SetUp() override {
    begin("redis");
    if (!backend) return;
    direct = std::make_unique<RedisClient>(backend->url(), port_in(backend->url()));
    direct->ask("DEL k l");
    for (int i = 0; i < 3; ++i)
      clients.push_back(std::make_unique<RedisClient>(backend->url(), port_in(*gates->url_of(i))));
  }

  std::string ask(int client, const std::string& command) {
    return clients[static_cast<std::size_t>(client)]->ask(command);
  }

  std::unique_ptr<RedisClient> direct;
  std::vector<std::unique_ptr<RedisClient>> clients;
};

TEST_F(GatedRedis, MakesEachRequestAMove) {
  const Bodies bodies{[&] { ask(0, "RPUSH l a"), ask(0, "RPUSH l b"); },
                      [&] { ask(1, "RPUSH l c"), ask(1, "RPUSH l d"); }};
  // A first move brings each client to its first request.
  const Explored explored = run(bodies, {0, 1, 1, 0, 1, 0});
  const auto trips = gates->take_trips();
  EXPECT_EQ(explored.moves, (std::vector<int>{0, 1, 1, 0, 1, 0}));
  EXPECT_FALSE(explored.lost_sight);
  EXPECT_EQ(direct->ask("LRANGE l 0 -1"), "[c a d b]");
  ASSERT_EQ(trips.size(), 4u);
  EXPECT_EQ(trips[0], (Trip{1, "RPUSH l c"}));
  EXPECT_EQ(trips[1], (Trip{0, "RPUSH l a"}));
}

TEST_F(GatedRedis, GoesOnPastAClientThatWaitsInABlockingCommand) {
  for (int times = 0; times < 5; ++times) {
    std::string got;
    const Explored explored =
        run({[&] { got = ask(0, "BLPOP l 0"); }, [&] { ask(1, "RPUSH l x"), ask(1, "GET k"); }},
            {0, 0, 1, 1, 0, 1});
    EXPECT_EQ(got, "[l x]");
    EXPECT_FALSE(explored.lost_sight);
    EXPECT_TRUE(explored.deadlock.empty());
    EXPECT_EQ(explored.moves, (std::vector<int>{0, 0, 1, 1, 0, 1}));
  }
}

TEST_F(GatedRedis, LetsTheTimeOutPassOfABlockingCommandThatNobodyWillEnd) {
  std::string got;
  const Explored explored = run({[&] { got = ask(0, "BLPOP l 0"); }, [&] { ask(1, "GET k"); }}, {});
  EXPECT_EQ(got, "nil");
  EXPECT_TRUE(explored.deadlock.empty());
  EXPECT_TRUE(explored.hung.empty());
}

TEST_F(GatedRedis, SaysThatARequestOfAHiddenThreadWasNotDecided) {
  std::atomic<bool> ended = false;
  const Explored explored = run({[&] { ask(0, "GET k"); },
                                 [&] {
                                   // Client 0 has ended by then.
                                   std::thread hidden([&] { ask(0, "GET k"); });
                                   hidden.join();
                                   ask(1, "GET k");
                                   ended = true;
                                 }},
                                {0, 0, 1, 1});
  EXPECT_TRUE(ended);
  EXPECT_TRUE(explored.lost_sight);
  EXPECT_TRUE(explored.hung.empty());
}

TEST_F(GatedRedis, CutsAClientOffAtTheRequestThatIsAskedFor) {
  for (const auto where :
       {CutPoint::before_delivery, CutPoint::after_delivery, CutPoint::after_effect}) {
    RedisClient victim(backend->url(), port_in(*gates->url_of(0)));
    direct->ask("DEL l");
    gates->begin_call(0, Cut{2, where});
    EXPECT_EQ(victim.ask("RPUSH l a"), "1");
    EXPECT_EQ(victim.ask("RPUSH l b"), "LOST");
    const auto ended = gates->end_call(0);
    EXPECT_EQ(ended.gates, 2);
    EXPECT_TRUE(ended.was_cut);
    // What was delivered takes effect, if not at once.
    const std::string wanted = where == CutPoint::before_delivery ? "[a]" : "[a b]";
    std::string found;
    for (int tries = 0; tries < 6000 && found != wanted; ++tries)
      found = direct->ask("LRANGE l 0 -1");
    EXPECT_EQ(found, wanted);
  }
}

TEST_F(GatedPostgres, GoesOnPastAClientThatWaitsForALock) {
  for (int times = 0; times < 10; ++times) {
    std::string second;
    const Explored explored = run({[&] {
                                     ask(0, "BEGIN"), ask(0, "UPDATE t SET n = n + 1 WHERE id = 1");
                                     ask(0, "COMMIT");
                                   },
                                   [&] { second = ask(1, "UPDATE t SET n = n + 1 WHERE id = 1"); }},
                                  {0, 0, 0, 1, 1, 0, 1});
    EXPECT_EQ(second, "UPDATE 1");
    EXPECT_FALSE(explored.lost_sight);
    EXPECT_TRUE(explored.deadlock.empty());
    EXPECT_EQ(explored.moves, (std::vector<int>{0, 0, 0, 1, 1, 0, 1}));
  }
  EXPECT_EQ(direct->ask("SELECT n FROM t WHERE id = 1"), "20");
}

// One unlock frees all three at once, whoever came first: without us they would race in the server.
TEST_F(GatedPostgres, WakesThoseThatWaitForOneLockInTheOrderOfTheSchedule) {
  const auto waiter = [&](int me) {
    return [&, me] {
      ask(me, "INSERT INTO log (who) SELECT " + std::to_string(me) +
                  " FROM (SELECT pg_advisory_xact_lock_shared(5) OFFSET 0) freed");
    };
  };
  const Bodies bodies{[&] {
                        ask(0, "SELECT pg_advisory_lock(5)");
                        ask(0, "SELECT pg_advisory_unlock(5)");
                      },
                      waiter(1), waiter(2), waiter(3)};
  for (const auto& [choices, wanted] : std::vector<std::pair<std::vector<int>, std::string>>{
           {{0, 0, 1, 1, 2, 2, 3, 3, 0, 3, 1, 2}, "312"},
           {{0, 0, 1, 1, 2, 2, 3, 3, 0, 2, 3, 1}, "231"}})
    for (int times = 0; times < 5; ++times) {
      direct->ask("TRUNCATE log");
      const Explored explored = run(bodies, choices);
      EXPECT_EQ(order(), wanted);
      EXPECT_FALSE(explored.lost_sight);
    }
}

TEST_F(GatedPostgres, LetsTheStoreEndADeadlockOfItsOwnTheSameWayEachTime) {
  const auto crossing = [&](int me, int first, int then, std::string& last) {
    return [&, me, first, then] {
      const auto update = [](int id) {
        return "UPDATE t SET n = n + 1 WHERE id = " + std::to_string(id);
      };
      ask(me, "BEGIN"), ask(me, update(first));
      last = ask(me, update(then));
      ask(me, "COMMIT");
    };
  };
  std::vector<int> moves;
  for (int times = 0; times < 3; ++times) {
    std::string one, other;
    const Explored explored =
        run({crossing(0, 1, 2, one), crossing(1, 2, 1, other)}, {0, 0, 0, 1, 1, 1, 0, 1});
    EXPECT_EQ(one, "UPDATE 1");
    EXPECT_EQ(other, "ERROR 40P01");
    EXPECT_TRUE(explored.deadlock.empty());
    EXPECT_FALSE(explored.lost_sight);
    if (times == 0) moves = explored.moves;
    EXPECT_EQ(explored.moves, moves);
  }
}

TEST_F(GatedPostgres, TellsOfALockThatNobodyWillEverFree) {
  std::string waited;
  const Explored explored = run({[&] { ask(0, "SELECT pg_advisory_lock(7)"); },
                                 [&] { waited = ask(1, "SELECT pg_advisory_lock(7)"); }},
                                {0, 0, 1, 1});
  EXPECT_EQ(waited.substr(0, 5), "ERROR");
  ASSERT_EQ(explored.deadlock.size(), 1u);
  EXPECT_EQ(explored.deadlock[0].client, 1);
  EXPECT_EQ(explored.deadlock[0].for_what,
            "client 0 of the plan, in the store: Q SELECT pg_advisory_lock(7)");
  ask(0, "SELECT pg_advisory_unlock_all()");
}

TEST(StoreGates, RefusesAStoreThatIsReachedByTlsAlone) {
  const auto gates = store_gates("postgresql://me@127.0.0.1:1/db?sslmode=require");
  ASSERT_FALSE(gates.ok());
  EXPECT_NE(gates.error().message.find("TLS"), std::string::npos) << gates.error().message;
}

}  // namespace
}  // namespace assay
