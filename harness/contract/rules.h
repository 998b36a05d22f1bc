// Rule: one promise of the contract. The one table behind `assay list rules`, `assay explain RULE`
// and docs/contract.md.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/contract/profile.h"

namespace assay {

enum class Strength { must, should, may };
enum class Kind { safety, liveness, permission };
// The lowest level at which the rule's trigger can occur. Each level includes the ones before.
enum class Level { contract, concurrency, chaos, durability };
// Whose certification speaks of the rule. Where a failure leads is for whoever decides: such a rule
// is the driver's where decider=store and, by its engine_needs, the engine's elsewhere.
enum class Certifies { driver, engine, harness };

struct Rule {
  std::string_view id;       // "FENCE-2"
  std::string_view promise;  // one sentence
  Strength strength;
  Kind kind;
  std::string_view layers;  // "D,E": driver, engine, worker, dispatcher (X), admin, flows, harness
  std::string_view seeds;   // "000 002 004"; for rules found in code, the repository
  Level level;
  Certifies certifies;
  std::string_view needs;    // when it applies: "" always, else "late_settle=reject", "pause",
                             // "idem!=none & dlq_ops"
  std::string_view trigger;  // what must occur before a verdict means anything
  // Of a rule of drivers that an engine can break, too: when it is the engine's. Empty: never.
  std::string_view engine_needs = {};
};

std::span<const Rule> rules();
const Rule* find_rule(std::string_view id);
std::string_view family_of(std::string_view rule_id);  // "FENCE"

// Whether a certification of that layer ever speaks of the rule.
bool concerns(const Rule& rule, Certifies layer);

// Whether a driver of this profile promises the rule, or an engine on such a driver. `needs` is a
// conjunction (&) of terms: a capability's name, knob=value, knob!=value, done_retention_ms!=0;
// each term may hold alternatives (|). Without a layer: whom the rule names first.
bool applies(const Rule& rule, const Profile& profile);
bool applies(const Rule& rule, const Profile& profile, Certifies layer);
std::string_view needs_of(const Rule& rule, Certifies layer);

std::string_view name_of(Strength strength);
std::string_view name_of(Kind kind);
std::string_view name_of(Level level);
std::string_view name_of(Certifies certifies);
std::optional<Level> level_from(std::string_view name);

}  // namespace assay
