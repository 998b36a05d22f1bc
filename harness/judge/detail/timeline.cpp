#include "harness/judge/detail/timeline.h"

#include <algorithm>

#include "harness/judge/reading.h"

namespace assay::judging {

static bool same(const ClaimFact& a, const ClaimFact& b) {
  return a.op == b.op && a.token == b.token && a.expires_at == b.expires_at && a.lost == b.lost &&
         a.extensions == b.extensions;
}

static bool same(const std::optional<SettleFact>& a, const std::optional<SettleFact>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->kind == b->kind && a->token == b->token;
}

template <class T>
static bool same(const Range<T>& a, const Range<T>& b) {
  return a.lo == b.lo && a.hi == b.hi;
}

// All but which calls changed it, were refused or repeated, and how often it was looked at.
bool World::operator==(const World& other) const {
  const JobFacts &a = *job, &b = *other.job;
  return a.phase == b.phase && a.changed_by == b.changed_by && a.cause == b.cause &&
         a.delayed == b.delayed && a.not_before == b.not_before && a.surely_from == b.surely_from &&
         a.run_at == b.run_at && same(a.counter, b.counter) && same(a.losses, b.losses) &&
         a.last_error == b.last_error && a.reason == b.reason && a.error == b.error &&
         same(a.died, b.died) && a.recorded == b.recorded && a.replayed == b.replayed &&
         same(a.settled, b.settled) && a.claims.size() == b.claims.size() &&
         (a.claims.empty() || same(a.claims.back(), b.claims.back()));
}

std::vector<World> Timeline::step(const State& state, Operation operation) const {
  std::vector<World> after;
  const auto add = [&](JobFacts job, Instant seen) {
    after.push_back({std::make_shared<const JobFacts>(std::move(job)), seen});
  };
  if (!operation) {
    if (std::ranges::find(known, state) != known.end()) return after;
    end = state;
    return {state};
  }
  const Instant now = operation->now();
  if (!operation->unknown) {
    if (auto job = stage.answered(*state.job, *operation))
      add(std::move(*job), std::max(state.seen, now));
    return after;
  }
  // It may have been late.
  std::vector<Instant> moments{std::max(now, state.seen)};
  for (const Instant instant : instants)
    if (instant > moments.back()) moments.push_back(instant);
  for (const Instant at : moments)
    for (JobFacts& job : stage.perhaps(*state.job, *operation, at)) add(std::move(job), at);
  return after;
}

std::size_t Timeline::hash(const State& state) const {
  const JobFacts& job = *state.job;
  std::size_t hash =
      static_cast<std::size_t>(job.phase) * 31 + static_cast<std::size_t>(job.changed_by);
  const auto mix = [&](std::int64_t value) {
    hash = hash * 0x9e3779b97f4a7c15ULL + static_cast<std::size_t>(value);
  };
  mix(to_ms(job.not_before));
  mix(job.counter.hi);
  mix(static_cast<std::int64_t>(job.claims.size()));
  if (!job.claims.empty()) mix(to_ms(job.lease().expires_at));
  return hash;
}

// What was refused, and an enqueue that was told of a job that is there already.
bool Timeline::only_reads(Operation operation) const {
  if (!operation || operation->unknown) return false;
  if (operation->end->outcome == OutcomeKind::refused) return true;
  const auto* made = std::get_if<Enqueued>(&operation->end->response);
  return made && made->existed;
}

bool Timeline::alike(Operation one, Operation other) const {
  return one && other && one->now() == other->now() && one->call->request == other->call->request;
}

// Acks and extensions that were granted. What makes or hands out a job remembers which call it was.
bool Timeline::twins(Operation one, Operation other) const {
  if (!one || !other || one->unknown || other->unknown || !alike(one, other)) return false;
  if (!std::holds_alternative<Ack>(one->call->request) &&
      !std::holds_alternative<Extend>(one->call->request))
    return false;
  return one->end->outcome == OutcomeKind::ok && other->end->outcome == OutcomeKind::ok &&
         one->end->response == other->end->response && one->end->now == other->end->now;
}

bool may_matter(const Facts& facts, const JobFacts& job, const Operation& lost) {
  Change kind{};
  if (const Hold* hold = hold_of(lost.call->request, kind)) {
    // A token that nobody knows may be that of a claim whose answer was lost.
    if (facts.queue_of(job).perhaps_claimed && !facts.minted(hold->token)) return true;
    return job.phase == Phase::leased && (job.lease().token == hold->token || job.lease().lost);
  }
  if (std::holds_alternative<Cancel>(lost.call->request))
    return job.phase == Phase::waiting || job.phase == Phase::leased;
  return std::holds_alternative<Requeue>(lost.call->request) && job.phase != Phase::done &&
         job.phase != Phase::cancelled;
}

}  // namespace assay::judging
