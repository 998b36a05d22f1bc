#include <fmt/format.h>

#include <functional>
#include <iostream>

#include "drivers/all.h"
#include "drivers/mutants/all.h"
#include "harness/cli/catalogue.h"
#include "harness/cli/commands.h"
#include "harness/cli/usage.h"
#include "harness/run/compare.h"
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

static std::string_view how_judged(const Rule& rule) {
  if (rule.id == alike_rule) return "by `assay certify all`, which compares the drivers";
  if (rule.kind == Kind::permission)
    return "never: it says what may happen, and tests hold that nobody is convicted for it";
  if (rule.certifies == Certifies::harness)
    return "by every certification: where a rule of these was not triggered it is VACUOUS, and the "
           "driver is not certified";
  return is_judged(rule.id) ? "yes" : "no: MISSING in every certification that speaks of it";
}

static std::string explained(const Rule& rule) {
  std::string out = fmt::format("{}: {}\n", rule.id, rule.promise);
  out += field("strength", name_of(rule.strength));
  out += field("kind", name_of(rule.kind));
  out += field("level", name_of(rule.level));
  out += field("layers", rule.layers);
  out += field("certifies", fmt::format("the {}", name_of(rule.certifies)) +
                                (rule.engine_needs.empty() ? "" : ", and the engine"));
  out += field("seeds", rule.seeds);
  out += field("applies", (rule.needs.empty() ? "" : "where ") + needs_in_words(rule));
  out += field("profiles", names_or(profiles_that_promise(rule), "none of the built-in ones"));
  out += field("trigger", rule.trigger);
  out += field("judged", how_judged(rule));
  out += field("mutants", names_or(mutants_killed_by(rule.id), "none"));
  out +=
      field("scenarios", names_or(scenarios_that_trigger(rule.id), "none; generated plans only"));
  return out;
}

static std::string explained_profile(std::string_view name, const Profile& profile) {
  std::size_t promised = 0;
  for (const Rule& rule : rules()) promised += is_promised(rule, profile) ? 1 : 0;
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
  out += field("racy", mutant.is_racy() ? "yes: only some interleavings show it" : "no");
  out += field("try", mutant.is_racy() ? fmt::format("assay explore mutant:{} --plan {}",
                                                     mutant.name, mutant.race)
                                       : fmt::format("assay certify mutant:{}", mutant.name));
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

static std::string explained(const VerdictMeaning& verdict) {
  return fmt::format("{}\n{}", name_of(verdict.verdict), text::wrapped(verdict.meaning, 100, 2, 0));
}

static std::string explained(const Capability& capability) {
  return fmt::format("capability {}: {}\n", capability.name, capability.meaning);
}

namespace {
struct Explainable {
  std::string_view kind;
  std::string name;
  std::function<std::string()> text;
};
}  // namespace

static std::vector<Explainable> everything() {
  std::vector<Explainable> all;
  const auto add = [&](std::string_view kind, const auto& parts, const auto& name_of_part) {
    for (const auto& part : parts)
      all.push_back({kind, std::string(name_of_part(part)), [part] { return explained(part); }});
  };
  const auto name = [](const auto& part) { return part.name; };
  add("rule", rules(), [](const Rule& rule) { return rule.id; });
  add("verdict", verdict_meanings, [](const VerdictMeaning& v) { return name_of(v.verdict); });
  for (const std::string_view profile : profile_names())
    all.push_back({"profile", std::string(profile),
                   [=] { return explained_profile(profile, *built_in_profile(profile)); }});
  add("knob", knobs(), name);
  add("capability", capabilities(), name);
  add("mutant", all_mutants(), name);
  add("scenario", all_scenarios(), name);
  return all;
}

static bool equal_but_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && edit_distance(a, b) == 0;
}

static std::string advice_on(std::string_view kind, const std::vector<std::string>& names) {
  constexpr std::size_t few = 12;
  if (kind.empty()) return "`assay list rules` lists the rules";
  if (names.size() <= few) return "there is " + text::joined(names, ", ");
  return fmt::format("`assay list {}s` lists them", kind);
}

int explain_command(const ExplainArguments& arguments) {
  if (arguments.what.empty())
    return wrong_usage(
        "explain needs a name: a rule like FENCE-2, profile:NAME, mutant:NAME, scenario:NAME, "
        "knob:NAME or a verdict like VACUOUS");
  const std::vector<Explainable> all = everything();
  std::string_view kind, name = arguments.what;
  for (const Explainable& one : all)
    if (arguments.what.starts_with(fmt::format("{}:", one.kind))) kind = one.kind;
  if (!kind.empty()) name.remove_prefix(kind.size() + 1);

  std::vector<std::string> known;
  for (const Explainable& one : all) {
    if (!kind.empty() && one.kind != kind) continue;
    known.push_back(one.name);
    if (!equal_but_case(one.name, name)) continue;
    std::cout << one.text();
    return 0;
  }
  const std::string_view what = "rule, profile, mutant, scenario, knob, capability or verdict";
  return wrong_usage(
      unknown(kind.empty() ? what : kind, name, known, advice_on(kind, known)).message);
}

}  // namespace assay::cli
