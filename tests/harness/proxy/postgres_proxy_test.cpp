// The gate before a real Postgres, with libpq and libpqxx for clients.
#include <gtest/gtest.h>

#include <pqxx/pqxx>

#include "harness/proxy/lock_oracle.h"
#include "harness/proxy/proxy.h"
#include "tests/harness/proxy/real_stores.h"
#include "tests/harness/proxy/recorder.h"

namespace assay::proxy_test {
namespace {

using namespace proxy;
using namespace std::string_literals;

class PostgresProxy : public testing::Test {
 protected:
  void SetUp() override {
    backend = real_store("postgres");
    if (!backend) GTEST_SKIP() << why_not("postgres");
    direct = std::make_unique<PgClient>(backend->url());
    ASSERT_TRUE(direct->is_connected()) << direct->error();
    direct->ask("drop table if exists job; create table job (id int primary key, owner text)");
    direct->ask("insert into job values (1, null), (2, null)");
    auto started = GateProxy::start(*upstream_of(backend->url()), recorder);
    ASSERT_TRUE(started.ok());
    proxy = std::move(*started);
  }

  std::string url(int client) { return url_through(backend->url(), *proxy->add_client(client)); }

  // Lets the next request of this client through, and waits for its answer.
  Answer step(int client) {
    EXPECT_TRUE(proxy->release(recorder.next_held(client).from).ok());
    return recorder.next_answer(client);
  }

  std::string owner(int id = 1) {
    return direct->ask("select coalesce(owner, 'nobody') from job where id = " +
                       std::to_string(id));
  }

  // Until the server has begun, there is nothing to disturb.
  void wait_for_sleep() {
    for (int tries = 0; tries < 100'000; ++tries)
      if (direct->ask("select count(*) from pg_stat_activity where wait_event = 'PgSleep'") != "0")
        return;
  }

  Backend* backend = nullptr;
  std::unique_ptr<PgClient> direct;
  Recorder recorder;
  std::unique_ptr<GateProxy> proxy;
};

const std::string claim_as = "update job set owner = coalesce(owner, '";

TEST_F(PostgresProxy, IsNotNoticedByAClient) {
  pqxx::connection connection(url(1));
  pqxx::work work(connection);
  EXPECT_EQ(work.exec1("select 41 + 1")[0].as<int>(), 42);
  EXPECT_EQ(work.exec_params1("select $1::int * 2", 21)[0].as<int>(), 42);
  work.commit();
  const auto session = proxy->session({1, 1});
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session->backend_pid, connection.backendpid());
}

TEST_F(PostgresProxy, CarriesEveryLogin) {
  direct->ask("drop role if exists scram_user");
  direct->ask("set password_encryption = 'scram-sha-256'");
  EXPECT_EQ(direct->ask("create role scram_user login password 's3cret'"), "CREATE ROLE");
  std::string through = url(1);
  EXPECT_TRUE(PgClient(through).is_connected()) << "md5";
  const std::size_t begin = through.find("://") + 3, end = through.find('@');
  through.replace(begin, end - begin, "scram_user:s3cret");
  proxy->hold(true);
  EXPECT_TRUE(PgClient(through).is_connected()) << "SCRAM, also while requests are held";
  through.replace(through.find("s3cret"), 6, "wrong1");
  const PgClient wrong(through);
  EXPECT_FALSE(wrong.is_connected());
  EXPECT_NE(wrong.error().find("password authentication failed"), std::string::npos);
}

TEST_F(PostgresProxy, LetsTheOrderOfReleasesDecideWhoWins) {
  const PgClient one(url(1)), two(url(2));
  proxy->hold(true);
  for (const int first : {1, 2}) {
    direct->ask("update job set owner = null");
    auto a = one.ask_later(claim_as + "one') where id = 1");
    auto b = two.ask_later(claim_as + "two') where id = 1");
    const HeldRequest of_one = recorder.next_held(1), of_two = recorder.next_held(2);
    EXPECT_EQ(owner(), "nobody");
    EXPECT_TRUE(of_one.what.starts_with("Q update job set owner"));
    EXPECT_TRUE(proxy->release(first == 1 ? of_one.from : of_two.from).ok());
    EXPECT_EQ(recorder.next_answer(first).outcome, Outcome::ok);
    EXPECT_TRUE(proxy->release(first == 1 ? of_two.from : of_one.from).ok());
    EXPECT_EQ(recorder.next_answer(3 - first).outcome, Outcome::ok);
    EXPECT_EQ(a.get(), "UPDATE 1");
    EXPECT_EQ(b.get(), "UPDATE 1");
    EXPECT_EQ(owner(), first == 1 ? "one" : "two");
  }
}

TEST_F(PostgresProxy, CutsBeforeDelivery) {
  const PgClient client(url(1));
  proxy->hold(true);
  auto asked = client.ask_later(claim_as + "one') where id = 1");
  ASSERT_TRUE(proxy->cut(recorder.next_held(1).from, Cut::before_delivery).ok());
  EXPECT_EQ(asked.get(), "ERROR");
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::withdrawn);
  recorder.next_closing(1);
  EXPECT_EQ(owner(), "nobody");
}

TEST_F(PostgresProxy, CutsAfterDelivery) {
  const PgClient client(url(1));
  proxy->hold(true);
  direct->ask("begin; update job set owner = null where id = 1");
  auto asked = client.ask_later(claim_as + "one') where id = 1");
  ASSERT_TRUE(proxy->cut(recorder.next_held(1).from, Cut::after_delivery).ok());
  EXPECT_EQ(asked.get(), "ERROR") << "its client does not wait for the lock";
  EXPECT_EQ(recorder.answers(1), 0u);
  direct->ask("commit");
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::ok);
  recorder.next_closing(1);
  EXPECT_EQ(owner(), "one");
}

