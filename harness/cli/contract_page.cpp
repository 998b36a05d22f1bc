#include "harness/cli/contract_page.h"

#include <fmt/format.h>

#include "harness/cli/catalogue.h"
#include "harness/cli/markdown.h"
#include "harness/contract/rules.h"

namespace assay::cli {

using namespace markdown;

static std::string needs_cell(const Rule& rule) {
  std::string text = rule.needs.empty() ? "always" : code(rule.needs);
  if (!rule.engine_needs.empty()) text += "; of an engine: " + code(rule.engine_needs);
  return text;
}

static std::string rules_section() {
  std::string out = "## Rules\n";
  std::string_view family;
  for (const Rule& rule : rules()) {
    if (family_of(rule.id) != family) {
      family = family_of(rule.id);
      out += fmt::format("\n### {}\n\n", family);
      out += head({"id", "promise", "strength", "kind", "layers", "seeds", "level", "certifies",
                   "applies where", "trigger"});
    }
    out += row({std::string(rule.id), cell(rule.promise), std::string(name_of(rule.strength)),
                std::string(name_of(rule.kind)), std::string(rule.layers), cell(rule.seeds),
                std::string(name_of(rule.level)), certified_in_words(rule), needs_cell(rule),
                cell(rule.trigger)});
  }
  return out;
}

static std::string knobs_section() {
  std::string out =
      "\n## Knobs\n\nA value that only weakens a promise permits: a driver that does better passes "
      "too.\n";
  for (const Knob& knob : knobs()) {
    out += fmt::format("\n### {}\n\n{}\n\n", code(knob.name), knob.question);
    out += head({"value", "promise"});
    for (const KnobValue& value : knob.values) out += row({code(value.name), cell(value.promise)});
  }
  return out;
}

static std::string in_seconds(Duration length) {
  if (length.count() % 1000 == 0) return fmt::format("{} s", length.count() / 1000);
  return fmt::format("{} ms", length.count());
}

static std::string profiles_section() {
  std::string out = "\n## Built-in profiles\n\n";
  std::vector<std::string> names{"knob"};
  std::vector<Profile> profiles;
  for (const std::string_view name : profile_names()) {
    names.push_back(code(name));
    profiles.push_back(*built_in_profile(name));
  }
  out += head(names);
  for (const Knob& knob : knobs()) {
    std::vector<std::string> cells{code(knob.name)};
    for (const Profile& profile : profiles)
      cells.push_back(code(knob.values[static_cast<std::size_t>(knob.get(profile))].name));
    out += row(cells);
  }
  const auto number = [&](std::string_view name, auto&& value) {
    std::vector<std::string> cells{code(name)};
    for (const Profile& profile : profiles) cells.push_back(value(profile));
    out += row(cells);
  };
  number("claim_batch", [](const Profile& p) { return std::to_string(p.claim_batch); });
  number("default_limit", [](const Profile& p) { return std::to_string(p.default_limit); });
  number("lease_ttl", [](const Profile& p) { return in_seconds(p.lease_ttl); });
  number("backoff", [](const Profile& p) {
    return in_seconds(p.backoff.base) + " to " + in_seconds(p.backoff.cap);
  });
  return out;
}

static std::string capabilities_section() {
  std::string out =
      "\n## Capabilities\n\nA missing one makes its rules not applicable, never passed.\n\n";
  std::vector<std::string> names{"capability", "meaning"};
  for (const std::string_view name : profile_names()) names.push_back(code(name));
  out += head(names);
  for (const Capability& capability : capabilities()) {
    std::vector<std::string> cells{code(capability.name), cell(capability.meaning)};
    for (const std::string_view name : profile_names())
      cells.push_back(built_in_profile(name)->has(capability.name) ? "yes" : "");
    out += row(cells);
  }
  return out;
}

std::string contract_page() {
  return "# The contract\n\n"
         "What a driver promises, rule by rule. This page is printed by `assay print contract` "
         "from the tables\n"
         "in `harness/contract`; change those, then print it again. `assay explain RULE` tells "
         "more of one rule.\n\n"
         "Kinds: *safety* can be decided on a finite history, *liveness* within a bound of time, "
         "*permission* is\n"
         "what a checker must not flag. Layers: D driver, E engine, W worker, X dispatcher, A "
         "admin, F flows,\n"
         "H the harness. A rule applies where its condition holds for the profile: `&` and, `|` "
         "or; a bare name\n"
         "is a capability, `done_retention_ms` one of the profile's numbers. A rule passes only if "
         "its trigger\n"
         "occurred.\n\n" +
         rules_section() + knobs_section() + profiles_section() + capabilities_section();
}

}  // namespace assay::cli
