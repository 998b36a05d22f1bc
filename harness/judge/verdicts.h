// Verdicts: where properties say that a rule's trigger occurred, and that it was violated.
//
// Rules that the profile does not promise of that layer are neither counted nor convicted.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/contract/rules.h"
#include "harness/judge/judge.h"

namespace assay {

struct JobFacts;

class Verdicts {
 public:
  explicit Verdicts(const Profile& profile, Certifies layer = Certifies::driver);
  ~Verdicts();

  // `rule` is a literal: an id of the table.
  // Not inline: properties call it in very many places, which would not fit into the processor's
  // caches with it.
  void triggered(const char* rule);

  // The job, if any, is not judged any further. `ops` are the witness besides the operation at
  // hand.
  // Seldom called: what leads to it stays out of the way of what is.
  [[gnu::cold]] void convict(const char* rule, const JobFacts* job, std::vector<OpId> ops,
                             std::string story);

  // A trigger, and a conviction unless `holds`. The story is only told when it is needed.
  template <class Story>
  void expect(const char* rule, bool holds, const JobFacts& job, std::initializer_list<OpId> ops,
              const Story& story) {
    triggered(rule);
    if (!holds) convict(rule, &job, ops, story());
  }
  template <class Story>
  void expect(const char* rule, bool holds, const JobFacts& job, const std::vector<OpId>& ops,
              const Story& story) {
    triggered(rule);
    if (!holds) convict(rule, &job, ops, story());
  }

  // While there is one, nothing is counted and findings go there: the order of calls that is tried
  // may be another than the one that was.
  // Gives back where they went before.
  std::vector<Finding>* set_trial(std::vector<Finding>* findings) {
    return std::exchange(trial_, findings);
  }
  // What a trial found is final. The story is told of this job.
  void accept(const Finding& finding, std::size_t job);

  // Whether another finding would be kept.
  bool keeps_more() const;

  // Between operations.
  void begin(OpId op) { op_ = op; }
  std::vector<std::size_t> take_spoiled() { return std::move(spoiled_); }

  // Afterwards nothing is counted yet, as at the start.
  Judgement finish();

 private:
  struct Slot {
    const char* rule = nullptr;
    bool promised = false;
    std::size_t rank = 0;  // of the rule, by id
    Tally tally;
  };
  // A rule is named by many literals, each at its own address; finding the slot by address costs
  // next to nothing, and finish() adds up the slots of one name.
  static constexpr std::size_t slot_bits = 11, slot_count = std::size_t{1} << slot_bits;
  Slot& slot(const char* rule) {
    std::size_t at =
        (reinterpret_cast<std::uintptr_t>(rule) * 0x9e3779b97f4a7c15ULL) >> (64 - slot_bits);
    while (slots_[at].rule != rule) {
      if (!slots_[at].rule) return new_slot(rule, at);
      at = (at + 1) % slot_count;
    }
    return slots_[at];
  }
  [[gnu::cold]] Slot& new_slot(const char* rule, std::size_t at);

  const Profile& profile_;
  const Certifies layer_;
  OpId op_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::size_t> used_;  // of the slots
  std::vector<Tally> totals_;      // by rank
  std::vector<Finding> findings_;
  std::vector<std::size_t> spoiled_;
  std::vector<Finding>* trial_ = nullptr;
};

}  // namespace assay
