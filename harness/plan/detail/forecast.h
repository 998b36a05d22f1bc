// Forecast: what the steps of a plan are expected to have done so far. It guesses, so that a
// generator can aim; it promises nothing, and nothing is judged by it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/plan/plan.h"

namespace assay::detail {

enum class Fate { waiting, leased, done, dead, cancelled };
enum class Ending { none, ack, failure, dead };  // how a claim was settled

struct ExpectedJob {
  JobRef ref = {};
  int queue = 0;
  int type = 0;
  int key = -1;
  std::int64_t priority = 0;
  std::int64_t runs = 1;      // as many as its limit allows
  std::int64_t failures = 0;  // recorded
  std::int64_t losses = 0;    // of leases
  std::int64_t due = 0;       // waiting: not before
  std::int64_t since = 0;     // runnable for so long
  int claim = -1;             // leased: the present one
  Fate fate = Fate::waiting;
  bool replayed = false;  // its dead letter was used up
};

struct ExpectedClaim {
  ClaimRef ref = {};
  int job = 0;
  int client = 0;
  std::int64_t expires = 0;
  Ending ending = Ending::none;
};

struct Asked {
  unsigned queues = 0;  // a bit for each
  std::int64_t max = 1;
  std::int64_t lease_ms = 1;
  int client = 0;
  int slot = 0;
  int job = -1;  // by id
};

class Forecast {
 public:
  // The profile is borrowed for life.
  Forecast(const Profile& profile, int queues);

  std::int64_t now() const { return now_; }
  const std::vector<ExpectedJob>& jobs() const { return jobs_; }
  const std::vector<ExpectedClaim>& claims() const { return claims_; }
  bool paused(int queue) const { return (paused_ >> queue & 1U) != 0; }

  bool is_live(const ExpectedClaim& claim) const;     // held, and its lease not over
  bool is_current(const ExpectedClaim& claim) const;  // held, whatever the time
  bool is_eligible(const ExpectedJob& job) const;
  bool is_key_free(const ExpectedJob& job) const;

  void move_to(std::int64_t ms);
  void enqueue(ExpectedJob job);
  void reserve(const Asked& asked);
  void extend(int claim, std::int64_t lease_ms);
  void settle(int claim, Ending ending, std::int64_t delay_ms);
  void cancel(int job);
  void pause(int queue) { paused_ |= 1U << queue; }
  void resume(int queue) { paused_ &= ~(1U << queue); }
  void requeue(int job, const JobRef& made, std::int64_t delay_ms);

  // The longest that a store which decides lets the n-th failure wait.
  std::int64_t window_ms(std::int64_t failures) const;

 private:
  bool is_over(std::int64_t expires) const;
  void sweep(ExpectedJob& job);
  void wait(ExpectedJob& job, std::int64_t due);

  const Profile& profile_;
  std::int64_t now_ = 0;
  unsigned paused_ = 0;
  std::vector<ExpectedJob> jobs_;
  std::vector<ExpectedClaim> claims_;
};

}  // namespace assay::detail
