#include "harness/contract/rules.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "harness/contract/check.h"
#include "harness/contract/detail/rule_groups.h"

namespace assay {

static std::vector<Rule> joined() {
  std::vector<Rule> all;
  for (const auto group :
       {rule_groups::delivery, rule_groups::claims, rule_groups::settling, rule_groups::jobs,
        rule_groups::calls, rule_groups::dispatch, rule_groups::found})
    all.insert(all.end(), group().begin(), group().end());
  return all;
}

std::span<const Rule> rules() {
  static const std::vector<Rule> all = joined();
  return all;
}

const Rule* find_rule(std::string_view id) {
  static const auto by_id = [] {
    std::unordered_map<std::string_view, const Rule*> index;
    for (const Rule& rule : rules()) index.emplace(rule.id, &rule);
    return index;
  }();
  const auto found = by_id.find(id);
  return found == by_id.end() ? nullptr : found->second;
}

std::string_view family_of(std::string_view rule_id) {
  return rule_id.substr(0, rule_id.rfind('-'));
}

static std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Takes the part before the separator off the front of `rest`.
static std::string_view next_part(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  const auto part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return trimmed(part);
}

static bool knob_is(const Profile& profile, std::string_view name, std::string_view value) {
  // The one number that decides what can be promised; retention that is not said is not none.
  if (name == "done_retention_ms" && value == "0") return profile.done_retention == Duration{0};
  if (name == "claim_batch" && value == "1") return profile.claim_batch == 1;
  const auto knob = std::ranges::find(knobs(), name, &Knob::name);
  CHECK(knob != knobs().end());
  const auto wanted = std::ranges::find(knob->values, value, &KnobValue::name);
  CHECK(wanted != knob->values.end());
  return knob->get(profile) == wanted - knob->values.begin();
}

static bool holds(const Profile& profile, std::string_view term) {
  if (const auto unequal = term.find("!="); unequal != std::string_view::npos)
    return !knob_is(profile, term.substr(0, unequal), term.substr(unequal + 2));
  if (const auto equal = term.find('='); equal != std::string_view::npos)
    return knob_is(profile, term.substr(0, equal), term.substr(equal + 1));
  CHECK(std::ranges::find(capabilities(), term, &Capability::name) != capabilities().end());
  return profile.has(term);
}

static bool any_holds(const Profile& profile, std::string_view alternatives) {
  while (!alternatives.empty())
    if (holds(profile, next_part(alternatives, '|'))) return true;
  return false;
}

bool concerns(const Rule& rule, Certifies layer) {
  return rule.certifies == layer || (layer == Certifies::engine && !rule.engine_needs.empty());
}

std::string_view needs_of(const Rule& rule, Certifies layer) {
  return layer == Certifies::engine && !rule.engine_needs.empty() ? rule.engine_needs : rule.needs;
}

bool applies(const Rule& rule, const Profile& profile) {
  return applies(rule, profile, rule.certifies);
}

bool applies(const Rule& rule, const Profile& profile, Certifies layer) {
  std::string_view needs = needs_of(rule, layer);
  while (!needs.empty())
    if (!any_holds(profile, next_part(needs, '&'))) return false;
  return true;
}

template <std::size_t Size>
using Names = std::array<std::string_view, Size>;  // by enumerator

static constexpr Names<3> strength_names{"must", "should", "may"};
static constexpr Names<3> kind_names{"safety", "liveness", "permission"};
static constexpr Names<4> level_names{"contract", "concurrency", "chaos", "durability"};
static constexpr Names<3> certifies_names{"driver", "engine", "harness"};

std::string_view name_of(Strength strength) {
  return strength_names[static_cast<std::size_t>(strength)];
}
std::string_view name_of(Kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }
std::string_view name_of(Level level) { return level_names[static_cast<std::size_t>(level)]; }
std::string_view name_of(Certifies certifies) {
  return certifies_names[static_cast<std::size_t>(certifies)];
}

std::optional<Level> level_from(std::string_view name) {
  const auto found = std::ranges::find(level_names, name);
  if (found == level_names.end()) return std::nullopt;
  return static_cast<Level>(found - level_names.begin());
}

}  // namespace assay
