// The parts of the table of rules, in the order in which people read them. Each row: id, promise,
// strength, kind, layers, seeds, level, certifies, needs, trigger, and engine_needs where there
// are.
#pragma once

#include <span>

#include "harness/contract/rules.h"

namespace assay::rule_groups {

using enum Strength;
using enum Kind;
using enum Level;
using enum Certifies;

std::span<const Rule> delivery();
std::span<const Rule> claims();
std::span<const Rule> settling();
std::span<const Rule> jobs();
std::span<const Rule> calls();
std::span<const Rule> dispatch();
std::span<const Rule> found();

}  // namespace assay::rule_groups
