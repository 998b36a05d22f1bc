#include "harness/run/detail/convictions.h"

#include <algorithm>

namespace assay::detail {

bool Convictions::add(std::uint64_t number, const Plan& plan, const CaseResult& result) {
  bool convicted = false;
  if (result.void_because) return false;
  for (const auto& [id, tally] : result.judgement.tallies) {
    if (tally.convicted == 0) continue;
    convicted = true;
    auto at = std::ranges::find(rules, id, [](const HuntedRule& rule) { return rule.report.id; });
    if (at == rules.end()) {
      HuntedRule rule;
      rule.report.id = id;
      rule.report.verdict = Verdict::fail;
      rule.first = number;
      rules.push_back(std::move(rule));
      at = rules.end() - 1;
      records_.push_back(
          {find_rule(id),
           {},
           0,
           Witness{as_it_went(plan, result), result.history,
                   story_of(result.history, result.judgement, id), ops_of(result.judgement, id)}});
    }
    ++at->violations;
  }
  return convicted;
}

void Convictions::exhibit_all(Subject& subject, const ReplayToken& token,
                              const ExhibitOptions& options,
                              const std::function<void(const std::string& rule)>& begins) {
  const Stopwatch watch;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    begins(rules[i].report.id);
    const double share =
        std::max(0.0, options.seconds - watch.seconds()) / static_cast<double>(records_.size() - i);
    exhibit(records_[i], subject, token, {options.shrink_runs, share, options.stop},
            rules[i].report);
  }
}

}  // namespace assay::detail
