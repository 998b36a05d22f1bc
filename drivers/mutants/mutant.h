// Mutant: a driver with one planted bug, and the rules that must convict it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/contract/driver.h"

namespace assay {

struct Mutant {
  std::string_view name;
  std::string_view subject = "memory";  // the driver it is a variant of
  std::vector<std::string_view> rules;  // each must convict it; the one it was written for first
  // The scenario that brings the clients together where the bug shows; empty: it shows to one.
  std::string_view race = {};
  // It shows where a client dies in the middle of a call.
  bool is_broken_by_death = false;
  std::string_view summary;
  std::string_view profile = "reference";  // the built-in profile under which it shows
  std::function<DriverInfo()> driver = {};

  bool is_racy() const { return !race.empty(); }
};

}  // namespace assay
