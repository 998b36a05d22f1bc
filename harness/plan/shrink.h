// shrink: makes a failing plan smaller by delta debugging, within a budget of runs. First what is
// done, then who moves when.
#pragma once

#include <functional>

#include "harness/plan/plan.h"

namespace assay {

struct ShrinkResult {
  Plan plan;     // fails still; no step of it can be left out, if `minimal`
  int runs = 0;  // how often `fails` was asked
  bool minimal = false;
};

// Whether the plan fails still. It may give the plan another schedule that it fails by.
using Fails = std::function<bool(Plan&)>;

// Removes steps, then clients, then simplifies what is left (names, payloads, limits, offsets).
// Requires: fails(plan).
ShrinkResult shrink(const Plan& plan, const Fails& fails, int max_runs);

// Lets clients go on for longer, until no switch from one to another can be left out. `fails` gives
// the plan the choices that were really made. Requires: a schedule of choices, and fails(plan).
ShrinkResult shrink_schedule(const Plan& plan, const Fails& fails, int max_runs);

}  // namespace assay
