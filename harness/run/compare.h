// compare_drivers: the same plans on several drivers of one profile, and the verdict of META-1: all
// of them behave alike. Each is held against the first.
//
// Backoff is set to nothing meanwhile: every driver draws its delays for itself.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/run/certify.h"

namespace assay {

inline constexpr std::string_view alike_rule = "META-1";

struct ComparedDriver {
  const DriverInfo* info = nullptr;  // borrowed
  std::string name;                  // as the person named it
  std::optional<std::string> url;
  std::optional<std::string> unusable;  // it cannot be made: why
};

struct CompareOptions {
  Profile profile;
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> cases;    // as for certify
  std::optional<double> budget_seconds;  // as for certify
  bool fail_fast = false;
  int shrink_runs = 2000;
  std::string scratch;
  std::string log_folder;
};

struct LikenessReport {
  std::vector<std::string> drivers;  // the first is the one that the others were held against
  RuleReport rule;                   // of META-1
  std::uint64_t plans = 0;
  std::uint64_t answers = 0;  // that were compared, and are alike
  std::uint64_t parted = 0;   // comparisons that ended early: the contract leaves something open
  std::uint64_t unknown = 0;  // the same: nobody knows how a call ended
  double seconds = 0;
  bool partial = false;
  std::vector<std::string> troubles;         // ours
  std::vector<std::string> driver_troubles;  // where a driver broke
};

// Prints nothing and throws nothing. A token of it names two drivers, joined by a comma.
LikenessReport compare_drivers(std::span<const ComparedDriver> drivers,
                               const CompareOptions& options, const Parts& parts,
                               CertifyListener& listener, std::stop_token stop = {});

// The names in a token's driver; two where it is one of a comparison, else nothing.
std::vector<std::string> compared_in(const ReplayToken& token);

struct PairReplay {
  ReplayResult result;  // the history is the second driver's; convicted: they differ again
  std::string story;    // how they differ, or that they do not
};
// Runs the token's plan on both.
PairReplay replay_pair(const ReplayToken& token, const ComparedDriver& first,
                       const ComparedDriver& second, const std::string& scratch);

}  // namespace assay
