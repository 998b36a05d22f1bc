// Reserve: what became of dead leases, then the best of what may be claimed.
#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "drivers/sqlite/detail/session.h"

namespace assay::lite {

struct SqliteSession::Candidate {
  std::int64_t row = 0;
  std::int64_t rank = 0;
  std::int64_t at = 0;
  std::int64_t seq = 0;

  // Higher rank first, then who could run earlier, then who came earlier.
  bool operator<(const Candidate& other) const {
    return std::tuple(other.rank, at, seq) < std::tuple(rank, other.at, other.seq);
  }
};

struct SqliteSession::Lapsed {
  std::int64_t row = 0;
  std::int64_t attempts = 0;
  std::optional<std::int64_t> max_attempts = {};
  std::int64_t lease_losses = 0;
  std::int64_t expires_at = 0;
};

std::int64_t SqliteSession::dead_by(std::int64_t now) const {
  return shared_.profile.lease_edge == LeaseEdge::dead_at_equal ? now : plus(now, Duration{-1});
}

// Where a lost lease leaves no trace, the job needs no handling: it can be claimed as it is.
bool SqliteSession::sweeps() const {
  return shared_.profile.expiry_counts == ExpiryCounts::yes ||
         shared_.profile.expiry_to == ExpiryTo::backoff;
}

Result<Claims> SqliteSession::reserve(Instant now, const Reserve& request) {
  return call<Claims>(Kind::write, now, request,
                      [&](std::int64_t at) { return reserve_at(at, request); });
}

Result<Claims> SqliteSession::reserve_at(std::int64_t now, const Reserve& request) {
  std::vector<Candidate> found;
  const std::set<std::string> queues(request.queues.begin(), request.queues.end());
  for (const std::string& queue : queues) {
    if (is_paused(queue)) continue;
    if (sweeps()) sweep(now, queue, request);
    collect(now, queue, request, found);
  }
  std::ranges::sort(found, [](const Candidate& a, const Candidate& b) { return a < b; });
  Claims claims;
  for (const Candidate& candidate : found) {
    if (static_cast<std::int64_t>(claims.claims.size()) == request.max) break;
    if (auto taken = claim(now, candidate.row, request)) claims.claims.push_back(*std::move(taken));
  }
  return claims;
}

void SqliteSession::sweep(std::int64_t now, const std::string& queue, const Reserve& request) {
  std::vector<Lapsed> all;
  {
    Query query = ask(shared_.sql.lapsed);
    query.with(":queue", queue).with(":dead_by", dead_by(now)).with(":id", request.job_id);
    while (query.next())
      all.push_back({query.number(0), query.number(1), query.maybe_number(2), query.number(3),
                     query.number(4)});
  }
  for (const Lapsed& lapsed : all) expire(now, lapsed);
}

// A lost lease counts against the budget: as an attempt where attempts are numbered, in a counter
// of its own elsewhere, which the engine's counter knows nothing of.
void SqliteSession::expire(std::int64_t now, const Lapsed& lapsed) {
  static const std::string reason = "lease expired";
  const bool counts = shared_.profile.expiry_counts == ExpiryCounts::yes;
  const bool numbered = counts && shared_.profile.counter == Counter::attempt_no;
  const std::int64_t losses = lapsed.lease_losses + (numbered ? 0 : 1);
  const std::int64_t used = numbered ? lapsed.attempts : losses;
  if (counts && used >= runs_allowed(lapsed.max_attempts)) {
    ask(shared_.sql.expire_bury)
        .with(":row", lapsed.row)
        .with(":now", now)
        .with(":reason", reason)
        .with(":error", reason)
        .with(":attempts", lapsed.attempts)
        .with(":lease_losses", losses)
        .execute();
    return;
  }
  const bool waits = shared_.profile.expiry_to == ExpiryTo::backoff;
  const std::int64_t run_at = waits ? plus(now, draw_backoff(used)) : lapsed.expires_at;
  Query query = ask(shared_.sql.expire_wait);
  query.with(":row", lapsed.row)
      .with(":run_at", run_at)
      .with(":attempts", lapsed.attempts + (numbered ? 1 : 0))
      .with(":lease_losses", losses)
      .with(":retrying", waits);
  if (numbered) query.with(":error", reason);
  query.execute();
}

void SqliteSession::collect(std::int64_t now, const std::string& queue, const Reserve& request,
                            std::vector<Candidate>& found) {
  const auto take = [&](const std::string& sql) {
    Query query = ask(sql);
    query.with(":queue", queue)
        .with(":now", now)
        .with(":dead_by", dead_by(now))
        .with(":id", request.job_id)
        .with(":max", request.max);
    while (query.next())
      found.push_back({query.number(0), query.number(1), query.number(2), query.number(3)});
  };
  if (request.job_id) return take(shared_.sql.by_id);
  collect_due(now, queue, request.max, found);
  take(shared_.sql.backdated);
  if (!sweeps()) take(shared_.sql.expired);
}

// Rank by rank, so that the index leads straight to what is due, however much is scheduled.
void SqliteSession::collect_due(std::int64_t now, const std::string& queue, std::int64_t max,
                                std::vector<Candidate>& found) {
  std::int64_t at_most = std::numeric_limits<std::int64_t>::max();
  while (max > 0) {
    Query ranks = ask(shared_.sql.next_rank);
    ranks.with(":queue", queue).with(":at_most", at_most);
    const auto rank = ranks.next() ? ranks.maybe_number(0) : std::nullopt;
    if (!rank) return;
    Query query = ask(shared_.sql.due);
    query.with(":queue", queue).with(":now", now).with(":rank", rank).with(":max", max);
    for (; query.next(); --max)
      found.push_back({query.number(0), query.number(1), query.number(2), query.number(3)});
    if (*rank == std::numeric_limits<std::int64_t>::min()) return;
    at_most = *rank - 1;
  }
}

std::optional<Claim> SqliteSession::claim(std::int64_t now, std::int64_t row,
                                          const Reserve& request) {
  const Profile& profile = shared_.profile;
  const bool numbered = profile.fence == Fence::token_attempt;
  // The number of the attempt; where the counter is another one, that of the claim.
  std::optional<std::string_view> numbering;
  if (numbered) numbering = profile.counter == Counter::attempt_no ? "attempts" : "claims";
  const bool starts = profile.counter == Counter::starts;
  const Token token = "lease-" + std::to_string(next_sequence()) + "-" + random_.hex(16);
  const std::int64_t expires_at = plus(now, request.lease);
  Query query = ask(shared_.sql.claim);
  shown(query, now)
      .with(":row", row)
      .with(":token", token)
      .with(":expires_at", expires_at)
      .with(":worker", request.worker)
      .with(":starts", starts)
      .with_text(":numbering", numbering);
  if (!query.next()) return std::nullopt;
  Row claimed = read_row(query);
  Claim claim;
  claim.job = std::move(claimed.job);
  claim.token = token;
  claim.expires_at = instant_from_ms(expires_at);
  if (numbered) claim.attempt = claimed.attempt;
  if (profile.fence == Fence::token_version || profile.has("lease_version"))
    claim.version = claimed.version;
  return claim;
}

}  // namespace assay::lite
