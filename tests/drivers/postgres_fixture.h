// What the tests of the postgres driver share: the server, and a driver with a clock.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <pqxx/pqxx>

#include "drivers/postgres/postgres.h"
#include "harness/contract/driver.h"
#include "tests/drivers/postgres_server.h"

namespace assay::pg_test {

// A test that needs the server; skipped where there is none.
class Postgres : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!server()) GTEST_SKIP() << why_not();
  }
};

inline Profile profile_named(const std::string& name) { return built_in_profile(name).value(); }
inline Profile reference() { return profile_named("reference"); }

// A driver of its own namespace, with one session. Time moves only by `pass`.
class Rig {
 public:
  explicit Rig(Profile profile = reference(), Setup setup = {"test"},
               std::string url = server()->url()) {
    auto made = postgres().make({std::move(profile), clock, 7, std::move(url), ""});
    EXPECT_TRUE(made.ok()) << made.error().message;
    driver = std::move(made).value();
    const Status ready = driver->setup(setup);
    EXPECT_TRUE(ready.ok()) << ready.error().message;
    session = open("first");
  }

  std::unique_ptr<Session> open(const std::string& name) {
    return driver->open({name, Role::worker}).value();
  }

  Instant now() { return driver->now().value(); }
  void pass(std::int64_t ms) { ASSERT_TRUE(driver->advance(Duration{ms}).ok()); }

  Result<Enqueued> try_enqueue(NewJob job = {}) {
    if (job.queue.empty()) job.queue = "q";
    if (job.type.empty()) job.type = "t";
    return session->enqueue(now(), {std::move(job)});
  }
  JobId enqueue(NewJob job = {}) { return try_enqueue(std::move(job)).value().id; }

  std::vector<Claim> reserve(std::int64_t max = 1, std::vector<std::string> queues = {"q"}) {
    return session->reserve(now(), {std::move(queues), Duration{1000}, "w", max, {}})
        .value()
        .claims;
  }
  Claim claim() {
    auto claims = reserve();
    CHECK(claims.size() == 1);
    return claims[0];
  }

  Status ack(const Hold& hold) { return session->ack(now(), {hold}); }
  JobView get(const JobId& id) { return session->get(now(), {id}).value(); }

  VirtualClock clock;
  std::unique_ptr<Driver> driver;
  std::unique_ptr<Session> session;
};

inline Hold hold_of(const Claim& claim) { return {claim.job.id, claim.token, claim.attempt}; }

// Somebody else's connection.
inline pqxx::result sql(const std::string& statements) {
  pqxx::connection connection(server()->url());
  return pqxx::nontransaction(connection).exec(statements);
}

// The process of the server that is just waiting for a lock on behalf of a driver; waits until
// there is one.
inline pid_t who_waits_for_a_lock() {
  RealClock clock;
  for (int tries = 0; tries < 2000; ++tries) {
    const auto found =
        sql("SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
            "application_name = 'assay'");
    if (!found.empty()) return found[0][0].as<pid_t>();
    clock.sleep_until(clock.now() + Duration{5}, {});
  }
  ADD_FAILURE() << "nobody waits for a lock";
  return 0;
}

// Its connection ends; the server's other processes go on.
inline void end_who_waits_for_a_lock() {
  sql("SELECT pg_terminate_backend(" + std::to_string(who_waits_for_a_lock()) + ")");
}

// The whole server goes down with it, and comes back.
inline void kill_who_waits_for_a_lock() {
  if (const pid_t process = who_waits_for_a_lock(); process > 0) ::kill(process, SIGKILL);
}

}  // namespace assay::pg_test
