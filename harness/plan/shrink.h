// shrink: makes a failing plan smaller by delta debugging, within a budget of runs.
#pragma once

#include <functional>

#include "harness/plan/plan.h"

namespace assay {

struct ShrinkResult {
  Plan plan;     // fails still; no step of it can be left out, if `minimal`
  int runs = 0;  // how often `fails` was asked
  bool minimal = false;
};

// Removes steps, then clients, then simplifies what is left (names, payloads, limits, offsets).
// Requires: fails(plan).
ShrinkResult shrink(const Plan& plan, const std::function<bool(const Plan&)>& fails, int max_runs);

}  // namespace assay
