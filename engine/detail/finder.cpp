#include "engine/detail/finder.h"

#include <algorithm>

namespace assay::engine::detail {

// As many names as are kept: more are found again by the next look.
static constexpr std::size_t names_at_most = 1'000;
static constexpr std::int64_t page_size = 100;

std::vector<std::string> Finder::queues_in_turn() {
  std::vector<std::string> queues = floor_.options.queues;
  std::ranges::rotate(queues, queues.begin() + static_cast<std::ptrdiff_t>(turn_));
  turn_ = (turn_ + 1) % queues.size();
  return queues;
}

Finder::Found Finder::claim(Held& held, Line& line, int max) {
  if (floor_.profile.claim_style == ClaimStyle::by_id) return claim_named(held, line);
  return claim_next(held, line, max);
}

Finder::Found Finder::ask(Held& held, Line& line, Reserve request) {
  Found found;
  held.unlock();
  found.sent_at = floor_.now();
  auto answer = line.call([&](Session& s) { return s.reserve(found.sent_at, request); });
  held.lock();
  if (answer.ok())
    found.claims = std::move(answer->claims);
  else
    found.error = answer.error();
  return found;
}

// Where a claim cannot speak of several queues, each is asked for itself, another one first each
// time.
Finder::Found Finder::claim_next(Held& held, Line& line, int max) {
  const std::vector<std::string> queues = queues_in_turn();
  if (queues.size() == 1 || floor_.profile.has("queue_set_claim"))
    return ask(held, line, {queues, floor_.lease, floor_.options.name, max});
  Found found;
  for (const std::string& queue : queues) {
    found = ask(held, line, {{queue}, floor_.lease, floor_.options.name, max});
    if (found.error || !found.claims.empty() || floor_.is_draining) break;
  }
  return found;
}

void Finder::hear(const WakeUp& wakeup) {
  if (!wakeup.job_id || floor_.profile.claim_style != ClaimStyle::by_id) return;
  know({*wakeup.job_id, wakeup.queue ? std::vector{*wakeup.queue} : floor_.options.queues});
}

void Finder::know(Name name) {
  if (names_.size() >= names_at_most || !known_.insert(name.id).second) return;
  names_.push_back(std::move(name));
}

// A name that cannot be claimed is forgotten: it was announced twice, or another worker was first.
Finder::Found Finder::claim_known(Held& held, Line& line) {
  while (!names_.empty() && !floor_.is_draining) {
    const Name name = std::move(names_.front());
    names_.pop_front();
    known_.erase(name.id);
    for (const std::string& queue : name.queues) {
      Found found = ask(held, line, {{queue}, floor_.lease, floor_.options.name, 1, name.id});
      if (found.error && !is_trouble(*found.error)) found.error.reset();
      if (found.error || !found.claims.empty()) return found;
    }
    floor_.tell(-1, {name.id, {}, 0}, NotClaimed{});
  }
  return {};
}

Finder::Found Finder::claim_named(Held& held, Line& line) {
  Found found = claim_known(held, line);
  if (found.error || !found.claims.empty() || floor_.is_draining) return found;
  if (!floor_.options.looks_itself) return found;
  if (auto error = learn_names(held, line)) return {{}, {}, std::move(error)};
  return claim_known(held, line);
}

// Those that are ready; and now and then those whose lease is over, since nobody else announces
// them.
std::optional<Error> Finder::learn_names(Held& held, Line& line) {
  const bool looks_for_lost = floor_.now() >= look_for_lost_at_;
  if (looks_for_lost) look_for_lost_at_ = later(floor_.now(), floor_.lease / 3);
  for (const std::string& queue : queues_in_turn()) {
    if (auto error = learn_ready(held, line, queue)) return error;
    if (!looks_for_lost) continue;
    if (auto error = learn_lost(held, line, queue)) return error;
  }
  return std::nullopt;
}

static std::optional<Error> trouble_in(const Result<JobPage>& page) {
  if (page.ok() || !is_trouble(page.error())) return std::nullopt;
  return page.error();
}

std::optional<Error> Finder::learn_ready(Held& held, Line& line, const std::string& queue) {
  held.unlock();
  const auto page = line.call([&](Session& s) {
    return s.list(floor_.now(), {queue, JobState::ready, page_size});
  });
  held.lock();
  if (page.ok())
    for (const Job& job : page->jobs) know({job.id, {queue}});
  return trouble_in(page);
}

// One page each time, and the next one the next time.
std::optional<Error> Finder::learn_lost(Held& held, Line& line, const std::string& queue) {
  List request{queue, JobState::leased, page_size};
  if (cursors_.contains(queue)) request.cursor = cursors_[queue];
  held.unlock();
  const auto page = line.call([&](Session& s) { return s.list(floor_.now(), request); });
  std::vector<JobId> lost;
  if (page.ok())
    for (const Job& job : page->jobs) {
      const auto seen = line.call([&](Session& s) { return s.get(floor_.now(), {job.id}); });
      if (seen.ok() && seen->lease && seen->lease->expires_at <= floor_.now())
        lost.push_back(job.id);
    }
  held.lock();
  for (const JobId& id : lost) know({id, {queue}});
  cursors_.erase(queue);
  if (page.ok() && page->cursor) cursors_[queue] = *page->cursor;
  return trouble_in(page);
}

}  // namespace assay::engine::detail
