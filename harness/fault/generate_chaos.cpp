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
  FaultSpec spec{std::string(fault.name), fault.of_all || fault.family == "store", {}};
  // From half to twice what it is without being said, either way.
  for (const auto& [name, usual] : fault.with) {
    if (fault.at_requests)
      spec.with[std::string(name)] =
          static_cast<std::int64_t>(random.below(3)) + (name == "request" ? 1 : 0);
    if (usual == 0 || fault.at_requests) continue;
    const std::uint64_t usual_size = static_cast<std::uint64_t>(std::abs(usual));
    const auto size = static_cast<std::int64_t>(
        std::max<std::uint64_t>(1, usual_size / 2 + random.below(usual_size * 3 / 2 + 1)));
    const bool has_sign = name == "offset_ms" || name == "by_ms";
    spec.with[std::string(name)] = has_sign && random.below(2) == 0 ? -size : size;
  }
  return spec;
}

// A begin and an end to be put into a plan, before the steps of these numbers. They are disjoint
// for one client: two at once would undo each other.
struct Blow {
  std::size_t from, to;
  FaultSpec fault;
  int client;  // -1: everybody

  bool meets(const Blow& other) const {
    const bool same = client < 0 || other.client < 0 || client == other.client;
    return same && from <= other.to && other.from <= to;
  }
};

Plan with_blows(Plan plan, const std::vector<Blow>& blows) {
  int slot = 0;
  for (const Step& step : plan.steps) slot = std::max(slot, step.slot + 1);
  std::vector<Step> steps;
  for (std::size_t i = 0; i <= plan.steps.size(); ++i) {
    // What ends with a round ends in it: somebody may not come to its end otherwise.
    Step step;
    step.free = i > 0 && steps.back().free;
    for (std::size_t b = 0; b < blows.size(); ++b) {
      step.slot = slot + static_cast<int>(b);
      step.kind = StepKind::end_fault;
      if (blows[b].to == i) steps.push_back(step);
    }
    for (std::size_t b = 0; b < blows.size(); ++b) {
      if (blows[b].from != i) continue;
      Step begin = step;
      begin.slot = slot + static_cast<int>(b);
      begin.kind = StepKind::begin_fault;
      begin.fault = blows[b].fault;
      begin.client = std::max(0, blows[b].client);
      begin.free = plan.steps[i].free;
      steps.push_back(std::move(begin));
    }
    if (i < plan.steps.size()) steps.push_back(std::move(plan.steps[i]));
  }
  plan.steps = std::move(steps);
  return plan;
}

// Those that go together: either lines can be spoilt, or requests are in our hands. Where clients
// move at once they are not.
std::vector<const FaultInfo*> compatible(std::span<const FaultInfo* const> mix, bool at_requests) {
  std::vector<const FaultInfo*> some;
  for (const FaultInfo* fault : mix)
    if (at_requests ? fault->family != "network" : !fault->at_requests) some.push_back(fault);
  return some.empty() && at_requests ? compatible(mix, false) : some;
}

std::vector<const FaultInfo*> among_many(std::span<const FaultInfo* const> mix) {
  auto some = compatible(mix, false);
  std::erase_if(some, [](const FaultInfo* fault) { return fault->one_at_a_time; });
  return some;
}

// Where clients move at once, one of them may be ahead of the plan's order: a fault that is to meet
// it lasts for some steps of its own.
std::size_t met_until(const Plan& plan, std::size_t from) {
  constexpr int own_steps = 5;  // some of which make no call
  int met = 0;
  std::size_t to = from;
  for (; to < plan.steps.size() && plan.steps[to].free && met < own_steps; ++to)
    met += plan.steps[to].client == plan.steps[from].client ? 1 : 0;
  return to;
}

// So many at most, each for so many steps at most, or until it has met whom it befalls. What
// follows the free steps, where there are some, is the account: everything is right again by then.
std::vector<Blow> drawn_blows(const Plan& plan, std::span<const FaultInfo* const> mix,
                              std::uint64_t count, std::uint64_t length, Random& random) {
  std::vector<Blow> blows;
  const auto last_free = std::find_if(plan.steps.rbegin(), plan.steps.rend(),
                                      [](const Step& step) { return step.free; });
  const auto end = last_free == plan.steps.rend()
                       ? plan.steps.size()
                       : static_cast<std::size_t>(plan.steps.rend() - last_free);
  for (std::uint64_t i = 0; i < count; ++i) {
    // Whoever is about to move: a fault that nobody meets shows nothing.
    std::size_t at = random.below(end);
    while (at < end && is_of_the_world(plan.steps[at].kind)) ++at;
    FaultSpec fault = drawn(*mix[random.below(mix.size())], random);
    const std::uint64_t steps = 1 + random.below(length);
    if (at == end) continue;
    Blow blow{at, at + steps, std::move(fault), plan.steps[at].client};
    if (blow.fault.everybody) blow.client = -1;
    if (blow.client >= 0 && plan.steps[at].free) blow.to = std::max(blow.to, met_until(plan, at));
    blow.to = std::min(blow.to, plan.steps[at].free ? free_until(plan, at) : end);
    if (std::ranges::none_of(blows, [&](const Blow& other) { return other.meets(blow); }))
      blows.push_back(std::move(blow));
  }
  return blows;
}

}  // namespace

Plan generate_chaos(const Profile& profile, std::uint64_t seed,
                    std::span<const FaultInfo* const> mix) {
  Random random = Random(seed).fork("chaos");
  Plan plan = generate(profile, seed, {.steps = steps});
  const std::uint64_t count = 1 + random.below(faults_at_most);
  const auto some = compatible(mix, random.below(2) == 0);
  const std::vector<Blow> blows =
      drawn_blows(plan, some.empty() ? mix : some, count, longest, random);
  plan = with_account(with_blows(std::move(plan), blows), profile);
  plan.name = fmt::format("chaos/{}", seed);
  return plan;
}

Plan generate_free_chaos(const Profile& profile, std::uint64_t seed,
                         std::span<const FaultInfo* const> mix, std::optional<int> clients) {
  Random random = Random(seed).fork("free chaos");
  Plan plan = generate_free(profile, seed, clients);
  const std::uint64_t crowd = plan.clients.size();
  const std::uint64_t count = 1 + random.below(faults_at_most + crowd / 4);
  const auto some = among_many(mix);
  if (!some.empty()) {
    const std::vector<Blow> blows = drawn_blows(plan, some, count, 2 * crowd, random);
    plan = with_blows(std::move(plan), blows);
  }
  plan.name = fmt::format("free_chaos/{}", seed);
  return plan;
}

}  // namespace assay
