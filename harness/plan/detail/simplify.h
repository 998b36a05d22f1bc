// The ways in which a plan can be made simpler, each harmless to try: what shrinking offers to the
// failing check one at a time.
#pragma once

#include <cstddef>
#include <span>

#include "harness/plan/plan.h"

namespace assay::detail {

using PlanChange = Plan (*)(const Plan&);
using StepChange = void (*)(Step&);

// Of the whole plan: names that all steps share.
extern const std::span<const PlanChange> plan_changes;
// Of one step, the strongest first.
extern const std::span<const StepChange> step_changes;

Plan without_unused_clients(const Plan& plan);

// Nor its steps. Requires: it is there.
Plan without_worker(const Plan& plan, std::size_t worker);

// Whether a story reads no worse if one client did what these two do: they have the same role, and
// do not both claim, for then who took a job over from whom is the story.
bool may_be_one(const Plan& plan, std::size_t one, std::size_t other);

// The steps of `gone` are made by `heir`. Requires: both are clients, and not the same.
Plan with_clients_merged(const Plan& plan, std::size_t gone, std::size_t heir);

// Slots of jobs, and slots of claims, numbered 0, 1, ... in the order in which they are filled.
Plan with_dense_slots(const Plan& plan);

}  // namespace assay::detail
