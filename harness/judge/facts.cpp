#include "harness/judge/facts.h"

#include <algorithm>
#include <utility>

namespace assay {

const QueueFacts* Facts::find_queue(const std::string& name) const {
  const auto at = queues_.find(name);
  if (at == queues_.end()) return nullptr;
  last_queue_ = &*at;
  return &at->second;
}

QueueFacts& Facts::queue_named(const std::string& name) {
  if (!last_queue_ || !same_text(last_queue_->first, name)) {
    const auto [at, is_new] = queues_.try_emplace(name);
    if (is_new) {
      at->second.number = static_cast<std::uint32_t>(numbered_.size());
      at->second.claim_ended = last_claim(name);
      unknown_claimed_.erase(name);
      numbered_.push_back(&at->second);
    }
    last_queue_ = &*at;
  }
  return *numbered_[last_queue_->second.number];
}

Place Facts::last_claim(const std::string& name) const {
  Place place = 0;
  if (const QueueFacts* known = queue(name)) place = known->claim_ended;
  if (unknown_claimed_.empty()) return place;
  const auto at = unknown_claimed_.find(name);
  return at == unknown_claimed_.end() ? place : at->second;
}

void Facts::claim_ended(const std::string& name, Place place) {
  if (const QueueFacts* known = queue(name))
    numbered_[known->number]->claim_ended = place;
  else
    unknown_claimed_[name] = place;
}

bool Facts::died_between(int index, Place from, Place to) const {
  const auto& deaths = client(index).deaths;
  const auto first = std::ranges::lower_bound(deaths, from);
  return first != deaths.end() && *first <= to;
}

const ClientFacts& Facts::client(int index) const {
  static const ClientFacts nobody;
  if (clients_.empty()) return nobody;
  auto at = clients_.find(index);
  return at == clients_.end() ? nobody : at->second;
}

std::string Facts::key_scope(const NewJob& job) const {
  switch (profile_.idem_scope) {
    case IdemScope::queue:
      return job.queue + '\0' + *job.key;
    case IdemScope::type:
      return job.type + '\0' + *job.key;
    case IdemScope::global:
      return *job.key;
  }
  return {};
}

const std::vector<JobIndex>* Facts::holders(const NewJob& job) const {
  if (!job.key || profile_.idem == Idem::none) return nullptr;
  auto at = keys_.find(key_scope(job));
  return at == keys_.end() ? nullptr : &at->second;
}

bool Facts::key_perhaps_taken(const NewJob& job) const {
  return job.key && unknown_keys_.contains(key_scope(job));
}

bool Facts::lease_dead(Instant expires_at, Instant now) const {
  return profile_.lease_edge == LeaseEdge::dead_at_equal ? now >= expires_at : now > expires_at;
}

bool Facts::lapsed(const JobFacts& job, Instant now) const {
  return job.phase == Phase::leased && lease_dead(job.lease().expires_at, now);
}

static std::int64_t used_after_expiry(const Profile& profile, std::int64_t counter,
                                      std::int64_t losses) {
  return profile.counter == Counter::attempt_no ? counter : losses + 1;
}

bool Facts::surely_exhausted(const JobFacts& job) const {
  return profile_.expiry_counts == ExpiryCounts::yes &&
         used_after_expiry(profile_, job.counter.lo, job.losses.lo) >=
             runs_allowed(profile_, job.given.max_attempts);
}

bool Facts::perhaps_exhausted(const JobFacts& job) const {
  return profile_.expiry_counts == ExpiryCounts::yes &&
         used_after_expiry(profile_, job.counter.hi, job.losses.hi) >=
             runs_allowed(profile_, job.given.max_attempts);
}

bool Facts::surely_runnable(const JobFacts& job, Instant now) const {
  if (job.spoiled) return false;
  if (job.phase == Phase::waiting) return job.surely_from <= now;
  if (job.phase != Phase::leased || perhaps_exhausted(job)) return false;
  if (profile_.expiry_to == ExpiryTo::backoff) return false;
  return lease_dead(job.lease().expires_at + profile_.reclaim_lag_max, now);
}

std::optional<Instant> Facts::runnable_from(const JobFacts& job) const {
  if (job.phase == Phase::waiting) return job.surely_from;
  if (job.phase != Phase::leased || perhaps_exhausted(job)) return std::nullopt;
  if (profile_.expiry_to == ExpiryTo::backoff) return std::nullopt;
  return job.lease().expires_at + profile_.reclaim_lag_max;
}

std::vector<JobIndex> Facts::all_runnable(const std::string& queue_name, Instant now) const {
  std::vector<JobIndex> all;
  const QueueFacts* found = queue(queue_name);
  if (!found || found->paused || found->unsure) return all;
  for (const auto& [from, index] : found->waiting) {
    if (from > now) break;
    all.push_back(index);
  }
  for (const auto& [expiry, index] : found->leased) {
    if (!lease_dead(expiry, now)) break;
    if (surely_runnable(jobs_[index], now)) all.push_back(index);
  }
  return all;
}

const JobFacts* Facts::surely_runnable(const std::vector<std::string>& queues, Instant now) const {
  for (const std::string& name : queues) {
    const QueueFacts* found = queue(name);
    if (!found || found->paused || found->unsure || found->perhaps_claimed) continue;
    if (!found->waiting.empty() && found->waiting.begin()->first <= now)
      return &jobs_[found->waiting.begin()->second];
    for (const auto& [expiry, index] : found->leased) {
      if (!lease_dead(expiry, now)) break;
      if (surely_runnable(jobs_[index], now)) return &jobs_[index];
    }
  }
  return nullptr;
}

Duration Facts::backoff_window(std::int64_t failure) const {
  Duration window = profile_.backoff.base;
  for (std::int64_t n = 1; n < failure && window < profile_.backoff.cap; ++n) window *= 2;
  return std::min(window, profile_.backoff.cap);
}

Range<std::int64_t> Facts::shown_counter(const JobFacts& job, Instant now) const {
  bool counted = profile_.counter == Counter::attempt_no &&
                 profile_.expiry_counts == ExpiryCounts::yes && lapsed(job, now);
  return {job.counter.lo, job.counter.hi + (counted ? 1 : 0)};
}

const std::vector<std::pair<JobIndex, NewJob>>* Facts::asked_again(const std::string& queue) const {
  auto at = asked_again_.find(queue);
  return at == asked_again_.end() ? nullptr : &at->second;
}

const Facts::Delays* Facts::delays(std::int64_t failure) const {
  auto at = delays_.find(failure);
  return at == delays_.end() ? nullptr : &at->second;
}

void Facts::unlink(const JobFacts& job) {
  const std::uint32_t place = std::exchange(standing_[job.index].among, nowhere);
  if (place == nowhere) return;
  QueueFacts& queue = queue_of(job);
  if (job.phase == Phase::done) {
    --queue.done;
  } else {
    auto& members = queue.members[static_cast<std::size_t>(job.phase)];
    const JobIndex last = members.back();
    members.pop_back();
    if (last != job.index) members[place] = last, standing_[last].among = place;
  }
  if (job.phase == Phase::waiting) queue.waiting.erase({job.surely_from, job.index});
  if (job.phase == Phase::leased) queue.leased.erase({job.lease().expires_at, job.index});
  if (!job.delayed) {
    auto order = queue.in_order.find(job.given.priority.value_or(0));
    if (order != queue.in_order.end()) order->second.erase(job.index);
  }
}

void Facts::link(const JobFacts& job) {
  if (job.spoiled) return;
  QueueFacts& queue = queue_of(job);
  if (job.phase == Phase::done) {
    standing_[job.index].among = 0;
    ++queue.done;
  } else {
    auto& members = queue.members[static_cast<std::size_t>(job.phase)];
    standing_[job.index].among = static_cast<std::uint32_t>(members.size());
    members.push_back(job.index);
  }
  if (job.phase == Phase::waiting) queue.waiting.insert({job.surely_from, job.index});
  if (job.phase == Phase::leased) queue.leased.insert({job.lease().expires_at, job.index});
  if (job.phase == Phase::waiting && !job.delayed)
    queue.in_order[job.given.priority.value_or(0)].insert(job.index);
}

void Facts::exchange(JobIndex index, JobFacts& facts) {
  unlink(jobs_[index]);
  std::swap(jobs_[index], facts);
}

void Facts::settle(JobIndex index, JobFacts facts) {
  unlink(jobs_[index]);
  jobs_[index] = std::move(facts);
  jobs_[index].spoiled = false;
  link(jobs_[index]);
  settle(index);
}

void Facts::settle(JobIndex index) {
  for (const ClaimFact& claim : jobs_[index].claims)
    if (!claim.lost) tokens_.add(claim.token, index, claim.op);
  ++changes_;
}

void Facts::spoil(JobIndex index) {
  JobFacts& job = jobs_[index];
  if (job.spoiled) return;
  unlink(job);
  job.spoiled = true;
  ++changes_;
}

}  // namespace assay
