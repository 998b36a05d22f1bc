// Author: writes the steps of a generated plan, valid for its profile, and keeps the forecast.
#pragma once

#include <string>
#include <vector>

#include "harness/plan/detail/draw.h"
#include "harness/plan/detail/forecast.h"

namespace assay::detail {

// What a settle or extension carries.
struct Spoken {
  int claim = 0;
  int job = -1;         // another job than the claim's
  bool forged = false;  // a token that nobody handed out
  std::optional<std::int64_t> attempt_offset = {};
};

// What the profile claims, asked once.
struct Can {
  explicit Can(const Profile& profile);
  bool schedule, priority, timeouts, cancel, pause, inspect, list, dead, replay, queue_set;
};

class Author {
 public:
  // The profile is borrowed for life.
  Author(const Profile& profile, const rc::Random& random, int steps);

  Draw& draw() { return draw_; }
  const Profile& profile() const { return profile_; }
  const Can& can() const { return can_; }
  const Forecast& forecast() const { return forecast_; }
  int steps() const { return static_cast<int>(plan_.steps.size()); }
  int queues() const { return static_cast<int>(queues_.size()); }
  int any_worker() { return 1 + draw_.below(workers_); }

  // A producer's job: a new one, or one that repeats the key or the id of another.
  void enqueue();
  void enqueue_known_key();
  void enqueue_known_id();
  void enqueue_invalid();

  // Of these queues; by id: of that job, or of any that fits.
  void reserve(int client, unsigned queues, int job = -1);
  void reserve_invalid();

  void extend(int client, const Spoken& spoken);
  void settle(int client, const Spoken& spoken, Ending ending);

  void cancel(int job);
  void pause(int queue);
  void resume(int queue);
  void get(int job);
  void get_unknown();
  void list(int queue);
  void list_dead(int queue);
  void requeue(int job);
  void close(int client);

  void advance(std::int64_t ms);
  void advance_to_expiry(int claim, std::int64_t offset_ms);
  void advance_to_due(int job, std::int64_t offset_ms);

  Plan finish() && { return std::move(plan_); }

 private:
  Step& add(StepKind kind, int client);
  void page(StepKind kind, int queue);
  void settle_fields(Step& step, const Spoken& spoken);
  void job_fields(Step& step, ExpectedJob& job);
  void time_fields(Step& step, ExpectedJob& job);
  void limit_fields(Step& step, ExpectedJob& job);
  std::string name(const char* plain, int index, int hostile);

  const Profile& profile_;
  Can can_;
  Draw draw_;
  Plan plan_;
  int workers_;
  int admin_;
  int hostile_ = -1;  // where in hostile_names() this plan's names begin; -1: plain names
  std::vector<std::string> queues_;
  std::vector<std::string> types_;
  std::vector<std::string> keys_;
  std::vector<std::size_t> identified_;  // the enqueues that named an id
  int slots_ = 0;
  Forecast forecast_;
};

}  // namespace assay::detail
