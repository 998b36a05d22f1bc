// Ledger: what the cases of a certification add up to: the sightings of each rule, its smallest
// witness, and the troubles.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/run/detail/cases.h"
#include "harness/run/detail/fault_tallies.h"
#include "harness/run/detail/subject.h"
#include "harness/run/detail/verdicts.h"

namespace assay::detail {

struct Witness {
  Plan plan;
  History history;
  std::string story;      // the finding's sentences
  std::vector<OpId> ops;  // and what they are about
};

struct RuleRecord {
  const Rule* rule = nullptr;
  Sightings seen;
  std::uint64_t cases = 0;         // in how many it was triggered
  std::optional<Witness> witness;  // where it was convicted
};

// Why the history violates the rule; all that can be said where the judge kept no finding.
std::string story_of(const History& history, const Judgement& judgement, std::string_view rule);

// The operations that show it; none where the judge kept no finding.
std::vector<OpId> ops_of(const Judgement& judgement, std::string_view rule);

class Ledger {
 public:
  Ledger(const Profile& profile, const Selection& selection, std::span<const Property> properties);

  void add(const Case& one, const CaseResult& result);

  // The driver broke in every one of the first cases: there is nothing to go on for.
  bool hopeless() const;
  std::uint64_t broken() const { return broken_; }  // in so many cases

  void driver_broke(const std::string& how);  // outside of any case
  std::size_t convicted() const;

  std::vector<RuleRecord> records;                // of the rules that are selected and claimed
  std::set<std::string, std::less<>> in_passing;  // convicted, but not selected
  Circumstances circumstances;
  std::vector<std::string> troubles;
  std::vector<std::string> driver_troubles;
  std::uint64_t scenarios = 0;
  std::uint64_t generated = 0;
  std::uint64_t operations = 0;
  std::uint64_t lost_sight = 0;  // cases whose schedule did not decide all
  FaultTallies faults;
  // In cases whose durability was judged: how many of each name, shown to have taken effect.
  std::map<std::string, std::uint64_t> outlived;
  std::map<std::string, std::uint64_t> lost_in;  // of them: where it was convicted
  std::uint64_t tried_again = 0;                 // cases that a proxy had held up
  std::uint64_t missed_cuts = 0;  // cases whose client never came to where it was to be cut off

  // For the reader of the report: a sentence each.
  std::vector<std::string> remarks() const;

 private:
  bool is_better(const Plan& plan, const Plan& than) const;
  void tally(RuleRecord& record, const Case& one, const CaseResult& result) const;
  void note_troubles(const Case& one, const CaseResult& result);
  void hold_to_its_word(const Scenario& scenario, const CaseResult& result);

  Profile profile_;
  Certifies layer_;
  bool built_in_;  // the scenarios' words are written for the built-in profiles
  std::set<std::string, std::less<>> judged_;
  std::uint64_t broken_ = 0;
};

}  // namespace assay::detail
