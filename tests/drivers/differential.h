// Two drivers that share no logic: asked the same, they answer the same, but for the ids, tokens and
// cursors that they make. Backoff is drawn, so it is set to zero here.
#pragma once

#include "harness/contract/driver.h"

namespace assay::differential {

struct Subject {
  DriverInfo info;
  std::string url = {};  // empty: none
};

// Asks both the same drawn requests, round after round on fresh namespaces.
void expect_same_answers(const Subject& one, const Subject& other, Profile profile, int rounds);

// The same with drawn knobs, other ones each round.
void expect_same_answers_whatever_the_knobs(const Subject& one, const Subject& other, int rounds);

}  // namespace assay::differential
