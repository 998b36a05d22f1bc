#include "harness/judge/detail/instants.h"

#include <algorithm>

#include "harness/judge/reading.h"

namespace assay::judging {

std::string_view subject_of(const Operation& operation) {
  const Request& request = operation.call->request;
  Change kind{};
  if (const Hold* hold = hold_of(request, kind)) return hold->job_id;
  if (const auto* r = std::get_if<Get>(&request)) return r->job_id;
  if (const auto* r = std::get_if<Cancel>(&request)) return r->job_id;
  if (const auto* r = std::get_if<Requeue>(&request)) return r->job_id;
  return {};
}

namespace {

struct Gathered {
  Instant from, until;
  std::vector<Instant> instants = {};

  void add(Instant at) {
    if (from < at && at < until) instants.push_back(at);
  }
  // The ticks on both sides of it too: some rules say "at", some "after".
  void add_around(Instant at, Duration tick) {
    add(at - tick);
    add(at);
    add(at + tick);
  }
};

void gather_from_answer(const Facts& facts, const Operation& operation, std::string_view id,
                        const JobFacts* job, Gathered& to) {
  const Response& answer = operation.end->response;
  const auto* reserve = std::get_if<Reserve>(&operation.call->request);
  if (const auto* claims = std::get_if<Claims>(&answer); claims && reserve)
    for (const Claim& claim : claims->claims)
      if (id.empty() || claim.job.id == id) to.add(claim.expires_at - reserve->lease);
  const auto* extend = std::get_if<Extend>(&operation.call->request);
  if (const auto* extended = std::get_if<Extended>(&answer); extended && extend)
    to.add(extended->expires_at - extend->lease);
  if (const auto* nacked = std::get_if<Nacked>(&answer); nacked && nacked->run_at && job) {
    to.add(*nacked->run_at);
    for (const std::int64_t failure : {job->counter.hi, job->counter.hi + 1})
      to.add(*nacked->run_at - facts.backoff_window(failure));
  }
}

}  // namespace

std::vector<Instant> instants_of(const Facts& facts, const Operation& operation,
                                 std::string_view id) {
  Gathered found{operation.now(), facts.latest(*operation.call, *operation.end)};
  const JobFacts* job = facts.find(id);
  gather_from_answer(facts, operation, id, job, found);
  if (job) {
    const Duration tick = facts.profile().time_resolution;
    found.add_around(job->not_before, tick);
    found.add_around(job->surely_from, tick);
    if (job->run_at) found.add_around(*job->run_at, tick);
    if (!job->claims.empty()) {
      found.add_around(job->lease().first_expiry, tick);
      found.add_around(job->lease().expires_at, tick);
      found.add_around(job->lease().expires_at + facts.profile().reclaim_lag_max, tick);
    }
  }
  found.instants.push_back(found.from);
  found.instants.push_back(found.until);
  std::ranges::sort(found.instants);
  found.instants.erase(std::ranges::unique(found.instants).begin(), found.instants.end());
  return std::move(found.instants);
}

void add_ends_given(const Operation& operation, std::string_view id, std::vector<Instant>& to) {
  const Response& answer = operation.end->response;
  if (const auto* claims = std::get_if<Claims>(&answer))
    for (const Claim& claim : claims->claims)
      if (claim.job.id == id) to.push_back(claim.expires_at);
  if (const auto* extended = std::get_if<Extended>(&answer)) to.push_back(extended->expires_at);
  if (const auto* nacked = std::get_if<Nacked>(&answer); nacked && nacked->run_at)
    to.push_back(*nacked->run_at);
  const Request& request = operation.call->request;
  if (const auto* retry = std::get_if<Retry>(&request)) to.push_back(retry->run_at);
  if (const auto* requeue = std::get_if<Requeue>(&request); requeue && requeue->run_at)
    to.push_back(*requeue->run_at);
}

void add_instants_before(const std::vector<Instant>& others, Duration lease,
                         std::vector<Instant>& to) {
  for (const Instant other : others)
    for (const Duration tick : {Duration{-1}, Duration{0}, Duration{1}})
      to.push_back(other - lease + tick);
}

}  // namespace assay::judging
