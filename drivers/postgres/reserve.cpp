// Reserve: the quick statement where it may do, else the schema's function, which knows the order.
#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "drivers/postgres/detail/session.h"

namespace assay::pg {

// An array of bytea.
static std::string array_of(const std::vector<std::string>& names) {
  const std::set<std::string> distinct(names.begin(), names.end());
  std::string text = "{";
  for (const std::string& name : distinct)
    text += (text.size() > 1 ? ",\"\\" : "\"\\") + to_hex(name) + "\"";
  return text + "}";
}

Claim PostgresSession::claim_from(Row row) const {
  const Profile& profile = shared_.profile;
  Claim claim;
  claim.job = std::move(row.job);
  claim.token = row.token.value_or("");
  claim.expires_at = instant_from_ms(row.expires_at_ms.value_or(0));
  if (profile.fence == Fence::token_attempt) claim.attempt = row.attempt;
  if (profile.fence == Fence::token_version || profile.has("lease_version"))
    claim.version = row.version;
  return claim;
}

// The order in which they were chosen: what a claim left as run_at is when the job could run.
static bool goes_first(const Row& one, const Row& other) {
  const auto place = [](const Row& row) {
    return std::tuple(std::max(*row.job.created_at, *row.job.run_at), row.seq);
  };
  if (one.rank != other.rank) return one.rank > other.rank;
  return place(one) < place(other);
}

bool QuickClaims::is_plain(const Reserve& request) {
  return !request.job_id && request.queues.size() == 1 && is_brief(request.queues[0]);
}

std::optional<std::int64_t> QuickClaims::rank_for(const Reserve& request) {
  if (pass_ > 0) --pass_;
  if (!known_ || pass_ > 0 || !is_plain(request) || request.queues[0] != queue_)
    return std::nullopt;
  return rank_;
}

void QuickClaims::missed() {
  known_ = false;
  misses_ = std::min(misses_ + 1, 6);
  pass_ = 1 << misses_;
}

void QuickClaims::found(const Reserve& request, std::int64_t rank) {
  if (!is_plain(request)) return;
  queue_ = request.queues[0];
  rank_ = rank;
  known_ = true;
}

// The number of the attempt; where the counter is another one, that of the claim.
std::optional<std::string> PostgresSession::numbering() const {
  if (shared_.profile.fence != Fence::token_attempt) return std::nullopt;
  return shared_.profile.counter == Counter::attempt_no ? "attempts" : "claims";
}

// Stops at the largest number.
static std::int64_t plus(std::int64_t at_ms, Duration length) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return at_ms > most - length.count() ? most : at_ms + length.count();
}

// A lease is dead when it expires at this instant or before.
std::int64_t PostgresSession::dead_by(std::int64_t now_ms) const {
  const bool is_first = now_ms == std::numeric_limits<std::int64_t>::min();
  return dead_at_equal() || is_first ? now_ms : now_ms - 1;
}

pqxx::result PostgresSession::claim_quickly(const Present& at, const Reserve& request) {
  if ((request.max > 1 && !at.caller) || !is_quick("reserve")) return {};
  const auto rank = quick_.rank_for(request);
  if (!rank) return {};
  const std::string queue = to_hex(request.queues[0]), worker = to_hex(request.worker);
  const bool starts = shared_.profile.counter == Counter::starts;
  auto answers =
      request.max > 1 ? ask_plainly(shared_.sql.quick_reserve_many_by_caller, at, queue, *rank,
                                    plus(*at.caller, request.lease), worker, random_.hex(16),
                                    dead_by(*at.caller), starts, numbering(), request.max)
      : at.caller     ? ask_plainly(shared_.sql.quick_reserve_by_caller, at, queue, *rank,
                                    plus(*at.caller, request.lease), worker, random_.hex(16),
                                    dead_by(*at.caller), starts, numbering())
                  : ask_plainly(shared_.sql.quick_reserve, at, queue, *rank, to_ms(request.lease),
                                worker, random_.hex(16), dead_at_equal(), starts, numbering());
  if (answers.empty())
    quick_.missed();
  else
    quick_.hit();
  return answers;
}

pqxx::result PostgresSession::claim_carefully(const Present& at, const Reserve& request) {
  const Profile& profile = shared_.profile;
  const bool counts = profile.expiry_counts == ExpiryCounts::yes;
  const bool waits = profile.expiry_to == ExpiryTo::backoff;
  // Where a lost lease leaves no trace, the job needs no sweep: it can be claimed as it is.
  const bool sweeps = counts || waits;
  return ask("reserve", at, array_of(request.queues), to_ms(request.lease), to_hex(request.worker),
             request.max, to_hex(request.job_id), random_.hex(16), profile.has("priority"),
             dead_at_equal(), sweeps, counts, counts && profile.counter == Counter::attempt_no,
             waits, releases(), profile.limit_unit == LimitUnit::retries, profile.default_limit,
             to_ms(profile.backoff.base), to_ms(profile.backoff.cap), draw(),
             profile.counter == Counter::starts, numbering());
}

Result<Claims> PostgresSession::reserve(Instant now, const Reserve& request) {
  return call<Claims>(Phase::writing, now, request, [&](Present at) -> Result<Claims> {
    std::vector<Row> rows;
    for (const pqxx::row answer : claim_quickly(at, request))
      rows.push_back(read_quick_claim(answer, request.queues[0]));
    if (rows.empty())
      for (const pqxx::row answer : claim_carefully(at, request))
        rows.push_back(read_row(answer, hidden()));
    std::ranges::sort(rows, goes_first);
    if (!rows.empty()) quick_.found(request, rows[0].rank);
    Claims claims;
    for (Row& row : rows) claims.claims.push_back(claim_from(std::move(row)));
    return claims;
  });
}

}  // namespace assay::pg
