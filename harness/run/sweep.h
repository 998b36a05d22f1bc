// sweep: runs one plan once for each point at which one of its clients can be cut off: at each
// gate, or request to the store, of each call, before it gets there, after it got there, and after
// its effect. An account at the end of each run tells whether every job is still accounted for.
#pragma once

#include <map>

#include "harness/run/hunt.h"

namespace assay {

struct SweepOptions : HuntOptions {
  SweepOptions() { seconds = 300; }
  Plan plan;  // without cuts; the account is added
};

struct SweepReport : HuntReport {
  Interleaving interleaving = Interleaving::calls;
  std::string why_not_closer;                    // at calls, though there is a store
  std::size_t calls = 0;                         // of the plan, without the account
  std::size_t gates = 0;                         // that they pass
  std::size_t points = 0;                        // at which somebody can be cut off
  std::uint64_t runs = 0;                        // one a point, if nothing kept us
  std::uint64_t missed = 0;                      // runs in which nobody came to the point
  std::map<std::string, std::size_t> points_of;  // by the name of the operation
  bool whole() const { return runs == points && missed == 0; }
};

// Its cuts, one a plan, of the calls that change something, given what a counted run has shown.
std::vector<Plan> cuts_of(const Plan& plan, const std::vector<int>& gates_of_step,
                          Interleaving interleaving);

struct SweepListener {
  std::function<void(const SweepReport&)> progress = [](const SweepReport&) {};
  std::function<void(const std::string& rule)> shrinking = [](const std::string&) {};
};

// Requires: time can be moved.
SweepReport sweep(const DriverInfo& driver, const SweepOptions& options, const Parts& parts,
                  const SweepListener& listener, std::stop_token stop = {});

// 1 a conviction, 2 the driver broke, or some run was undecided, missed its point or was not made;
// 3 trouble of our own; else 0.
int exit_status_of(const SweepReport& report);

}  // namespace assay
