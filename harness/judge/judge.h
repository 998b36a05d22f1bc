// Judge: decides rules on a history. Pure: reads no clock, draws no number, talks to no driver.
//
// Events are fed one at a time in the order of the history, so a history need not fit in memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/history/history.h"

namespace assay {

struct Property;  // harness/judge/property.h

// Why a rule is violated: sentences for people, and the operations that show it.
struct Finding {
  std::string rule;
  std::string story;
  std::vector<OpId> ops;  // witness, in order; the last is the one that cannot be
};

struct Tally {
  std::uint64_t triggered = 0;
  std::uint64_t convicted = 0;
};

struct Judgement {
  std::map<std::string, Tally, std::less<>> tallies;  // by rule id; only rules that were triggered
  std::vector<Finding> findings;                      // in the order of the history; bounded
  std::uint64_t unknown_outcomes = 0;                 // operations nobody knows the end of
  bool overlapped = false;  // calls overlapped: nothing was concluded from there on
};

class Judge {
 public:
  // The properties are borrowed for life.
  Judge(const Profile& profile, std::span<const Property> properties);
  ~Judge();
  Judge(Judge&&) noexcept;
  Judge& operator=(Judge&&) noexcept;

  void observe(const Event& event);
  Judgement finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Judgement judge(const History& history, std::span<const Property> properties);

}  // namespace assay