TEST_F(PostgresProxy, CutsAfterTheEffect) {
  const PgClient client(url(1));
  proxy->hold(true);
  auto asked = client.ask_later(claim_as + "one') where id = 1");
  ASSERT_TRUE(proxy->cut(recorder.next_held(1).from, Cut::after_effect).ok());
  EXPECT_EQ(asked.get(), "ERROR");
  const Answer answer = recorder.next_answer(1);
  EXPECT_EQ(answer.outcome, Outcome::ok);
  EXPECT_FALSE(answer.seen);
  EXPECT_EQ(owner(), "one");
}

TEST_F(PostgresProxy, FreesTheLocksOfACutConnectionBeforeItSaysClosed) {
  const PgClient client(url(1));
  EXPECT_EQ(client.ask("begin"), "BEGIN");
  EXPECT_EQ(client.ask(claim_as + "one') where id = 1"), "UPDATE 1");
  proxy->hold(true);
  auto asked = client.ask_later("commit");
  ASSERT_TRUE(proxy->cut(recorder.next_held(1).from, Cut::before_delivery).ok());
  asked.get();
  recorder.next_closing(1);
  EXPECT_EQ(direct->ask("select id from job where id = 1 for update nowait"), "1");
}

TEST_F(PostgresProxy, HoldsAPreparedStatementAsOneStep) {
  const PgClient client(url(1));
  proxy->hold(true);
  auto asked = std::async(std::launch::async, [&] { return client.ask_prepared("select 7"); });
  EXPECT_EQ(recorder.next_held(1).what, "PBDES select 7");
  EXPECT_TRUE(proxy->release({1, 1}).ok());
  EXPECT_EQ(asked.get(), "7");
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::ok);
}

