#include "harness/judge/verdicts.h"

#include <algorithm>
#include <cstdint>

#include "harness/contract/check.h"
#include "harness/contract/rules.h"
#include "harness/judge/facts.h"

namespace assay {

// A rule is named by many literals, each at its own address; finding the slot by address costs
// nothing, and finish() adds up the slots of one name.
static constexpr std::size_t slot_count = 2048;
static constexpr std::size_t max_findings = 1000;

Verdicts::Verdicts(const Profile& profile) : profile_(profile), slots_(slot_count) {}
Verdicts::~Verdicts() = default;

Verdicts::Slot& Verdicts::slot(const char* rule) {
  std::size_t at = (reinterpret_cast<std::uintptr_t>(rule) * 0x9e3779b97f4a7c15ULL) >> 53;
  while (slots_[at].rule != rule) {
    if (!slots_[at].rule) return new_slot(rule, at);
    at = (at + 1) % slot_count;
  }
  return slots_[at];
}

Verdicts::Slot& Verdicts::new_slot(const char* rule, std::size_t at) {
  const Rule* row = find_rule(rule);
  CHECK(row != nullptr);
  slots_[at] = {rule, applies(*row, profile_), {}};
  return slots_[at];
}

void Verdicts::convict(const char* rule, const JobFacts* job, std::vector<OpId> ops,
                       std::string story) {
  Slot& found = slot(rule);
  if (!found.promised) return;
  ++found.tally.convicted;
  if (job) spoiled_.push_back(job->index);
  if (findings_.size() >= max_findings) return;
  ops.push_back(op_);
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  findings_.push_back({rule, std::move(story), std::move(ops)});
}

Judgement Verdicts::finish() {
  Judgement judgement;
  for (const Slot& found : slots_) {
    if (!found.rule || !found.promised) continue;
    Tally& tally = judgement.tallies[found.rule];
    tally.triggered += std::max(found.tally.triggered, found.tally.convicted);
    tally.convicted += found.tally.convicted;
  }
  std::erase_if(judgement.tallies, [](const auto& entry) { return entry.second.triggered == 0; });
  judgement.findings = std::move(findings_);
  return judgement;
}

}  // namespace assay
