#include "harness/fault/generate_chaos.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "harness/contract/random.h"
#include "harness/fault/detail/blows.h"
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

using detail::Blow;
using Faults = std::vector<const FaultInfo*>;

// A fault lasts for so many steps at most: while a line is dead each call takes as long as its
// client is patient.
constexpr std::uint64_t longest = 4;
constexpr std::uint64_t faults_at_most = 4;
constexpr int steps = 30;

std::int64_t drawn_number(const FaultInfo& fault, std::string_view name, std::int64_t usual,
                          Random& random) {
  if (const auto range = std::ranges::find(fault.drawn_between, name, &DrawnNumber::name);
      range != fault.drawn_between.end())
    return range->least + static_cast<std::int64_t>(random.below(
                              static_cast<std::uint64_t>(range->most - range->least) + 1));
  // From half to twice what it is without being said, either way.
  const auto size = static_cast<std::uint64_t>(std::abs(usual));
  const auto drawn = static_cast<std::int64_t>(
      std::max<std::uint64_t>(1, size / 2 + random.below(size * 3 / 2 + 1)));
  const bool has_sign = name == "offset_ms" || name == "by_ms";
  return has_sign && random.below(2) == 0 ? -drawn : drawn;
}

FaultSpec drawn(const FaultInfo& fault, Random& random) {
  FaultSpec spec{std::string(fault.name), fault.of_all || fault.family == "store", {}};
  for (const auto& [name, usual] : fault.with) {
    const bool is_drawn =
        usual != 0 || std::ranges::find(fault.drawn_between, name, &DrawnNumber::name) !=
                          fault.drawn_between.end();
    if (is_drawn) spec.with[std::string(name)] = drawn_number(fault, name, usual, random);
  }
  return spec;
}

const FaultInfo& any_of(std::span<const FaultInfo* const> mix, Random& random) {
  std::uint64_t all = 0;
  for (const FaultInfo* fault : mix) all += fault->weight;
  std::uint64_t roll = random.below(all);
  for (const FaultInfo* fault : mix) {
    if (roll < fault->weight) return *fault;
    roll -= fault->weight;
  }
  return *mix.back();
}

// Those that go together: either lines can be spoilt, or requests are in our hands.
Faults compatible(std::span<const FaultInfo* const> mix, Random& random) {
  const bool has_any = std::ranges::any_of(mix, &FaultInfo::at_requests);
  const bool at_requests = random.below(2) == 0 && has_any;
  Faults some;
  for (const FaultInfo* fault : mix)
    if (at_requests ? fault->family != "network" : !fault->at_requests) some.push_back(fault);
  return some.empty() ? Faults(mix.begin(), mix.end()) : some;
}

// A store that is away, or short of something, cannot be told that time passes.
std::size_t until_time_passes(const Plan& plan, std::size_t from) {
  while (from < plan.steps.size() && plan.steps[from].kind != StepKind::advance) ++from;
  return from;
}

// Whoever is about to move from there on: a fault that nobody meets shows nothing.
std::optional<std::size_t> someones_step(const Plan& plan, std::size_t from, std::size_t end) {
  while (from < end && is_of_the_world(plan.steps[from].kind)) ++from;
  return from < end ? std::optional(from) : std::nullopt;
}

std::optional<Blow> alone(const Plan& plan, const FaultInfo& info, Random& random) {
  const auto at = someones_step(plan, random.below(plan.steps.size()), plan.steps.size());
  Blow blow{at.value_or(0), 0, drawn(info, random), -1};
  blow.to = std::min(blow.from + 1 + random.below(longest), plan.steps.size());
  if (!at) return std::nullopt;
  if (info.family == "store") blow.to = std::min(blow.to, until_time_passes(plan, *at));
  if (!blow.fault.everybody) blow.client = plan.steps[*at].client;
  return blow;
}

// Where clients move at once, one of them may be ahead of the plan's order: a fault that is to meet
// it lasts for some steps of its own, some of which make no call.
constexpr std::size_t own_steps = 5;

