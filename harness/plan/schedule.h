// Schedule: who moves when, where clients move at once: as plain data, a part of a plan.
//
// A plan without one leaves that to the machine. One that is drawn (random_walk, pct) is decided by
// its seed; one of choices names the client that makes each move. Choices are followed as far as
// they can be: a client that cannot move is passed over, and behind the last one each goes on for
// as long as it can. So a plan with steps left out still has a schedule. One that is drawn may
// begin with choices, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/result.h"

namespace assay {

struct Schedule {
  enum class Kind { random_walk, pct, choices };
  Kind kind = Kind::random_walk;
  std::uint64_t seed = 0;    // random_walk, pct
  int depth = 3;             // pct: the ordering constraints of the bugs looked for
  std::uint64_t moves = 64;  // pct: about as many as there will be
  // By client; the number behind the last client's is the clock. Each round of free steps has its
  // own, with `next_round` in between.
  std::vector<int> choices = {};
  static constexpr int next_round = -1;
  bool operator==(const Schedule&) const = default;
};

std::string_view name_of(Schedule::Kind kind);  // "random_walk", "pct", "choices"

// How often another client goes on than the one before: what shrinking makes less.
std::size_t switches(const std::vector<int>& choices);

// "0*3 1 0*2 | 1 0": for people and tokens, and back.
std::string text_of(const std::vector<int>& choices);
Result<std::vector<int>> choices_from(std::string_view text);

}  // namespace assay
