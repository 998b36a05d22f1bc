// OnStore: a test that every driver of ours must pass on its store, whatever the profile. Each test
// program names the stores that it has.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/contract/driver.h"
#include "harness/contract/records.h"
#include "harness/contract/wakeups.h"

namespace assay::on_store {

struct Store {
  std::string name;
  DriverInfo info;
  // Where it is, in a fresh folder; an error where there is none to test with.
  std::function<Result<std::optional<std::string>>(const std::string& folder)> url;
  bool is_shared = false;          // by processes
  bool wakes_for_nothing = false;  // any change wakes whose queue has waiting jobs
};

struct Case {
  Store store;
  std::string profile;
};

inline void PrintTo(const Case& one, std::ostream* out) {
  *out << one.store.name << " as " << one.profile;
}

inline std::vector<Case> with_every_profile(const std::vector<Store>& stores) {
  std::vector<Case> cases;
  for (const Store& store : stores)
    for (const std::string_view profile : profile_names())
      cases.push_back({store, std::string(profile)});
  return cases;
}

inline std::string name_of_case(const ::testing::TestParamInfo<Case>& one) {
  return one.param.store.name + "_" + one.param.profile;
}

// A folder that is gone with it.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/assay-on-store-XXXXXX";
    CHECK(::mkdtemp(name));
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A driver of a namespace. Time moves only by `pass`.
class Rig {
 public:
  Rig(const Case& of, std::optional<std::string> url, Setup setup = {"on_store"},
      std::uint64_t seed = 7) {
    Profile profile = built_in_profile(of.profile).value();
    profile.backoff = {Duration{0}, Duration{0}};
    auto made = of.store.info.make({profile, clock, seed, std::move(url), "/tmp"});
    EXPECT_TRUE(made.ok()) << made.error().message;
    driver = std::move(made).value();
    const Status ready = driver->setup(setup);
    EXPECT_TRUE(ready.ok()) << ready.error().message;
    session = open("first");
  }

  const Profile& profile() const { return driver->profile(); }
  std::unique_ptr<Session> open(const std::string& name) {
    return driver->open({name, Role::worker}).value();
  }
  Records& records() { return *session->records(); }

  Instant now() { return driver->now().value(); }
  void pass(std::int64_t ms) { ASSERT_TRUE(driver->advance(Duration{ms}).ok()); }

  static Enqueue job(const std::string& id, const std::string& queue = "q") {
    NewJob job;
    job.id = id;
    job.queue = queue;
    job.type = "t";
    return {job};
  }

  // Of a fresh job of that id.
  Hold claim(const std::string& id, Duration lease = Duration{1000},
             const std::string& queue = "q") {
    const auto made = session->enqueue(now(), job(id, queue));
    EXPECT_TRUE(made.ok()) << made.error().message;
    return claim_again(id, lease, queue);
  }
  // Requires: no other job of the queue is runnable.
  Hold claim_again(const std::string& id, Duration lease = Duration{1000},
                   const std::string& queue = "q") {
    Reserve reserve{{queue}, lease, "w", 1, {}};
    if (profile().claim_style == ClaimStyle::by_id) reserve.job_id = id;
    const auto claims = session->reserve(now(), reserve);
    EXPECT_TRUE(claims.ok() && claims->claims.size() == 1) << id;
    if (!claims.ok() || claims->claims.empty()) return {id, "nothing", {}};
    const Claim& claim = claims->claims.front();
    EXPECT_EQ(claim.job.id, id);
    return {claim.job.id, claim.token, claim.attempt};
  }

  Result<Committed> commit(const Commit& commit) { return records().commit(now(), commit); }
  // What it is, or what is wrong.
  std::string value(const std::string& key) {
    const auto found = records().read(now(), key);
    if (!found.ok()) return "error: " + found.error().message;
    return *found ? (*found)->value + "@" + std::to_string((*found)->version) : "none";
  }
  std::string state(const std::string& id) {
    const auto seen = session->get(now(), {id});
    if (!seen.ok()) return std::string(name_of(seen.error().code));
    return std::string(name_of(seen->job.state));
  }

  VirtualClock clock;
  std::unique_ptr<Driver> driver;
  std::unique_ptr<Session> session;
};

class OnStore : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    auto found = GetParam().store.url(folder_.path());
    if (!found.ok()) GTEST_SKIP() << found.error().message;
    url_ = *found;
  }
  Rig rig(assay::Setup setup = {"on_store"}, std::uint64_t seed = 7) {
    return Rig(GetParam(), url_, std::move(setup), seed);
  }

  const Folder folder_;
  std::optional<std::string> url_;
};

}  // namespace assay::on_store
