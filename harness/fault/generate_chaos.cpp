#include "harness/fault/generate_chaos.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/contract/random.h"
#include "harness/plan/account.h"
#include "harness/plan/generate.h"

namespace assay {

std::vector<const FaultInfo*> draw_mix(std::span<const FaultInfo* const> all, std::uint64_t seed) {
  Random random = Random(seed).fork("faults");
  std::vector<const FaultInfo*> mix;
  for (const FaultInfo* fault : all)
    if (random.below(2) == 0) mix.push_back(fault);
  if (mix.empty() && !all.empty()) mix.push_back(all[random.below(all.size())]);
  return mix;
}

namespace {

// A fault lasts for so many steps at most: while a line is dead each call takes as long as its
// client is patient.
constexpr std::uint64_t longest = 4;
constexpr std::uint64_t faults_at_most = 4;
constexpr int steps = 30;

FaultSpec drawn(const FaultInfo& fault, Random& random) {
  FaultSpec spec{std::string(fault.name), fault.family == "store", {}};
  // From half to twice what it is without being said, either way.
  for (const auto& [name, usual] : fault.with) {
    if (usual == 0) continue;
    const std::int64_t size = std::max<std::int64_t>(
        1, usual / 2 + static_cast<std::int64_t>(
                           random.below(static_cast<std::uint64_t>(std::abs(usual)) * 3 / 2 + 1)));
    const bool is_turned = name == "offset_ms" && random.below(2) == 0;
    spec.with[std::string(name)] = is_turned ? -size : size;
  }
  return spec;
}

}  // namespace

Plan generate_chaos(const Profile& profile, std::uint64_t seed,
                    std::span<const FaultInfo* const> mix) {
  Random random = Random(seed).fork("chaos");
  Plan plan = generate(profile, seed, {.steps = steps});
  int slot = 0;
  for (const Step& step : plan.steps) slot = std::max(slot, step.slot + 1);
  const std::uint64_t count = 1 + random.below(faults_at_most);
  for (std::uint64_t i = 0; i < count; ++i) {
    Step begin;
    begin.kind = StepKind::begin_fault;
    begin.fault = drawn(*mix[random.below(mix.size())], random);
    begin.slot = slot;
    // Whoever is about to move: a fault that nobody meets shows nothing.
    std::size_t at = random.below(plan.steps.size());
    while (at < plan.steps.size() && is_of_the_world(plan.steps[at].kind)) ++at;
    if (at == plan.steps.size()) continue;
    if (!begin.fault->everybody) begin.client = plan.steps[at].client;
    const std::size_t until = std::min(plan.steps.size(), at + 1 + random.below(longest));
    Step end;
    end.kind = StepKind::end_fault;
    end.slot = slot++;
    plan.steps.insert(plan.steps.begin() + static_cast<std::ptrdiff_t>(until), end);
    plan.steps.insert(plan.steps.begin() + static_cast<std::ptrdiff_t>(at), begin);
  }
  plan.name = fmt::format("chaos/{}", seed);
  return with_account(std::move(plan), profile);
}

}  // namespace assay
