// Finder: makes the claims of a worker: in turn from each of its queues; and, where claims name a
// job, knows the names.
//
// What it keeps between calls is guarded by the floor's monitor, which is not held during the
// driver's calls.
#pragma once

#include <deque>
#include <set>

#include "engine/detail/floor.h"

namespace assay::engine::detail {

class Finder {
 public:
  explicit Finder(Floor& floor) : floor_(floor) {}

  struct Found {
    std::vector<Claim> claims = {};
    Instant sent_at = {};
    std::optional<Error> error = {};
  };

  // At most `max` jobs. `held` is given back as it was.
  Found claim(Held& held, Line& line, int max);

  // --- With the monitor held ---

  void hear(const WakeUp& wakeup);
  // There are names that nobody has asked for yet.
  bool knows_more() const { return !names_.empty(); }

 private:
  struct Name {
    JobId id = {};
    std::vector<std::string> queues = {};  // one of these
  };
  Found ask(Held& held, Line& line, Reserve request);
  Found claim_next(Held& held, Line& line, int max);
  Found claim_named(Held& held, Line& line);
  Found claim_known(Held& held, Line& line);
  std::optional<Error> learn_names(Held& held, Line& line);
  std::optional<Error> learn_ready(Held& held, Line& line, const std::string& queue);
  std::optional<Error> learn_lost(Held& held, Line& line, const std::string& queue);
  void know(Name name);
  std::vector<std::string> queues_in_turn();

  Floor& floor_;
  std::size_t turn_ = 0;
  std::deque<Name> names_;
  std::set<JobId> known_;  // the ids in names_
  // Where the look for lost leases goes on in each queue, and when: it costs a call for each job.
  std::map<std::string, std::string> cursors_;
  Instant look_for_lost_at_ = {};
};

}  // namespace assay::engine::detail
