#include "harness/judge/verdicts.h"

#include <algorithm>

#include "harness/contract/check.h"
#include "harness/contract/rules.h"
#include "harness/judge/facts.h"

namespace assay {

static constexpr std::size_t max_findings = 1000;

// The ids of all rules, in their order.
static const std::vector<std::string_view>& ids_in_order() {
  static const std::vector<std::string_view> ids = [] {
    std::vector<std::string_view> all;
    for (const Rule& rule : rules()) all.push_back(rule.id);
    std::ranges::sort(all);
    return all;
  }();
  return ids;
}

Verdicts::Verdicts(const Profile& profile, Certifies layer)
    : profile_(profile), layer_(layer), slots_(slot_count), totals_(ids_in_order().size()) {}
Verdicts::~Verdicts() = default;

void Verdicts::triggered(const char* rule) {
  if (!trial_) ++slot(rule).tally.triggered;
}

Verdicts::Slot& Verdicts::new_slot(const char* rule, std::size_t at) {
  const Rule* row = find_rule(rule);
  CHECK(row != nullptr);
  const auto rank = std::ranges::lower_bound(ids_in_order(), row->id) - ids_in_order().begin();
  slots_[at] = {rule, applies(*row, profile_, layer_), static_cast<std::size_t>(rank), {}};
  used_.push_back(at);
  return slots_[at];
}

void Verdicts::convict(const char* rule, const JobFacts* job, std::vector<OpId> ops,
                       std::string story) {
  Slot& found = slot(rule);
  if (!found.promised) return;
  std::vector<Finding>& findings = trial_ ? *trial_ : findings_;
  if (!trial_) {
    ++found.tally.convicted;
    if (job) spoiled_.push_back(job->index);
  }
  if (findings.size() >= max_findings) return;
  ops.push_back(op_);
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  findings.push_back({rule, std::move(story), std::move(ops), op_});
}

bool Verdicts::keeps_more() const { return findings_.size() < max_findings; }

void Verdicts::accept(const Finding& finding, std::size_t job) {
  Slot& found = slot(find_rule(finding.rule)->id.data());
  ++found.tally.convicted;
  spoiled_.push_back(job);
  if (!found.promised) return;
  if (findings_.size() < max_findings) findings_.push_back(finding);
}

Judgement Verdicts::finish() {
  for (const std::size_t at : used_) {
    Slot& found = slots_[at];
    if (found.promised) {
      totals_[found.rank].triggered += std::max(found.tally.triggered, found.tally.convicted);
      totals_[found.rank].convicted += found.tally.convicted;
    }
    found.tally = {};
  }
  Judgement judgement;
  judgement.tallies.reserve(used_.size());
  for (std::size_t rank = 0; rank < totals_.size(); ++rank) {
    if (totals_[rank].triggered == 0) continue;
    judgement.tallies.append(ids_in_order()[rank], totals_[rank]);
    totals_[rank] = {};
  }
  judgement.findings = std::exchange(findings_, {});
  return judgement;
}

}  // namespace assay
