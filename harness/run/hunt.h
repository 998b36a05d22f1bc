// What those share who look for convictions in many runs: of one plan by many schedules (explore),
// with many cuts (sweep), or of many plans under faults (chaos).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "harness/run/certify.h"

namespace assay {

struct HuntOptions {
  std::string driver;  // as the person named it
  Profile profile;
  std::uint64_t seed = 0;
  double seconds = 60;  // at most, besides shrinking
  bool go_on = false;   // past the first conviction
  int shrink_runs = 2000;
  double shrink_seconds = 30;  // at most; less on a slow machine means larger plans
  std::optional<std::string> driver_url;
  Backend* server = nullptr;  // behind that url, where we started it; borrowed for the call
  bool wants_disk = false;    // of ours, with the store's data on it
  Disk* disk = nullptr;       // which it is then, where it can be had; borrowed for the call
  std::string why_no_disk = {};
  std::string scratch;
  std::string log_folder;
  proxy::MakeLines make_lines = {};  // as in CertifyOptions
};

struct HuntedRule {
  RuleReport report;             // FAIL, of the smallest plan
  std::uint64_t first = 0;       // the number of the run that first convicted it, from 1
  std::uint64_t violations = 0;  // runs that did
};

struct HuntReport {
  Profile profile;               // what the driver claims
  std::uint64_t violations = 0;  // runs with a conviction
  std::uint64_t undecided = 0;   // without one, but with calls that had too many orders
  double seconds = 0;
  std::vector<HuntedRule> rules;
  std::optional<std::string> driver_trouble;  // the first
  std::optional<std::string> own_trouble;
  bool stopped = false;
};

}  // namespace assay
