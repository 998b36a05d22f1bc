// Desk: a memory driver with one session open, and short forms of the calls, for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "drivers/memory/memory.h"

namespace assay {

inline Profile profile_named(std::string_view name) {
  const auto profile = built_in_profile(name);
  CHECK(profile);
  return *profile;
}

class Desk {
 public:
  explicit Desk(const Profile& profile, const DriverInfo& info = memory(), std::uint64_t seed = 7)
      : now(clock_.now()) {
    driver = std::move(info.make({profile, clock_, seed, {}, {}})).value();
    CHECK(driver->setup({"test"}).ok());
    session = std::move(driver->open({"client", Role::worker})).value();
  }
  explicit Desk(std::string_view profile = "reference") : Desk(profile_named(profile)) {}

  // Moves both clocks, the caller's and the store's.
  void pass(Duration by) {
    now += by;
    CHECK(driver->advance(by).ok());
  }

  Result<Enqueued> put(NewJob job) {
    if (job.queue.empty()) job.queue = "q";
    if (job.type.empty()) job.type = "work";
    return session->enqueue(now, {std::move(job)});
  }
  void add(NewJob job) { CHECK(put(std::move(job)).ok()); }
  JobId put_as(std::string id) {
    NewJob job;
    job.id = std::move(id);
    return put(job)->id;
  }
  std::vector<Claim> take(std::int64_t max = 1, std::string queue = "q",
                          Duration lease = Duration{1000}) {
    return session->reserve(now, {{std::move(queue)}, lease, "w", max, {}}).value().claims;
  }
  Claim take_one() {
    const auto claims = take();
    CHECK(claims.size() == 1);
    return claims.front();
  }
  std::vector<Claim> take_by_id(const JobId& id, Duration lease = Duration{1000}) {
    return session->reserve(now, {{"q"}, lease, "w", 1, id}).value().claims;
  }
  Status ack(const Claim& claim) { return session->ack(now, {hold(claim)}); }
  Status retry(const Claim& claim, Instant run_at, std::int64_t attempts = 1) {
    return session->retry(now, {hold(claim), run_at, attempts, "oops"});
  }
  Status fail(const Claim& claim, std::int64_t attempts = 1) {
    return session->fail(now, {hold(claim), attempts, "gave up", "oops"});
  }
  Result<Nacked> nack(const Claim& claim, bool unrecoverable = false) {
    return session->nack(now, {hold(claim), "oops", unrecoverable});
  }
  Result<Extended> extend(const Claim& claim, Duration lease) {
    return session->extend(now, {hold(claim), lease});
  }
  Result<Requeued> requeue(const JobId& id, bool reset = false) {
    return session->requeue(now, {id, {}, reset});
  }
  JobView get(const JobId& id) { return session->get(now, {id}).value(); }
  JobState state(const JobId& id) { return get(id).job.state; }
  std::vector<DeadEntry> dead() { return session->dead(now, {"q", 100, {}}).value().entries; }

  static Hold hold(const Claim& claim) { return {claim.job.id, claim.token, claim.attempt}; }

 private:
  VirtualClock clock_;

 public:
  Instant now;
  std::unique_ptr<Driver> driver;
  std::unique_ptr<Session> session;
};

template <class T>
ErrorCode code_of(const Result<T>& result) {
  return result.error().code;
}
template <class T>
LeaseReason reason_of(const Result<T>& result) {
  return result.error().reason;
}

// "a b c": the jobs' ids in order.
inline std::string ids_of(const std::vector<Claim>& claims) {
  std::string text;
  for (const Claim& claim : claims) text += (text.empty() ? "" : " ") + claim.job.id;
  return text;
}

}  // namespace assay
