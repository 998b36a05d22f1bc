// Judge: decides rules on a history. Pure: reads no clock, draws no number, talks to no driver.
//
// Events are fed one at a time in the order of the history, so a history need not fit in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/history/history.h"

namespace assay {

struct Property;  // harness/judge/property.h

// Why a rule is violated: sentences for people, and the operations that show it.
struct Finding {
  std::string rule;
  std::string story;
  std::vector<OpId> ops;        // witness, in order
  std::optional<OpId> at = {};  // the one that cannot be; absent: the last
};

struct Tally {
  std::uint64_t triggered = 0;
  std::uint64_t convicted = 0;
};

// By rule id, in order; only rules that were triggered. A vector: one is made for every case.
class Tallies {
 public:
  using Entry = std::pair<std::string_view, Tally>;  // ids are those of the table
  using Iterator = std::vector<Entry>::const_iterator;

  Iterator begin() const { return entries_.begin(); }
  Iterator end() const { return entries_.end(); }
  bool empty() const { return entries_.empty(); }
  Iterator find(std::string_view rule) const {
    const auto at = std::ranges::lower_bound(entries_, rule, {}, &Entry::first);
    return at != end() && at->first == rule ? at : end();
  }
  bool contains(std::string_view rule) const { return find(rule) != end(); }
  Tally of(std::string_view rule) const {
    const auto at = find(rule);
    return at == end() ? Tally{} : at->second;
  }

  // Requires: the ids come in their order.
  void append(std::string_view rule, Tally tally) { entries_.emplace_back(rule, tally); }
  void reserve(std::size_t count) { entries_.reserve(count); }

 private:
  std::vector<Entry> entries_;
};

struct Judgement {
  Tallies tallies;
  std::vector<Finding> findings;       // in the order of the history; bounded
  std::uint64_t unknown_outcomes = 0;  // operations nobody knows the end of
  bool overlapped = false;             // calls overlapped
  std::uint64_t undecided = 0;         // jobs whose calls had too many orders to be searched
};

// How much is searched for explanations in one history. What is beyond it is left undecided, so
// that a judge comes to an end whatever it is given: this takes about a minute.
struct JudgeLimits {
  std::uint64_t steps = 30'000'000;
};

class Judge {
 public:
  // The properties are borrowed for life.
  Judge(const Profile& profile, std::span<const Property> properties, JudgeLimits limits = {});
  ~Judge();
  Judge(Judge&&) noexcept;
  Judge& operator=(Judge&&) noexcept;

  const Profile& profile() const;

  void observe(const Event& event) { observe(Event(event)); }
  void observe(Event&& event);
  // The next ones, which it keeps for as long as it needs them; in exchange it gives back some that
  // it does not need any more, if there are any, so that their room may be used again. Quicker than
  // one event after the other.
  void observe(std::vector<Event>& events);
  // Afterwards it is as new: another history of the same profile may follow.
  Judgement finish();

  // A whole history, which must be of this judge's profile. Quicker than event by event.
  Judgement judge(const History& history);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Judgement judge(const History& history, std::span<const Property> properties);

}  // namespace assay
