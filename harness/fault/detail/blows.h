// Blow: a fault's place in a plan: the steps before which it begins and ends.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/plan/plan.h"

namespace assay::detail {

struct Blow {
  std::size_t from, to;  // the numbers of those steps
  FaultSpec fault;
  int client;                   // -1: everybody
  bool between_rounds = false;  // it begins and ends while nobody moves

  // They would undo each other. What befalls the store's clock between rounds is in nobody's way.
  bool meets(const Blow& other) const;
};

// What ends with a round of clients that move at once ends in it, unless it is between rounds:
// somebody may not come to the round's end otherwise. Requires: no two of them meet.
Plan with_blows(Plan plan, std::vector<Blow> blows);

// The steps of each round in turns, a client after the other, each client's in the order that it
// had: so that what stands in the middle of a round befalls clients in the middle of theirs.
Plan in_turns(Plan plan);

}  // namespace assay::detail
