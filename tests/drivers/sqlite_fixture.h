// What the tests of the sqlite driver share: a folder that goes away, and a driver with a clock.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "drivers/sqlite/sqlite.h"
#include "harness/contract/driver.h"

namespace assay::lite_test {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "assay-sqlite-XXXXXX").string();
    CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A driver of its own namespace, with one session. Time moves only by `pass`.
class Rig {
 public:
  explicit Rig(Profile profile, std::string url = ":memory:", Setup setup = {"test"},
               DriverInfo info = sqlite()) {
    auto made = info.make({std::move(profile), clock, 7, std::move(url), ""});
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

  JobId enqueue(NewJob job) {
    if (job.queue.empty()) job.queue = "q";
    if (job.type.empty()) job.type = "t";
    return session->enqueue(now(), {std::move(job)}).value().id;
  }

  std::vector<Claim> reserve(std::int64_t max = 1, std::vector<std::string> queues = {"q"}) {
    return session->reserve(now(), {std::move(queues), Duration{1000}, "w", max, {}})
        .value()
        .claims;
  }
  std::vector<Claim> reserve_id(const JobId& id) {
    return session->reserve(now(), {{"q"}, Duration{1000}, "w", 1, id}).value().claims;
  }
  Claim claim() {
    auto claims = reserve();
    CHECK(claims.size() == 1);
    return claims[0];
  }

  Status ack(const Hold& hold) { return session->ack(now(), {hold}); }
  Status fail(const Hold& hold, const std::string& reason = "r") {
    return session->fail(now(), {hold, 1, reason, "e"});
  }
  JobView get(const JobId& id) { return session->get(now(), {id}).value(); }

  VirtualClock clock;
  std::unique_ptr<Driver> driver;
  std::unique_ptr<Session> session;
};

inline Profile profile_named(const std::string& name) { return built_in_profile(name).value(); }
inline Profile reference() { return profile_named("reference"); }

inline Hold hold_of(const Claim& claim) { return {claim.job.id, claim.token, claim.attempt}; }

template <class T>
ErrorCode code_of(const Result<T>& result) {
  CHECK(!result.ok());
  return result.error().code;
}

template <class T>
LeaseReason reason_of(const Result<T>& result) {
  CHECK(!result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::lease_lost);
  return result.error().reason;
}

}  // namespace assay::lite_test
