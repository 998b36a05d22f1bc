// decide: the verdict of one rule, from what a whole run saw of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/run/certify.h"

namespace assay::detail {

// What the cases showed of one rule.
struct Sightings {
  bool judged = false;  // a property speaks of it
  bool convicted = false;
  std::uint64_t triggered = 0;
  std::optional<std::string> broken;  // the driver broke while it was tested: how
};

// What the run as a whole was like.
struct Circumstances {
  std::optional<std::string> unusable;        // the driver could not be used at all: why
  std::optional<std::string> driver_trouble;  // the first case that the driver broke: how
  std::uint64_t unknown_outcomes = 0;
  std::uint64_t voided = 0;     // cases whose fault showed no effect
  std::uint64_t undecided = 0;  // jobs whose calls had too many orders to be searched
};

struct Decision {
  Verdict verdict = Verdict::missing;
  std::string reason;  // empty: PASS
};

Decision decide(const Sightings& seen, const Circumstances& run);

}  // namespace assay::detail
