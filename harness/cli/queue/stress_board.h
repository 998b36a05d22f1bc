// StressBoard: how a stress run stands, by its history so far.
//
// Not thread-safe.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/history/history.h"

namespace assay::cli::queue {

class StressBoard {
 public:
  // So many jobs are handed in; children come on top.
  explicit StressBoard(std::int64_t jobs) : jobs_(jobs) {}

  void see(const Event& event);

  std::int64_t made() const { return static_cast<std::int64_t>(made_.size()); }
  std::int64_t ended() const { return done_ + dead_; }
  bool all_ended() const { return made() >= jobs_ && ended() >= made(); }
  std::vector<JobId> jobs() const;
  std::vector<JobId> not_ended() const;

  // For a terminal: several lines, each with its end. Rates are those since the last one.
  std::string dashboard(double seconds);
  // In one line.
  std::string line(double seconds) const;

  static constexpr int dashboard_lines = 4;

 private:
  struct Seen {
    Instant made_at = {};
    bool was_claimed = false, has_ended = false;
  };
  struct Open {
    Request request;
    Instant since = {};
  };
  struct Rates {
    double at = 0;
    std::int64_t made = 0, ended = 0, retried = 0, calls = 0;
  };

  void returned(const Open& call, const ReturnEvent& end);
  void end(const JobId& id, std::int64_t& count, Instant at);
  void keep(std::vector<Duration>& samples, Duration value);

  const std::int64_t jobs_;
  std::unordered_map<JobId, Seen> made_;
  std::unordered_map<OpId, Open> open_;
  std::unordered_map<JobId, Instant> held_since_;
  std::int64_t done_ = 0, dead_ = 0, retried_ = 0, calls_ = 0, refused_ = 0, unknown_ = 0;
  std::vector<Duration> waits_, runs_;  // the last ones, by the clocks of the calls
  std::size_t samples_ = 0;
  Rates last_;
};

}  // namespace assay::cli::queue
