// explore: runs one plan by many schedules, and tells which rules are broken by some of them.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/run/hunt.h"

namespace assay {

enum class ExploreBy { mix, random_walk, pct, exhaustive };
std::string_view name_of(ExploreBy by);  // "mix", "random", "pct", "exhaustive"
std::optional<ExploreBy> explore_by_from(std::string_view name);

struct ExploreOptions : HuntOptions {
  Plan plan;  // its own schedule, if it has one, is where every other begins
  ExploreBy by = ExploreBy::mix;
  std::optional<int> depth;        // of pct; absent: 2 to 4, drawn
  std::uint64_t schedules = 1000;  // at most
  int jobs = 1;                    // schedules at a time; exhaustive: one, whatever is said here
};

struct ExploreReport : HuntReport {
  std::uint64_t schedules = 0;   // that were run
  std::uint64_t distinct = 0;    // of them
  std::uint64_t lost_sight = 0;  // that were not wholly decided by us
  std::size_t moves = 0;         // the most in one schedule
  std::size_t clients = 0;       // that move at once, the clock included
  Interleaving interleaving = Interleaving::calls;
  std::string why_not_closer;  // at calls, though there is a store
  bool every = false;          // there is no other schedule
  double progress = 0;         // exhaustive: how much of the whole was seen, an estimate
};

struct ExploreListener {
  std::function<void(const ExploreReport&)> progress = [](const ExploreReport&) {};
  std::function<void(const std::string& rule)> shrinking = [](const std::string&) {};
};

// Requires: clients move at once in the plan, and time can be moved. What is found depends on the
// options but for `jobs`, and, where the seconds end it, on the machine.
ExploreReport explore(const DriverInfo& driver, const ExploreOptions& options, const Parts& parts,
                      const ExploreListener& listener, std::stop_token stop = {});

// 1 a conviction, 2 the driver broke, or some schedule was undecided or out of our hands, or it was
// stopped; 3 trouble of our own; else 0.
int exit_status_of(const ExploreReport& report);

}  // namespace assay
