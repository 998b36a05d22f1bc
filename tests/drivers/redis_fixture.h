// What the tests of the redis driver share: the server, and a driver with a clock.
#pragma once

#include <gtest/gtest.h>

#include "drivers/redis/detail/connection.h"
#include "drivers/redis/redis.h"
#include "harness/contract/driver.h"
#include "tests/drivers/redis_server.h"

namespace assay::redis_test {

// A test that needs the server; skipped where there is none.
class Redis : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!server()) GTEST_SKIP() << why_not();
  }
};

inline Profile profile_named(std::string_view name) { return built_in_profile(name).value(); }
inline Profile reference() { return profile_named("reference"); }

inline Result<std::unique_ptr<Driver>> make(Clock& clock, const std::string& url) {
  return redis().make({reference(), clock, 7, url, ""});
}

// A driver of its own namespace, with one session. Time moves only by `pass`.
class Rig {
 public:
  explicit Rig(Profile profile = reference(), Setup setup = {"test"},
               std::string url = server()->url()) {
    auto made = redis().make({std::move(profile), clock, 7, std::move(url), ""});
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
inline rds::Reply command(const rds::Words& words, const std::string& url = server()->url()) {
  return rds::Connection(rds::parse_location(url).value()).ask(words);
}

inline std::int64_t key_count() { return command({"DBSIZE"}).value().number(); }

}  // namespace assay::redis_test
