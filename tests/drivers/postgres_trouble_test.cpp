// The postgres driver in trouble: servers that cannot be used, connections that break, schemas that
// are not ours. Each time one clear sentence, and the right word on whether there was an effect.
#include <signal.h>

#include <thread>

#include "harness/contract/random.h"
#include "tests/drivers/postgres_fixture.h"
#include "tests/drivers/postgres_stand_in.h"
#include "tests/drivers/small_disk.h"

namespace assay::pg_test {
namespace {

Error error_of_make(const std::string& url) {
  VirtualClock clock;
  const auto made = postgres().make({reference(), clock, 7, url, ""});
  EXPECT_FALSE(made.ok()) << url;
  return made.ok() ? Error{} : made.error();
}

void expect_says(const Error& error, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(error.message.find(part), std::string::npos) << error.message << " lacks " << part;
  EXPECT_EQ(error.message.find('\n'), std::string::npos) << error.message;
}

TEST(PostgresUrl, ThatCannotBeReadIsRefusedWithoutItsSecrets) {
  for (const char* url : {"postgresql://me:hunter2@[broken/x", "password=hunter2 nonsense",
                          "postgresql://me:hunter2@h/x?unknown=1", "just words"}) {
    const Error error = error_of_make(url);
    EXPECT_EQ(error.code, ErrorCode::invalid);
    EXPECT_EQ(error.message.find("hunter2"), std::string::npos) << error.message;
    expect_says(error, {"postgresql://USER@HOST:PORT/DATABASE"});
  }
}

TEST(PostgresUrl, OfNoServerIsUnavailableAndDefinite) {
  const Error error = error_of_make("host=/no/such/folder port=1 user=me password=hunter2");
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(error));
  EXPECT_EQ(error.message.find("hunter2"), std::string::npos) << error.message;
  expect_says(error, {"port=1", "user=me", "No such file"});
}

TEST(PostgresUrl, OfAServerThatIsStartingUpSaysSo) {
  const StandIn server(fatal("57P03", "the database system is starting up"));
  const Error error = error_of_make(server.url());
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(error));
  expect_says(error, {"starting up"});
  EXPECT_EQ(error.message.find("hunter2"), std::string::npos) << error.message;
}

TEST(PostgresUrl, OfAServerThatIsTooOldSaysWhatIsNeeded) {
  const StandIn server(welcome("9.4.26"));
  const Error error = error_of_make(server.url());
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(error));
  expect_says(error, {"90426", "too old", "version 12"});
}

TEST(PostgresUrl, OfSomethingElseIsUnavailable) {
  const StandIn server("220 mail.example.org ESMTP\r\n");
  const Error error = error_of_make(server.url());
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(error));
}

TEST_F(Postgres, SaysThatThereAreTooManyConnections) {
  sql("DROP ROLE IF EXISTS crowd; CREATE ROLE crowd LOGIN CONNECTION LIMIT 0");
  const Error error = error_of_make(server()->url() + " user=crowd");
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(error));
  expect_says(error, {"too many connections"});
}

TEST_F(Postgres, ShowsNoPasswordWhereItIsWrong) {
  sql("DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD 's3cret'");
  const Error error = error_of_make(server()->url_with_password("hunter2"));
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(error));
  expect_says(error, {"password authentication failed"});
  EXPECT_EQ(error.message.find("hunter2"), std::string::npos) << error.message;
  VirtualClock clock;
  EXPECT_TRUE(
      postgres().make({reference(), clock, 7, server()->url_with_password("s3cret"), ""}).ok());
}

TEST_F(Postgres, SaysWhichRightIsMissing) {
  sql("DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD 's3cret'");
  VirtualClock clock;
  auto driver =
      postgres().make({reference(), clock, 7, server()->url_with_password("s3cret"), ""}).value();
  const Status refused = driver->setup({"forbidden"});
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(is_definite(refused.error()));
  expect_says(refused.error(), {"permission denied", "create schemas"});
}

TEST_F(Postgres, RefusesAServerThatCanOnlyBeRead) {
  const Error error = error_of_make(server()->url("-cdefault_transaction_read_only=on"));
  EXPECT_TRUE(is_definite(error));
  expect_says(error, {"can only be read"});
}

