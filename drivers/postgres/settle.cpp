// Extend and the settles: one guarded change each; where it changed nothing, the answer shows the
// job, and so the reason.
#include <algorithm>
#include <set>

#include "drivers/postgres/detail/arrays.h"
#include "drivers/postgres/detail/session.h"
#include "harness/contract/check.h"

namespace assay::pg {

// Requires: the guarded change of this settle changed nothing.
Result<LastSettle> PostgresSession::refused_or_repeated(const pqxx::row& answer, const Hold& hold,
                                                        std::string_view kind) const {
  const Profile& profile = shared_.profile;
  if (!has_job(answer)) return not_found("there is no job '" + hold.job_id + "'");
  const Row row = read_row(answer, hidden());
  if (row.job.state == JobState::leased) {
    const std::int64_t dead_by = now_of(answer) - (dead_at_equal() ? 0 : 1);
    if ((strict() || kind == "extend") && row.expires_at_ms.value_or(dead_by) <= dead_by)
      return lease_lost(LeaseReason::expired, "the lease expired");
    return lease_lost(LeaseReason::mismatch, "another claim holds the job");
  }
  const auto& last = row.last_settle;
  const bool same = last && last->kind == kind && last->token == hold.token &&
                    (profile.fence != Fence::token_attempt || last->attempt == hold.attempt);
  if (same && profile.resettle == Resettle::ok) return *last;
  if (!same && row.job.state == JobState::done && kind == "ack" &&
      profile.resettle_foreign == Resettle::ok)
    return LastSettle{};
  return lease_lost(LeaseReason::not_held,
                    "nobody holds the job: it is " + std::string(name_of(row.job.state)));
}

Result<bool> PostgresSession::settled(const pqxx::row& answer, const Hold& hold,
                                      std::string_view kind) const {
  if (verdict_of(answer) == "done") return true;
  const auto repeated = refused_or_repeated(answer, hold, kind);
  if (!repeated.ok()) return repeated.error();
  return false;
}

static Status done(const Result<bool>& settled) {
  if (!settled.ok()) return settled.error();
  return Done{};
}

Result<Extended> PostgresSession::extend(Instant now, const Extend& request) {
  return call<Extended>(Phase::writing, now, request, [&](Present at) -> Result<Extended> {
    const auto answers = ask_held("extend", at, request.hold, true, to_ms(request.lease));
    const pqxx::row answer = answers.at(0);
    if (verdict_of(answer) == "done") return Extended{instant_from_ms(expiry_of(answer))};
    const auto refused = refused_or_repeated(answer, request.hold, "extend");
    CHECK(!refused.ok());
    return refused.error();
  });
}

Status PostgresSession::ack(Instant now, const Ack& request) {
  return call<Done>(Phase::writing, now, request, [&](Present at) -> Status {
    const Hold& hold = request.hold;
    const auto& sql = at.caller && is_brief(hold.job_id) ? shared_.sql.quick_ack_by_caller
                                                         : shared_.sql.quick_ack;
    if (is_quick("ack") &&
        !ask_plainly(sql, at, to_hex(hold.job_id), to_hex(hold.token), attempt_of(hold), unfenced(),
                     strict(), dead_at_equal(), releases())
             .empty())
      return Done{};
    const auto answers = ask_held("ack", at, hold, strict(), releases());
    return done(settled(answers.at(0), hold, "ack"));
  });
}

static bool names_none_twice(const std::vector<const Hold*>& holds) {
  std::set<std::string_view> ids;
  return std::ranges::all_of(holds,
                             [&](const Hold* hold) { return ids.insert(hold->job_id).second; });
}

std::vector<Status> PostgresSession::ack_all(Instant now, std::span<const Ack> requests) {
  if (!is_quick("ack")) return Session::ack_all(now, requests);
  using Open = Unanswered<Done, Ack>;
  const auto ask_for = [&](const Open& chunk, auto ask) {
    std::vector<const Hold*> holds;
    for (const auto& [request, answer] : chunk) holds.push_back(&request->hold);
    return ask(array_of_bytes(holds, [](const Hold& hold) { return std::optional(hold.job_id); }),
               array_of_bytes(holds, [](const Hold& hold) { return std::optional(hold.token); }),
               array_of_numbers(holds, [&](const Hold& hold) { return attempt_of(hold); }),
               unfenced(), strict(), dead_at_equal(), releases());
  };
  const auto body = [&](const Present& at, const Open& chunk) {
    std::vector<const Hold*> holds;
    for (const auto& [request, answer] : chunk) holds.push_back(&request->hold);
    if (names_none_twice(holds)) {
      const auto done = ask_for(chunk, [&](const auto&... values) {
        return ask_plainly(shared_.sql.quick_ack_all, at, values...);
      });
      for (const pqxx::row row : done) *chunk.at(row[0].as<std::size_t>() - 1).second = Done{};
    }
    Open rest;
    for (const auto& one : chunk)
      if (!*one.second) rest.push_back(one);
    if (rest.empty()) return;
    const auto answers =
        ask_for(rest, [&](const auto&... values) { return ask("ack_all", at, values...); });
    CHECK(answers.size() == static_cast<pqxx::result::size_type>(rest.size()));
    int place = 0;
    for (const auto& [request, answer] : rest)
      *answer = done(settled(answers[place++], request->hold, "ack"));
  };
  // Two that ack the same jobs in another order may wait in a circle: the server then takes one of
  // them back.
  constexpr std::size_t most = 1000;
  const auto chunk_end = [](std::span<const Ack> all, std::size_t from) {
    return std::min(all.size(), from + most);
  };
  const auto alone = [&](const Ack& request) { return ack(now, request); };
  return in_chunks<Done>(now, requests, chunk_end, body, alone);
}

Status PostgresSession::retry(Instant now, const Retry& request) {
  return call<Done>(Phase::writing, now, request, [&](Present at) {
    const auto answers = ask_held("settle", at, request.hold, strict(), releases(), "retry",
                                  request.attempts, std::optional(to_ms(request.run_at)),
                                  std::optional<std::string>(), to_hex(request.error));
    return done(settled(answers.at(0), request.hold, "retry"));
  });
}

Status PostgresSession::fail(Instant now, const Fail& request) {
  return call<Done>(Phase::writing, now, request, [&](Present at) {
    const auto answers = ask_held("settle", at, request.hold, strict(), releases(), "fail",
                                  request.attempts, std::optional<std::int64_t>(),
                                  std::optional(to_hex(request.reason)), to_hex(request.error));
    return done(settled(answers.at(0), request.hold, "fail"));
  });
}

const char* counter_name(Counter counter) {
  switch (counter) {
    case Counter::failures:
      return "failures";
    case Counter::attempt_no:
      return "attempt_no";
    case Counter::starts:
      return "starts";
    case Counter::retries:
      break;
  }
  return "retries";
}

Result<bool> PostgresSession::nacked(const pqxx::row& answer, const Hold& hold,
                                     Nacked& told) const {
  const bool applied = verdict_of(answer) == "done";
  LastSettle last;
  if (applied) {
    last = read_row(answer, hidden()).last_settle.value_or(LastSettle{});
  } else {
    auto repeated = refused_or_repeated(answer, hold, "nack");
    if (!repeated.ok()) return repeated.error();
    last = *std::move(repeated);
  }
  told = {job_state_from(last.state).value_or(JobState::ready), std::nullopt};
  if (last.run_at_ms) told.run_at = instant_from_ms(*last.run_at_ms);
  return applied;
}

Result<Nacked> PostgresSession::nack(Instant now, const Nack& request) {
  return call<Nacked>(Phase::writing, now, request, [&](Present at) -> Result<Nacked> {
    const Profile& profile = shared_.profile;
    const auto answers =
        ask_held("nack", at, request.hold, strict(), releases(), counter_name(profile.counter),
                 request.unrecoverable, to_hex(request.error), hidden(),
                 profile.limit_unit == LimitUnit::retries, profile.default_limit,
                 to_ms(profile.backoff.base), to_ms(profile.backoff.cap), draw());
    Nacked told;
    const auto applied = nacked(answers.at(0), request.hold, told);
    if (!applied.ok()) return applied.error();
    return told;
  });
}

}  // namespace assay::pg
