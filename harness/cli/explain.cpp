#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "drivers/all.h"
#include "drivers/mutants/all.h"
#include "harness/cli/catalogue.h"
#include "harness/cli/commands.h"
#include "harness/cli/usage.h"
#include "harness/run/certify.h"
#include "reports/text.h"
#include "scenarios/all.h"

namespace assay::cli {

static std::string field(std::string_view name, std::string_view value) {
  const std::string head = fmt::format("  {:<12}", name);
  std::string out = text::wrapped(value.empty() ? "-" : value, 100, head.size(), 0);
  return out.replace(0, head.size(), head);
}

static std::string names_or(const std::vector<std::string>& names, std::string_view none) {
  return names.empty() ? std::string(none) : text::joined(names, ", ");
}

static std::string explained(const Rule& rule) {
  const bool judged = is_judged(rule.id);
  std::string out = fmt::format("{}: {}\n", rule.id, rule.promise);
  out += field("strength", name_of(rule.strength));
  out += field("kind", name_of(rule.kind));
  out += field("level", name_of(rule.level));
  out += field("layers", rule.layers);
  out += field("certifies", fmt::format("the {}", name_of(rule.certifies)));
  out += field("seeds", rule.seeds);
  out += field("applies", rule.needs.empty() ? "always" : fmt::format("where {}", rule.needs));
  out += field("profiles", names_or(profiles_that_promise(rule), "none of the built-in ones"));
  out += field("trigger", rule.trigger);
  out += field("judged", judged ? "yes" : "no: MISSING in every certification that speaks of it");
  out += field("mutants", names_or(mutants_killed_by(rule.id), "none"));
  out +=
      field("scenarios", names_or(scenarios_that_trigger(rule.id), "none; generated plans only"));
  return out;
}

static std::string explained_profile(std::string_view name, const Profile& profile) {
  std::size_t promised = 0;
  for (const Rule& rule : rules()) promised += assay::applies(rule, profile) ? 1 : 0;
  std::string out =
      fmt::format("profile {}: promises {} of {} rules\n", name, promised, rules().size());
  for (const std::string& line : describe(profile)) out += text::wrapped(line, 100, 2, 2);
  return out;
}

static std::string explained(const Mutant& mutant) {
  std::vector<std::string> convicts;
  for (const auto& rule : mutant.rules) convicts.emplace_back(rule);
  std::string out = fmt::format("mutant {}: {}\n", mutant.name, mutant.summary);
  out += field("subject", mutant.subject);
  out += field("profile", mutant.profile);
  out += field("convicted", "by " + text::joined(convicts, ", "));
  out += field("racy", mutant.racy ? "yes: only some interleavings show it" : "no");
  out += field("try", fmt::format("assay certify mutant:{}", mutant.name));
  return out;
}

static std::string explained(const Scenario& scenario) {
  std::vector<std::string> triggers, profiles;
  for (const auto& rule : scenario.triggers) triggers.emplace_back(rule);
  for (const std::string_view name : profile_names())
    if (applies(scenario, *built_in_profile(name))) profiles.emplace_back(name);
  std::string out = fmt::format("scenario {}: {}\n", scenario.name, scenario.summary);
  out +=
      field("applies", scenario.needs.empty() ? "always" : fmt::format("where {}", scenario.needs));
  out += field("profiles", names_or(profiles, "none of the built-in ones"));
  out += field("triggers", names_or(triggers, "none"));
  return out;
}

static std::string explained(const Knob& knob) {
  std::string out = fmt::format("knob {}: {}\n", knob.name, knob.question);
  for (std::size_t i = 0; i < knob.values.size(); ++i) {
    std::vector<std::string> users;
    for (const std::string_view name : profile_names())
      if (knob.get(*built_in_profile(name)) == static_cast<int>(i)) users.emplace_back(name);
    out += fmt::format("  {} ({})\n", knob.values[i].name, names_or(users, "no built-in profile"));
    out += text::wrapped(knob.values[i].promise, 100, 6, 0);
  }
  return out;
}

namespace {
struct VerdictMeaning {
  Verdict verdict;
  std::string_view meaning;
};
}  // namespace

static constexpr VerdictMeaning verdict_meanings[] = {
    {Verdict::pass, "The rule's trigger occurred and the rule held every time."},
    {Verdict::fail,
     "The rule was broken. The story says how, the token replays it; exit status 1."},
    {Verdict::error,
     "The driver broke the protocol, or Assay had trouble of its own, so the rule could not be "
     "judged."},
    {Verdict::inconclusive,
     "The trigger occurred, but what happened can be explained both ways; exit status 2 at best."},
    {Verdict::vacuous,
     "The rule's trigger never occurred: nothing was tested, so nothing passed. A larger budget "
     "may "
     "help; exit status 2 at best."},
    {Verdict::not_applicable, "The profile does not claim the rule; it neither passes nor fails."},
    {Verdict::missing,
     "The rule is claimed and of this level and layer, but this version of Assay does not run it; "
     "exit status 2 at best."},
    {Verdict::waived,
     "The rule fails, and a waiver with a reason, a link and an expiry covers it."},
};

static std::string without(std::string_view prefix, const std::string& name, bool& prefixed) {
  prefixed = name.starts_with(prefix);
  return prefixed ? name.substr(prefix.size()) : name;
}

// Looks a name up in one catalogue; with the catalogue's prefix, or bare.
template <class All, class Explain>
static bool explained_in(const All& all, std::string_view prefix, const std::string& what,
                         std::vector<std::string>& known, const Explain& explain) {
  bool prefixed = false;
  const std::string name = without(prefix, what, prefixed);
  for (const auto& part : all) {
    known.push_back(std::string(prefix) + std::string(part.name));
    if (part.name != name) continue;
    std::cout << explain(part);
    return true;
  }
  return false;
}

static bool equal_but_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && edit_distance(a, b) == 0;
}

