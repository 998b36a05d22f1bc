#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "drivers/all.h"
#include "drivers/mutants/all.h"
#include "engine/under_test.h"
#include "faults/all.h"
#include "faults/toxiproxy/instance.h"
#include "harness/cli/catalogue.h"
#include "harness/cli/commands.h"
#include "harness/cli/table.h"
#include "harness/cli/usage.h"
#include "harness/contract/profile_json.h"
#include "reports/text.h"
#include "scenarios/all.h"

namespace assay::cli {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

namespace {
// The same list for programs and for people.
struct Listing {
  Json json = Json::array();
  std::vector<std::string> heads;
  Rows rows;
  std::string notes;  // for people, below the table
};
}  // namespace

template <class Names>
static Json names_json(const Names& names) {
  Json all = Json::array();
  for (const auto& name : names) all.push_back(std::string(name));
  return all;
}

template <class Names>
static std::string spaced(const Names& names) {
  std::vector<std::string> all;
  for (const auto& name : names) all.emplace_back(name);
  return text::joined(all, " ");
}

static Listing list_rules() {
  Listing list;
  list.heads = {"RULE", "STRENGTH", "KIND", "LEVEL", "JUDGED", "PROMISE"};
  for (const Rule& rule : rules()) {
    const bool judged = is_judged(rule.id);
    list.json.push_back({{"id", rule.id},
                         {"family", family_of(rule.id)},
                         {"promise", rule.promise},
                         {"strength", name_of(rule.strength)},
                         {"kind", name_of(rule.kind)},
                         {"layers", rule.layers},
                         {"seeds", rule.seeds},
                         {"level", name_of(rule.level)},
                         {"certifies", name_of(rule.certifies)},
                         {"needs", rule.needs},
                         {"engine_needs", rule.engine_needs},
                         {"trigger", rule.trigger},
                         {"profiles", profiles_that_promise(rule)},
                         {"judged", judged},
                         {"mutants", mutants_killed_by(rule.id)}});
    list.rows.push_back({std::string(rule.id), std::string(name_of(rule.strength)),
                         std::string(name_of(rule.kind)), std::string(name_of(rule.level)),
                         judged ? "yes" : "-", std::string(rule.promise)});
  }
  return list;
}

static Listing list_profiles() {
  Listing list;
  list.heads = {"PROFILE", "DECIDER", "FENCE", "LATE SETTLE", "IDEM", "RULES", "CAPABILITIES"};
  for (const std::string_view name : profile_names()) {
    const Profile profile = *built_in_profile(name);
    std::size_t promised = 0;
    for (const Rule& rule : rules()) promised += is_promised(rule, profile) ? 1 : 0;
    const auto value = [&](std::string_view knob_name) {
      for (const Knob& knob : knobs())
        if (knob.name == knob_name)
          return std::string(knob.values[static_cast<std::size_t>(knob.get(profile))].name);
      return std::string();
    };
    list.json.push_back(Json::parse(to_json(profile)));
    list.rows.push_back({std::string(name), value("decider"), value("fence"), value("late_settle"),
                         value("idem"), std::to_string(promised), spaced(profile.capabilities)});
  }
  return list;
}

static Listing list_drivers() {
  Listing list;
  list.heads = {"DRIVER", "PROFILE", "WHAT IT IS"};
  for (const DriverInfo& driver : all_drivers()) {
    list.json.push_back(
        {{"name", driver.name}, {"profile", driver.default_profile}, {"summary", driver.summary}});
    list.rows.push_back({driver.name, driver.default_profile, driver.summary});
  }
  return list;
}

static Listing list_mutants() {
  Listing list;
  list.heads = {"MUTANT", "SUBJECT", "RULES", "PLANTED BUG"};
  for (const Mutant& mutant : all_mutants()) {
    list.json.push_back({{"name", mutant.name},
                         {"subject", mutant.subject},
                         {"rules", names_json(mutant.rules)},
                         {"racy", mutant.is_racy()},
                         {"summary", mutant.summary},
                         {"profile", mutant.profile}});
    list.rows.push_back({std::string(mutant.name), std::string(mutant.subject),
                         text::cut(spaced(mutant.rules), 18), std::string(mutant.summary)});
  }
  return list;
}

static Listing list_engines() {
  Listing list;
  list.heads = {"ENGINE", "BREAKS", "WHAT IT IS"};
  for (const EngineInfo& engine : engine::all_engines()) {
    list.json.push_back(
        {{"name", engine.name}, {"rules", names_json(engine.broken)}, {"summary", engine.summary}});
    list.rows.push_back(
        {engine.name, engine.broken.empty() ? "-" : spaced(engine.broken), engine.summary});
  }
  return list;
}

static Listing list_scenarios() {
  Listing list;
  list.heads = {"SCENARIO", "TRIGGERS", "WHAT HAPPENS"};
  const auto add = [&](const Scenario& scenario, std::string_view layer) {
    list.json.push_back({{"name", scenario.name},
                         {"summary", scenario.summary},
                         {"needs", scenario.needs},
                         {"layer", layer},
                         {"triggers", names_json(scenario.triggers)}});
    std::string triggers = text::cut(spaced(scenario.triggers), 16);
    list.rows.push_back(
        {std::string(scenario.name), std::move(triggers), std::string(scenario.summary)});
  };
  for (const Scenario& scenario : all_scenarios()) add(scenario, "driver");
  for (const Scenario& scenario : engine_scenarios()) add(scenario, "engine");
  return list;
}

static Listing list_faults() {
  Listing list;
  list.heads = {"FAULT", "FAMILY", "NEEDS", "WHAT GOES WRONG"};
  for (const FaultInfo& fault : all_faults()) {
    const auto missing = fault.why_not_here ? fault.why_not_here() : std::nullopt;
    Json with = Json::object();
    for (const auto& [name, number] : fault.with) with[std::string(name)] = number;
    list.json.push_back({{"name", fault.name},
                         {"family", fault.family},
                         {"summary", fault.summary},
                         {"effect", name_of(fault.effect)},
                         {"with", std::move(with)},
                         {"needs", fault.needs},
                         {"why_not_here", missing ? Json(*missing) : Json()}});
    list.rows.push_back({std::string(fault.name), std::string(fault.family),
                         std::string(fault.needs.empty() ? "-" : fault.needs),
                         std::string(fault.summary)});
    if (missing)
      list.notes += text::wrapped(
          fmt::format("{} is not to be had here: it {}", fault.name, *missing), 100, 0, 2);
  }
  list.notes += text::wrapped(
      fmt::format("faults of the network are made by {}; --toxiproxy of a run names another",
                  toxiproxy::expected(toxiproxy::wanted_here(std::nullopt, 0))),
      100, 0, 2);
  return list;
}

static Listing list_knobs() {
  Listing list;
  list.heads = {"KNOB", "VALUES", "WHAT IT DECIDES"};
  for (const Knob& knob : knobs()) {
    Json values = Json::array();
    std::vector<std::string> names;
    for (const KnobValue& value : knob.values) {
      values.push_back({{"name", value.name}, {"promise", value.promise}});
      names.emplace_back(value.name);
    }
    list.json.push_back(
        {{"name", knob.name}, {"question", knob.question}, {"values", std::move(values)}});
    list.rows.push_back(
        {std::string(knob.name), text::joined(names, " "), std::string(knob.question)});
  }
  return list;
}

int list_command(const ListArguments& arguments) {
  struct Kind {
    std::string name;
    Listing (*list)();
  };
  const Kind kinds[] = {{"rules", list_rules},     {"profiles", list_profiles},
                        {"drivers", list_drivers}, {"engines", list_engines},
                        {"mutants", list_mutants}, {"scenarios", list_scenarios},
                        {"faults", list_faults},   {"knobs", list_knobs}};
  const std::string advice =
      "it lists rules, profiles, drivers, engines, mutants, scenarios, faults or knobs";
  if (arguments.what.empty()) return wrong_usage("list needs to know what to list: " + advice);
  std::vector<std::string> names;
  for (const Kind& kind : kinds) {
    names.push_back(kind.name);
    if (kind.name != arguments.what) continue;
    const Listing list = kind.list();
    std::cout << (arguments.json ? list.json.dump(2) + "\n"
                                 : aligned(list.heads, list.rows) +
                                       (list.notes.empty() ? "" : "\n" + list.notes));
    return 0;
  }
  return wrong_usage(unknown("list of", arguments.what, names, advice).message);
}

}  // namespace assay::cli