TEST_F(Postgres, ClaimsWhatTheServersSettingsKeep) {
  VirtualClock clock;
  const auto durability = [&](const std::string& options) {
    return postgres()
        .make({reference(), clock, 7, server()->url(options), ""})
        .value()
        ->profile()
        .durability;
  };
  // The tests' server does not sync.
  EXPECT_EQ(durability(""), Durability::restart);
  EXPECT_EQ(durability("-csynchronous_commit=off"), Durability::restart);
}

TEST_F(Postgres, LeavesASchemaAloneThatIsNotItsOwn) {
  sql(R"(DROP SCHEMA IF EXISTS "assay:theirs" CASCADE; CREATE SCHEMA "assay:theirs";
    CREATE TABLE "assay:theirs".jobs (x int))");
  VirtualClock clock;
  auto driver = postgres().make({reference(), clock, 7, server()->url(), ""}).value();
  for (const Create create : {Create::anew, Create::if_absent, Create::never}) {
    const Status refused = driver->setup({"theirs", create});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::invalid);
    EXPECT_TRUE(is_definite(refused.error()));
    expect_says(refused.error(), {"assay:theirs", "not a store of Assay"});
  }
  EXPECT_EQ(sql("SELECT FROM pg_tables WHERE schemaname = 'assay:theirs'").size(), 1U);
  sql(R"(DROP SCHEMA "assay:theirs" CASCADE)");
}

TEST_F(Postgres, LeavesASchemaAloneThatIsNewer) {
  sql(R"(DROP SCHEMA IF EXISTS "assay:newer" CASCADE; CREATE SCHEMA "assay:newer";
    COMMENT ON SCHEMA "assay:newer" IS 'Assay queue, schema version 77')");
  VirtualClock clock;
  auto driver = postgres().make({reference(), clock, 7, server()->url(), ""}).value();
  const Status refused = driver->setup({"newer"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::invalid);
  expect_says(refused.error(), {"assay:newer", "version 77", "newer program"});
  EXPECT_FALSE(sql("SELECT FROM pg_namespace WHERE nspname = 'assay:newer'").empty());
  sql(R"(DROP SCHEMA "assay:newer" CASCADE)");
}

TEST_F(Postgres, LeavesASchemaAloneThatIsOlderUnlessItIsToBeMadeAnew) {
  {
    Rig rig(reference(), {"older"});
    rig.enqueue();
  }
  sql(R"(UPDATE "assay:older".meta SET version = 3;
    COMMENT ON SCHEMA "assay:older" IS 'Assay queue, schema version 3')");
  VirtualClock clock;
  auto driver = postgres().make({reference(), clock, 7, server()->url(), ""}).value();
  for (const Create create : {Create::if_absent, Create::never}) {
    const Status refused = driver->setup({"older", create});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::invalid);
    expect_says(refused.error(), {"assay:older", "version 3", "older program", "empties"});
  }
  EXPECT_EQ(sql(R"(SELECT FROM "assay:older".jobs)").size(), 1U);
  EXPECT_TRUE(driver->setup({"older", Create::anew}).ok());
  ASSERT_TRUE(driver->teardown().ok());
}

TEST_F(Postgres, AttachesOnlyToWhatIsThere) {
  Rig maker;
  const JobId id = maker.enqueue();
  maker.pass(5);
  Rig other(reference(), {"test", Create::never});
  EXPECT_EQ(other.now(), maker.now());
  EXPECT_EQ(other.claim().job.id, id);
  VirtualClock clock;
  auto driver = postgres().make({reference(), clock, 7, server()->url(), ""}).value();
  const Status missing = driver->setup({"nowhere", Create::never});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
}

TEST_F(Postgres, TurnsSessionsAwayWhoseNamespaceIsGone) {
  Rig old;
  old.enqueue();
  {
    Rig anew;
    anew.enqueue();
    const auto answer = old.session->enqueue(run_epoch, {{.queue = "q", .type = "t"}});
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
    EXPECT_TRUE(is_definite(answer.error()));
    expect_says(answer.error(), {"the namespace is gone"});
    EXPECT_FALSE(old.session->get(run_epoch, {"x"}).ok());
    EXPECT_FALSE(old.session->pause(run_epoch, {"q"}).ok());
    EXPECT_EQ(anew.reserve(5).size(), 1U);
    ASSERT_TRUE(anew.driver->teardown().ok());
  }
  const auto gone = old.session->ack(run_epoch, {{"x", "y", {}}});
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(gone.error()));
}

