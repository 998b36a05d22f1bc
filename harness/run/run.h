// run: takes a plan and a driver, and produces a history. It owns sessions and time. It judges
// nothing.
#pragma once

#include <optional>
#include <vector>

#include "harness/history/history.h"
#include "harness/plan/plan.h"

namespace assay {

struct RunResult {
  History history;
  std::vector<std::size_t> step_of_op;  // by operation id: the plan's step that made it
  std::optional<Error> trouble;  // the run could not be carried through: what the driver answered
};

// Sets a fresh namespace up, opens a session a client, makes the steps in order, closes, tears
// down.
RunResult run(const Plan& plan, Driver& driver, const std::string& driver_name);

}  // namespace assay