TEST_F(PostgresProxy, HoldsEachGroupOfAPipeline) {
  const PgClient client(url(1));
  proxy->hold(true);
  PGconn* connection = client.get();
  ASSERT_EQ(PQenterPipelineMode(connection), 1);
  for (const char* sql : {"select 1", "select 1/0", "select 3"}) {
    ASSERT_EQ(PQsendQueryParams(connection, sql, 0, nullptr, nullptr, nullptr, nullptr, 0), 1);
    ASSERT_EQ(PQpipelineSync(connection), 1);
  }
  for (const Outcome outcome : {Outcome::ok, Outcome::error, Outcome::ok})
    EXPECT_EQ(step(1).outcome, outcome);
  EXPECT_EQ(recorder.helds(1), 0u);
}

TEST_F(PostgresProxy, HoldsAFlushAsAStepOfItsOwn) {
  const PgClient client(url(1));
  proxy->hold(true);
  PGconn* connection = client.get();
  ASSERT_EQ(PQenterPipelineMode(connection), 1);
  ASSERT_EQ(PQsendQueryParams(connection, "select 5", 0, nullptr, nullptr, nullptr, nullptr, 0), 1);
  ASSERT_EQ(PQsendFlushRequest(connection), 1);
  ASSERT_EQ(PQflush(connection), 0);
  EXPECT_EQ(step(1).outcome, Outcome::ok);
  PGresult* result = PQgetResult(connection);
  EXPECT_EQ(std::string(PQgetvalue(result, 0, 0)), "5");
  PQclear(result);
  ASSERT_EQ(PQpipelineSync(connection), 1);
  EXPECT_EQ(recorder.next_held(1).what, "S");
  EXPECT_TRUE(proxy->release({1, 1}).ok());
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::ok);
}

TEST_F(PostgresProxy, TellsOfAnError) {
  const PgClient client(url(1));
  proxy->hold(true);
  auto asked = client.ask_later("select 1/0");
  EXPECT_EQ(step(1).outcome, Outcome::error);
  EXPECT_EQ(asked.get(), "ERROR 22012");
}

TEST_F(PostgresProxy, RefusesCopyToThoseThatAreHeldAndGoesOn) {
  const PgClient client(url(1));
  proxy->hold(true);
  for (const bool prepared : {false, true})
    for (const std::string copy : {"copy job from stdin", "copy job to stdout"}) {
      auto asked = std::async(std::launch::async, [&] {
        return prepared ? client.ask_prepared(copy) : client.ask(copy);
      });
      EXPECT_EQ(step(1).outcome, Outcome::error) << copy;
      EXPECT_EQ(recorder.next_refusal(1),
                "COPY cannot be held at a gate: it is no request with one answer");
      const std::string answer = asked.get();
      EXPECT_TRUE(answer == "ERROR 57014" || answer == "ERROR 0A000") << answer;
      auto again = client.ask_later("select 6");
      EXPECT_EQ(step(1).outcome, Outcome::ok);
      EXPECT_EQ(again.get(), "6");
    }
}

TEST_F(PostgresProxy, LetsCopyPassWhereNothingIsHeld) {
  const PgClient client(url(1));
  EXPECT_EQ(client.ask("copy job from stdin"), "COPY IN");
  EXPECT_EQ(PQputCopyData(client.get(), "8\tme\n", 5), 1);
  proxy->hold(true);
  EXPECT_EQ(PQputCopyEnd(client.get(), nullptr), 1);
  PGresult* result = PQgetResult(client.get());
  EXPECT_EQ(std::string(PQcmdStatus(result)), "COPY 1");
  PQclear(result);
  EXPECT_EQ(PQgetResult(client.get()), nullptr);
  auto asked = client.ask_later("select 6");
  EXPECT_EQ(step(1).outcome, Outcome::ok);
  EXPECT_EQ(asked.get(), "6");
}