// What the server answers to every enqueue.
void refuse_enqueues(const std::string& state) {
  sql(R"(CREATE FUNCTION "assay:test".refuse() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
      RAISE EXCEPTION 'it cannot be' USING ERRCODE = ')" +
      state + R"('; END $f$;
    CREATE TRIGGER refusing BEFORE INSERT ON "assay:test".jobs FOR EACH ROW
      EXECUTE FUNCTION "assay:test".refuse())");
}

TEST_F(Postgres, SaysWhatAServerIsShortOfAndThatNothingHappened) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"53100", "free some space"},    {"53200", "short of something"},
      {"53400", "short of something"}, {"40001", "try again"},
      {"40P01", "try again"},          {"25006", "name a primary"},
  };
  for (const auto& [state, advice] : cases) {
    Rig rig;
    refuse_enqueues(state);
    const auto refused = rig.try_enqueue();
    ASSERT_FALSE(refused.ok()) << state;
    EXPECT_EQ(refused.error().code, ErrorCode::unavailable) << state;
    EXPECT_TRUE(is_definite(refused.error())) << state;
    expect_says(refused.error(), {"it cannot be", advice});
    EXPECT_TRUE(rig.reserve().empty());
  }
}

// A server that is being ended, or that lost its own disk, may have done it all the same.
TEST_F(Postgres, DoesNotTrustTheLastWordsOfAServer) {
  for (const char* state : {"57P01", "57P02", "58030", "08006"}) {
    Rig rig;
    refuse_enqueues(state);
    const auto answer = rig.try_enqueue();
    ASSERT_FALSE(answer.ok()) << state;
    EXPECT_EQ(answer.error().code, ErrorCode::unavailable) << state;
    EXPECT_FALSE(is_definite(answer.error())) << state;
  }
}

TEST_F(Postgres, NoticesThatItsServerCanOnlyBeReadNow) {
  Rig rig;
  rig.enqueue();
  const auto let = [](const char* mode) {
    sql(std::string("ALTER SYSTEM SET default_transaction_read_only = ") + mode);
    sql("SELECT pg_reload_conf()");
    RealClock clock;
    for (int tries = 0; tries < 2000; ++tries, clock.sleep_until(clock.now() + Duration{5}, {}))
      if (sql("SHOW default_transaction_read_only")[0][0].c_str() == std::string(mode)) return;
  };
  let("on");
  const Instant now = rig.now();
  Result<Enqueued> refused = Enqueued{};
  RealClock clock;
  // Each server process reads its settings when it gets to it.
  for (int tries = 0; tries < 2000 && refused.ok(); ++tries) {
    refused = rig.session->enqueue(now, {{.queue = "q", .type = "t"}});
    clock.sleep_until(clock.now() + Duration{5}, {});
  }
  const bool can_read = rig.session->get(now, {"x"}).error().code == ErrorCode::not_found;
  let("off");
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(is_definite(refused.error()));
  expect_says(refused.error(), {"name a primary"});
  EXPECT_TRUE(can_read);
}

void end_other_backends() {
  sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE "
      "application_name = 'assay' "
      "AND pid <> pg_backend_pid()");
}

TEST_F(Postgres, GoesOnAfterAnIdleConnectionWasLost) {
  Rig rig;
  const JobId id = rig.enqueue();
  for (int i = 0; i < 3; ++i) {
    end_other_backends();
    const auto seen = rig.session->get(run_epoch, {id});
    EXPECT_TRUE(seen.ok()) << seen.error().message;
    EXPECT_EQ(rig.now(), run_epoch);
  }
  EXPECT_TRUE(rig.ack(hold_of(rig.claim())).ok());
}

// Holds the row of the rig's only job against everybody.
class Blocker {
 public:
  Blocker() : connection_(server()->url()), work_(connection_) {
    work_.exec("SELECT FROM \"assay:test\".jobs FOR UPDATE");
  }

