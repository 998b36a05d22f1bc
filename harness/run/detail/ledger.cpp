#include "harness/run/detail/ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/judge/property.h"
#include "harness/plan/story.h"
#include "harness/run/run.h"

namespace assay::detail {
namespace {

constexpr std::size_t troubles_kept = 200;
constexpr std::size_t driver_troubles_kept = 10;
constexpr std::uint64_t patience = 3;

void keep(std::vector<std::string>& troubles, std::size_t at_most, std::string trouble) {
  if (troubles.size() < at_most && std::ranges::find(troubles, trouble) == troubles.end())
    troubles.push_back(std::move(trouble));
}

std::uint64_t triggers(const Judgement& judgement, std::string_view rule) {
  const auto tally = judgement.tallies.find(rule);
  return tally == judgement.tallies.end() ? 0 : tally->second.triggered;
}

bool convicts_anything(const Judgement& judgement) {
  return !judgement.findings.empty() ||
         std::ranges::any_of(judgement.tallies, [](const auto& t) { return t.second.convicted; });
}

}  // namespace

std::string story_of(const History& history, const Judgement& judgement, std::string_view rule) {
  for (const Finding& finding : judgement.findings)
    if (finding.rule == rule) return tell(history, finding);
  return fmt::format("{} is violated.", rule);
}

std::vector<OpId> ops_of(const Judgement& judgement, std::string_view rule) {
  const auto finding = std::ranges::find(judgement.findings, rule, &Finding::rule);
  return finding == judgement.findings.end() ? std::vector<OpId>() : finding->ops;
}

Ledger::Ledger(const Profile& profile, const Selection& selection,
               std::span<const Property> properties)
    : profile_(profile), layer_(selection.layer), built_in_(is_built_in(profile)) {
  for (const Property& property : properties)
    for (std::string_view id : property.rules) judged_.emplace(id);
  for (const Rule* rule : selection.rules)
    records.push_back({rule, {.judged = judged_.contains(rule->id)}, 0, std::nullopt});
}

void Ledger::add(const Case& one, const CaseResult& result) {
  (one.scenario ? scenarios : generated) += 1;
  operations += static_cast<std::uint64_t>(std::ranges::count_if(
      result.history.events, [](const Event& e) { return std::holds_alternative<CallEvent>(e); }));
  circumstances.unknown_outcomes += result.judgement.unknown_outcomes;
  circumstances.undecided += result.judgement.undecided;
  lost_sight += result.lost_sight ? 1 : 0;
  tried_again += result.tried_again > 0 ? 1 : 0;
  detail::add(faults, one.plan, result);
  if (result.void_because) {
    ++circumstances.voided;
    return note_troubles(one, result);
  }
  if (std::ranges::any_of(durability_rules,
                          [&](auto rule) { return triggers(result.judgement, rule) > 0; }))
    for (const FaultRecord& record : result.faults) {
      outlived[record.fault] += record.is_proven();
      if (std::ranges::any_of(durability_rules,
                              [&](auto rule) { return convicts(result.judgement, rule); }))
        lost_in[record.fault] += record.is_proven();
    }
  for (RuleRecord& record : records) tally(record, one, result);
  for (const auto& [id, tally] : result.judgement.tallies)
    if (tally.convicted > 0 &&
        std::ranges::none_of(records, [&](const auto& r) { return r.rule->id == id; }))
      in_passing.emplace(id);
  note_troubles(one, result);
  if (one.scenario) hold_to_its_word(*one.scenario, result);
}

void Ledger::tally(RuleRecord& record, const Case& one, const CaseResult& result) const {
  const std::uint64_t times = triggers(result.judgement, record.rule->id);
  record.seen.triggered += times;
  record.cases += times > 0 ? 1 : 0;
  if (!convicts(result.judgement, record.rule->id)) return;
  record.seen.convicted = true;
  if (record.witness && !is_better(one.plan, record.witness->plan)) return;
  record.witness = {as_it_went(one.plan, result), result.history,
                    story_of(result.history, result.judgement, record.rule->id),
                    ops_of(result.judgement, record.rule->id)};
}

// One that happens again comes before one that may not, a short one before a long one.
bool Ledger::is_better(const Plan& plan, const Plan& than) const {
  const bool repeats = repeats_exactly(plan, profile_);
  if (repeats != repeats_exactly(than, profile_)) return repeats;
  return plan.steps.size() < than.steps.size();
}

void Ledger::driver_broke(const std::string& how) {
  keep(driver_troubles, driver_troubles_kept, how);
  if (!circumstances.driver_trouble) circumstances.driver_trouble = how;
}

void Ledger::note_troubles(const Case& one, const CaseResult& result) {
  if (result.own_trouble) keep(troubles, troubles_kept, *result.own_trouble);
  if (!result.driver_trouble) return;
  ++broken_;
  driver_broke(*result.driver_trouble);
  if (hopeless()) circumstances.unusable = circumstances.driver_trouble;
  // What the case was there for, and what it was at when the driver broke.
  for (RuleRecord& record : records) {
    const auto id = record.rule->id;
    const bool meant = one.scenario && std::ranges::find(one.scenario->triggers, id) !=
                                           one.scenario->triggers.end();
    if (!record.seen.broken && (meant || triggers(result.judgement, id) > 0))
      record.seen.broken = result.driver_trouble;
  }
}

bool Ledger::hopeless() const { return broken_ >= patience && broken_ == scenarios + generated; }

// A scenario that does not make happen what it is there for tests nothing. A driver that
// misbehaves in it may keep that from happening: then it is not the scenario's fault.
void Ledger::hold_to_its_word(const Scenario& scenario, const CaseResult& result) {
  if (!built_in_ || profile_.in_real_time() || result.driver_trouble || result.own_trouble ||
      result.judgement.unknown_outcomes > 0 || convicts_anything(result.judgement))
    return;
  for (std::string_view id : scenario.triggers) {
    const Rule* rule = find_rule(id);
    if (!rule)
      keep(troubles, troubles_kept,
           fmt::format("scenario {} names {}, which is no rule", scenario.name, id));
    else if (judged_.contains(id) && applies(*rule, profile_, layer_) &&
             triggers(result.judgement, id) == 0)
      keep(troubles, troubles_kept,
           fmt::format("scenario {} did not trigger {}", scenario.name, id));
  }
}

std::vector<std::string> Ledger::remarks() const {
  std::vector<std::string> all;
  if (const auto voided = circumstances.voided; voided > 0)
    all.push_back(fmt::format(
        "nothing is concluded from {}: a fault could not be made there, or nothing shows that it "
        "took effect",
        voided == 1 ? "one case" : fmt::format("{} cases", voided)));
  if (lost_sight > 0)
    all.push_back(fmt::format(
        "in {} with a schedule a client came to no gate for so long that the others went on, or "
        "asked its store for something outside of its calls: there, who is faster decided too",
        lost_sight == 1 ? "one case" : fmt::format("{} cases", lost_sight)));
  if (tried_again > 0)
    all.push_back(fmt::format(
        "{} run again: the Toxiproxy held something up there without being told to, and a client "
        "gave up waiting for it",
        tried_again == 1 ? "one case was" : fmt::format("{} cases were", tried_again)));
  if (missed_cuts > 0)
    all.push_back(fmt::format(
        "in {} of a sweep the client made its call without coming to the point at which it was to "
        "be cut off: nothing is known of {}, and the run counts as stopped before its end",
        missed_cuts == 1 ? "one case" : fmt::format("{} cases", missed_cuts),
        missed_cuts == 1 ? "that point" : "those points"));
  return all;
}

std::size_t Ledger::convicted() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(records, [](const auto& r) { return r.seen.convicted; }));
}

}  // namespace assay::detail