TEST_F(PostgresProxy, RefusesAClientThatInsistsOnTls) {
  EXPECT_FALSE(PgClient(url(1) + "?sslmode=require").is_connected());
  EXPECT_EQ(recorder.next_refusal(1),
            "the client insists on TLS, which hides what it asks: have it connect without "
            "(sslmode=disable)");
  EXPECT_TRUE(PgClient(url(2) + "?sslmode=prefer").is_connected());
}

TEST_F(PostgresProxy, PassesACancellationOn) {
  const PgClient client(url(1));
  proxy->hold(true);
  auto asked = client.ask_later("select pg_sleep(600)");
  ASSERT_TRUE(proxy->release(recorder.next_held(1).from).ok());
  wait_for_sleep();
  PGcancel* cancel = PQgetCancel(client.get());
  char why[256];
  EXPECT_EQ(PQcancel(cancel, why, sizeof why), 1) << why;
  PQfreeCancel(cancel);
  EXPECT_EQ(asked.get(), "ERROR 57014");
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::error);
}

TEST_F(PostgresProxy, TellsOfNotifications) {
  const PgClient client(url(1));
  EXPECT_EQ(client.ask("listen news"), "LISTEN");
  proxy->hold(true);
  direct->ask("notify news, 'hello'");
  EXPECT_NE(recorder.next_push(1).find("news"), std::string::npos);
}

TEST_F(PostgresProxy, KnowsWhoWaitsForALock) {
  auto oracle = lock_oracle(backend->url());
  ASSERT_TRUE(oracle.ok()) << oracle.error().message;
  const PgClient one(url(1)), two(url(2));
  EXPECT_EQ(one.ask("begin"), "BEGIN");
  EXPECT_EQ(one.ask(claim_as + "one') where id = 1"), "UPDATE 1");
  proxy->hold(true);
  auto blocked = two.ask_later(claim_as + "two') where id = 1");
  ASSERT_TRUE(proxy->release(recorder.next_held(2).from).ok());
  const std::vector<StoreSession> all{*proxy->session({1, 1}), *proxy->session({2, 1})};
  const auto waiting = [&] { return (*oracle)->waiting(all, all).value(); };
  for (int tries = 0; tries < 100'000 && !waiting()[1]; ++tries) {
  }
  EXPECT_EQ(waiting(), (std::vector<bool>{false, true}));
  EXPECT_EQ(recorder.answers(2), 0u);
  auto committed = one.ask_later("commit");
  EXPECT_EQ(step(1).outcome, Outcome::ok);
  EXPECT_EQ(recorder.next_answer(2).outcome, Outcome::ok);
  EXPECT_EQ(waiting(), (std::vector<bool>{false, false}));
  committed.get();
  blocked.get();
}

TEST_F(PostgresProxy, HasAnOracleThatComesBack) {
  auto oracle = lock_oracle(backend->url());
  ASSERT_TRUE(oracle.ok());
  direct->ask(
      "select pg_terminate_backend(pid) from pg_stat_activity "
      "where application_name = 'assay oracle'");
  const std::vector<StoreSession> nobody{{1, ""}};
  EXPECT_FALSE((*oracle)->waiting(nobody, nobody).ok());
  EXPECT_EQ((*oracle)->waiting(nobody, nobody).value(), std::vector<bool>{false});
}

TEST_F(PostgresProxy, TellsOfABackendThatIsKilled) {
  const PgClient client(url(1));
  proxy->hold(true);
  auto asked = client.ask_later("select pg_sleep(600)");
  ASSERT_TRUE(proxy->release(recorder.next_held(1).from).ok());
  wait_for_sleep();
  const int pid = proxy->session({1, 1})->backend_pid;
  direct->ask("select pg_terminate_backend(" + std::to_string(pid) + ")");
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::broken);
  EXPECT_TRUE(asked.get().starts_with("ERROR"));
  EXPECT_NE(client.error().find("terminating connection"), std::string::npos) << client.error();
  EXPECT_EQ(recorder.next_closing(1), "the store closed");
}

}  // namespace
}  // namespace assay::proxy_test