 private:
  pqxx::connection connection_;
  pqxx::work work_;
};

// A driver on the rig's namespace, however often it must be tried: a url's limits hold for this
// too.
std::unique_ptr<Driver> attached_at_last(Rig& rig, const std::string& url) {
  for (int tries = 0; tries < 200; ++tries) {
    auto made = postgres().make({reference(), rig.clock, 7, url, ""});
    if (made.ok() && (*made)->setup({"test", Create::never}).ok()) return std::move(*made);
  }
  return nullptr;
}

// Only the call that must give up is in such a hurry: the others may take their time on a loaded
// machine.
TEST_F(Postgres, GivesUpOnALockAndSaysThatNothingHappened) {
  for (const char* limit : {"-clock_timeout=50", "-cstatement_timeout=50"}) {
    Rig rig;
    rig.enqueue();
    const Claim claim = rig.claim();
    const Instant now = rig.now();
    const auto hurried = attached_at_last(rig, server()->url(limit));
    ASSERT_TRUE(hurried);
    const auto session = hurried->open({"hurried", Role::worker}).value();
    Status refused = Done{};
    {
      Blocker blocker;
      refused = session->ack(now, {hold_of(claim)});
    }
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
    EXPECT_TRUE(is_definite(refused.error())) << refused.error().message;
    EXPECT_EQ(rig.get(claim.job.id).job.state, JobState::leased);
    EXPECT_TRUE(rig.ack(hold_of(claim)).ok());
  }
}

TEST_F(Postgres, DoesNotKnowWhatBecameOfACallWhoseConnectionBroke) {
  Rig rig;
  rig.enqueue();
  const Claim claim = rig.claim();
  const Instant now = rig.now();
  Status answer = Done{};
  {
    Blocker blocker;
    std::jthread call([&] { answer = rig.session->ack(now, {hold_of(claim)}); });
    end_who_waits_for_a_lock();
  }
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_FALSE(is_definite(answer.error())) << answer.error().message;
  EXPECT_TRUE(rig.ack(hold_of(claim)).ok());
}

// The process of the server that serves the rig's session.
pid_t backend_of(Rig& rig) {
  const auto found = [] {
    return sql(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'assay' "
        "AND query LIKE '%jobs%' ORDER BY query_start DESC LIMIT 1");
  };
  EXPECT_FALSE(rig.session->get(rig.now(), {"nobody"}).ok());
  return found()[0][0].as<pid_t>();
}

TEST_F(Postgres, DoesNotWaitForEverForAServerThatIsStopped) {
  Rig rig(reference(), {"test"}, server()->url("-cstatement_timeout=2000") + " connect_timeout=2");
  rig.enqueue();
  const Claim claim = rig.claim();
  const Instant now = rig.now();
  const pid_t stopped = backend_of(rig);
  ASSERT_EQ(::kill(stopped, SIGSTOP), 0);
  const Status answer = rig.session->ack(now, {hold_of(claim)});
  const auto read = rig.session->get(now, {claim.job.id});
  ASSERT_EQ(::kill(stopped, SIGCONT), 0);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_FALSE(is_definite(answer.error())) << answer.error().message;
  expect_says(answer.error(), {"no answer within 4000 ms"});
  // The next call has a connection of its own.
  EXPECT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(rig.ack(hold_of(claim)).ok());
}

TEST_F(Postgres, GoesOnAfterTheServerCrashed) {
  Rig rig;
  rig.enqueue();
  const Claim claim = rig.claim();
  const Instant now = rig.now();
  Status answer = Done{};
  {
    Blocker blocker;
    std::jthread call([&] { answer = rig.session->ack(now, {hold_of(claim)}); });
    kill_who_waits_for_a_lock();
    call.join();
  }
  ASSERT_FALSE(answer.ok());
  EXPECT_FALSE(is_definite(answer.error())) << answer.error().message;
  RealClock clock;
  Status again = answer;
  for (int tries = 0; tries < 2000 && !again.ok(); ++tries) {
    clock.sleep_until(clock.now() + Duration{10}, {});
    again = rig.session->ack(now, {hold_of(claim)});
  }
  EXPECT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(rig.get(claim.job.id).job.state, JobState::done);
}

