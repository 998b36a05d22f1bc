// Timeline: the calls on one job that overlapped each other, or whose answers were lost, as the
// search for an explanation sees them: a state is what is known of the job, a step is allowed where
// no rule is broken.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/judge/detail/window.h"
#include "harness/search/search.h"

namespace assay::judging {

// What is known of a job, in one of the orders that its calls may have had. Shared by all the
// orders that lead to it.
struct World {
  std::shared_ptr<const JobFacts> job;
  Instant seen = {};  // the latest clock that a call in it showed

  bool operator==(const World& other) const;
};

// Makes the calls, one after the other, in the order that the search tries.
class Stage {
 public:
  virtual ~Stage() = default;
  // What becomes of the job if the call's answer is right; nothing where it breaks a rule.
  virtual std::optional<JobFacts> answered(const JobFacts& job, const Operation& operation) = 0;
  // What a call whose answer was lost may make of it at that instant.
  virtual std::vector<JobFacts> perhaps(const JobFacts& job, const Operation& operation,
                                        Instant at) = 0;
};

// For harness/search.
struct Timeline {
  using State = World;
  // Null: the end, which no operation follows.
  using Operation = const judging::Operation*;

  Stage& stage;
  World from;
  std::vector<Instant> instants;  // at which something happened, in order
  std::span<const World> known;   // ends that were found already: another is looked for
  mutable World end = {};

  State initial() const { return from; }
  std::vector<State> step(const State& state, Operation operation) const;
  std::size_t hash(const State& state) const;
  bool only_reads(Operation operation) const;
  bool alike(Operation one, Operation other) const;
  bool twins(Operation one, Operation other) const;
  bool matters(const State&, Operation, Operation next) const { return next != nullptr; }
};

// Whether the call, whose answer was lost, may still change the job, now or later.
bool may_matter(const Facts& facts, const JobFacts& job, const Operation& lost);

}  // namespace assay::judging
