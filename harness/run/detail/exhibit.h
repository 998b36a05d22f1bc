// exhibit: turns the first witness of a conviction into what a person can follow and repeat: a
// plan as small as the budget allows, its story, its token.
#pragma once

#include <stop_token>

#include "harness/run/detail/ledger.h"

namespace assay::detail {

struct ExhibitOptions {
  int shrink_runs = 0;
  double seconds = 0;  // for shrinking, at most
  std::stop_token stop;
};

// Fills in story, token, history, plan and reason; the token is `token` with the plan, the rule and
// the history's hash.
void exhibit(const RuleRecord& record, Subject& subject, ReplayToken token,
             const ExhibitOptions& options, RuleReport& report);

}  // namespace assay::detail