// Of the same client, in the same round.
std::vector<std::size_t> own_from(const Plan& plan, std::size_t at) {
  std::vector<std::size_t> own;
  for (std::size_t i = at; i < plan.steps.size() && plan.steps[i].free && own.size() <= own_steps;
       ++i)
    if (plan.steps[i].client == plan.steps[at].client) own.push_back(i);
  return own;
}

std::vector<std::size_t> starts_of_rounds(const Plan& plan) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    if (plan.steps[i].free && (i == 0 || !plan.steps[i - 1].free)) starts.push_back(i);
  return starts;
}

// For one round or more.
Blow between(const Plan& plan, const FaultInfo& info, Random& random) {
  const auto starts = starts_of_rounds(plan);
  const std::size_t first = random.below(starts.size());
  const std::size_t last = first + random.below(std::min<std::size_t>(2, starts.size() - first));
  return {starts[first], free_until(plan, starts[last]), drawn(info, random), -1, true};
}

// A step of somebody who has some more to make in the round, if one is found soon. What follows
// the rounds is the account: everything is right again by then.
std::size_t early_step(const Plan& plan, Random& random) {
  constexpr int tries = 10;
  const std::size_t end = free_until(plan, starts_of_rounds(plan).back());
  std::size_t best = starts_of_rounds(plan).front(), left = 0;
  for (int i = 0; i < tries && left < own_steps; ++i) {
    const auto at = someones_step(plan, random.below(end), end);
    const std::size_t own = at ? own_from(plan, *at).size() : 0;
    if (own > left) std::tie(best, left) = std::pair(*at, own);
  }
  return best;
}

Blow among_many(const Plan& plan, const FaultInfo& info, Random& random) {
  if (info.one_at_a_time) return between(plan, info, random);
  const std::size_t at = early_step(plan, random);
  Blow blow{at, at + 1 + random.below(2 * plan.clients.size()), drawn(info, random), -1};
  if (!blow.fault.everybody) {
    blow.client = plan.steps[at].client;
    const auto own = own_from(plan, at);
    blow.to = std::max(blow.to, own.size() > own_steps ? own[own_steps] : own.back() + 1);
  }
  blow.to = std::min(blow.to, free_until(plan, at));
  return blow;
}

void add(std::vector<Blow>& blows, std::optional<Blow> blow) {
  if (blow && std::ranges::none_of(blows, [&](const Blow& other) { return other.meets(*blow); }))
    blows.push_back(std::move(*blow));
}

}  // namespace

Plan generate_chaos(const Profile& profile, std::uint64_t seed,
                    std::span<const FaultInfo* const> mix) {
  Random random = Random(seed).fork("chaos");
  Faults some = compatible(mix, random);
  std::erase_if(some, [](const FaultInfo* fault) { return fault->many_at_once; });
  if (some.empty()) return generate_free_chaos(profile, seed, mix);
  Plan plan = generate(profile, seed, {.steps = steps});
  std::vector<Blow> blows;
  for (std::uint64_t i = 1 + random.below(faults_at_most); i > 0; --i)
    add(blows, alone(plan, any_of(some, random), random));
  plan = with_account(detail::with_blows(std::move(plan), std::move(blows)), profile);
  plan.name = fmt::format("chaos/{}", seed);
  return plan;
}

Plan generate_free_chaos(const Profile& profile, std::uint64_t seed,
                         std::span<const FaultInfo* const> mix, std::optional<int> clients) {
  Random random = Random(seed).fork("free chaos");
  Plan plan = detail::in_turns(generate_free(profile, seed, {clients, true}));
  const Faults some = compatible(mix, random);
  std::vector<Blow> blows;
  for (std::uint64_t i = 1 + random.below(faults_at_most + plan.clients.size() / 4); i > 0; --i)
    add(blows, among_many(plan, any_of(some, random), random));
  plan = detail::with_blows(std::move(plan), std::move(blows));
  plan.name = fmt::format("free_chaos/{}", seed);
  return plan;
}

}  // namespace assay