static bool explained_rule_or_verdict(const std::string& what, std::vector<std::string>& known) {
  for (const Rule& rule : rules()) {
    known.emplace_back(rule.id);
    if (!equal_but_case(rule.id, what)) continue;
    std::cout << explained(rule);
    return true;
  }
  for (const VerdictMeaning& verdict : verdict_meanings) {
    known.emplace_back(name_of(verdict.verdict));
    if (!equal_but_case(name_of(verdict.verdict), what)) continue;
    std::cout << name_of(verdict.verdict) << "\n" << text::wrapped(verdict.meaning, 100, 2, 0);
    return true;
  }
  return false;
}

int explain_command(const ExplainArguments& arguments) {
  const std::string& what = arguments.what;
  if (what.empty())
    return wrong_usage(
        "explain needs a name: a rule like FENCE-2, profile:NAME, mutant:NAME, scenario:NAME, "
        "knob:NAME or a verdict like VACUOUS");
  std::vector<std::string> known;
  if (explained_rule_or_verdict(what, known)) return 0;
  bool prefixed = false;
  const std::string profile = without("profile:", what, prefixed);
  for (const std::string_view name : profile_names())
    known.push_back(fmt::format("profile:{}", name));
  if (const auto built_in = built_in_profile(profile)) {
    std::cout << explained_profile(profile, *built_in);
    return 0;
  }
  const auto tell = [](const auto& part) { return explained(part); };
  const auto tell_capability = [](const Capability& capability) {
    return fmt::format("capability {}: {}\n", capability.name, capability.meaning);
  };
  if (explained_in(knobs(), "knob:", what, known, tell)) return 0;
  if (explained_in(capabilities(), "capability:", what, known, tell_capability)) return 0;
  if (explained_in(all_mutants(), "mutant:", what, known, tell)) return 0;
  if (explained_in(all_scenarios(), "scenario:", what, known, tell)) return 0;
  return wrong_usage(unknown("rule, profile, mutant, scenario, knob or verdict", what, known,
                             "`assay list rules` lists the rules")
                         .message);
}

}  // namespace assay::cli