TEST_F(Postgres, RefusesAStandbyAndNamesThePrimary) {
  const auto standby = server()->copy({.standby = true});
  ASSERT_TRUE(standby.ok()) << standby.error().message;
  const Error error = error_of_make((*standby)->url());
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(error));
  expect_says(error, {"can only be read, as a replica is: name a primary"});
}

TEST_F(Postgres, SaysThatTheServerHasNoConnectionLeft) {
  const auto crowded = server()->copy(
      {.settings = {"max_connections=3", "superuser_reserved_connections=0", "max_wal_senders=0"}});
  ASSERT_TRUE(crowded.ok()) << crowded.error().message;
  Rig rig(reference(), {"test"}, (*crowded)->url());
  rig.enqueue();
  std::vector<std::unique_ptr<pqxx::connection>> others;
  // Connections that were closed are counted until their processes have ended: it is full when
  // nobody got in for a while.
  RealClock clock;
  for (int refusals = 0; refusals < 20; ++refusals) {
    try {
      others.push_back(std::make_unique<pqxx::connection>((*crowded)->url()));
      refusals = 0;
    } catch (const pqxx::broken_connection&) {
      clock.sleep_until(clock.now() + Duration{10}, {});
    }
  }
  const Error error = error_of_make((*crowded)->url());
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(error));
  expect_says(error, {"too many clients already"});
  const auto late = rig.open("late")->enqueue(rig.now(), {{.queue = "q", .type = "t"}});
  ASSERT_FALSE(late.ok());
  EXPECT_TRUE(is_definite(late.error())) << late.error().message;
  EXPECT_TRUE(rig.try_enqueue().ok()) << "who is in stays in";
}

// Enqueues large jobs until one is refused.
Error error_of_filling(Rig& rig) {
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    std::string payload;  // that cannot be compressed
    for (int words = 0; words < (1 << 17); ++words) {
      const std::uint64_t word = random.next();
      payload.append(reinterpret_cast<const char*>(&word), sizeof word);
    }
    const auto made = rig.try_enqueue({.payload = std::move(payload)});
    if (!made.ok()) return made.error();
  }
  ADD_FAILURE() << "the disk does not get full";
  return {};
}

TEST_F(Postgres, SaysThatTheDiskIsFullAndThatNothingHappened) {
  if (!can_mount_small_disks()) GTEST_SKIP() << "small disks cannot be mounted here";
  const auto small = server()->copy({.data_mib = 64});
  ASSERT_TRUE(small.ok()) << small.error().message;
  Rig rig(reference(), {"test"}, (*small)->url());
  const JobId id = rig.enqueue();
  const Error error = error_of_filling(rig);
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(error)) << error.message;
  expect_says(error, {"could not extend", "free some space on its disk"});
  EXPECT_EQ(rig.get(id).job.id, id) << "what is there can be read";
}

// The server stops in the middle of a commit: nobody can say whether it is done. (Nothing else
// writes to its log, or the server might stop between two calls.)
TEST_F(Postgres, DoesNotKnowWhatBecameOfACallThatFilledTheDiskOfTheLog) {
  if (!can_mount_small_disks()) GTEST_SKIP() << "small disks cannot be mounted here";
  const auto small = server()->copy(
      {.settings = {"max_wal_size=2GB", "wal_writer_delay=10s", "autovacuum=off"}, .log_mib = 56});
  ASSERT_TRUE(small.ok()) << small.error().message;
  Rig rig(reference(), {"test"}, (*small)->url());
  const Error error = error_of_filling(rig);
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_FALSE(is_definite(error)) << error.message;
}

// It takes connections and never says a word.
TEST(PostgresUrl, OfASilentServerIsNotWaitedForForEver) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listener, plain, size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ::getsockname(listener, plain, &size);
  const Error error = error_of_make(
      fmt::format("postgresql://me:hunter2@127.0.0.1:{}/d?connect_timeout=2&sslmode=disable",
                  ntohs(address.sin_port)));
  ::close(listener);
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(error));
  expect_says(error, {"timeout expired"});
  EXPECT_EQ(error.message.find("hunter2"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace assay::pg_test
