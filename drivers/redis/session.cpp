#include "drivers/redis/detail/session.h"

#include <set>

namespace assay::rds {

RedisSession::RedisSession(const Shared& shared, Namespace name_space, Random random,
                           Connection& connection, std::function<void(Connection&)> release)
    : shared_(shared),
      namespace_(std::move(name_space)),
      random_(random),
      connection_(&connection),
      release_(std::move(release)) {}

RedisSession::~RedisSession() { static_cast<void>(close()); }

Status RedisSession::close() {
  if (connection_) release_(*connection_);
  connection_ = nullptr;
  return Done{};
}

Words RedisSession::begin(Op op, Instant now, std::string_view subject) const {
  Words words = shared_.scripts.begin(op, namespace_.key);
  words.add(namespace_.generation).add(to_ms(now)).add(subject);
  return words;
}

// For the words of scripts/, in the order in which they appear there.
static Error refusal(const Value& reply, const std::string& id, const Shared& shared) {
  const std::string_view word = reply[1].text();
  const auto detail = [&] { return std::string(reply[2].text()); };
  if (word == "gone")
    return {ErrorCode::unavailable,
            shared.where + ": the namespace is gone; set it up again and open new sessions",
            LeaseReason::unstated, true};
  if (word == "not_found") return not_found("there is no job '" + id + "'");
  if (word == "expired") return lease_lost(LeaseReason::expired, "the lease expired");
  if (word == "mismatch") return lease_lost(LeaseReason::mismatch, "another claim holds the job");
  if (word == "not_held")
    return lease_lost(LeaseReason::not_held, "nobody holds the job: it is " + detail());
  if (word == "unschedulable")
    return unsupported("the profile '" + shared.profile.name + "' has no schedule_at_enqueue");
  if (word == "key_held")
    return {ErrorCode::duplicate_key, "the key is held by the active job '" + detail() + "'"};
  if (word == "duplicate_id")
    return {ErrorCode::duplicate_id, "a job '" + id + "' of other content exists"};
  if (word == "ended") return conflict("the job is " + detail() + " already");
  if (word == "replayed") return not_found("the job was replayed already: its record is gone");
  if (word == "key_taken")
    return conflict("the job's key is held by the active job '" + detail() + "'");
  if (word == "not_dead")
    return conflict("only a dead job can be requeued; this one is " + detail());
  throw Failure{Trouble::garbled, "a refusal that nobody knows: " + std::string(word)};
}

Result<Reply> RedisSession::run(Op op, const Words& words, const std::string& id) {
  Reply reply = shared_.scripts.run(op, *connection_, words);
  if (auto refused = refusal_in(reply.value(), id)) return *refused;
  return reply;
}

// Where there is nothing more to say, success is not a list.
std::optional<Error> RedisSession::refusal_in(const Value& reply, const std::string& id) const {
  if (!reply.is_list() || reply[0].number() != 0) return std::nullopt;
  return refusal(reply, id, shared_);
}

std::int64_t RedisSession::jitter() { return static_cast<std::int64_t>(random_.below(1U << 31)); }

// The length keeps scope and key apart, whatever characters they hold.
static std::string scoped_key(const Profile& profile, const NewJob& job) {
  if (!job.key) return {};
  if (profile.idem_scope == IdemScope::global) return *job.key;
  const std::string& scope = profile.idem_scope == IdemScope::queue ? job.queue : job.type;
  return std::to_string(scope.size()) + ":" + scope + *job.key;
}

Words RedisSession::enqueuing(Instant now, const NewJob& job) {
  Words words = begin(Op::enqueue, now, job.queue);
  add_job(words, job);
  return words;
}

void RedisSession::add_job(Words& words, const NewJob& job) {
  const Profile& profile = shared_.profile;
  const std::int64_t priority = profile.has("priority") ? job.priority.value_or(0) : 0;
  const std::string rank = priority == 0 ? shared_.scripts.middle() : rank_of(priority);
  const std::string key = scoped_key(profile, job);
  FixedParts parts{job.attempts.value_or(profile.counter == Counter::attempt_no ? 1 : 0), {}, key};
  if (priority != 0) parts.rank = rank;
  if (job.id)
    words.add(*job.id).add("");
  else
    words.add("").add(random_.hex(8));
  words.add(job.run_at ? std::optional(to_ms(*job.run_at)) : std::nullopt);
  words.add(rank).add(key).add(pack_fixed(job, parts)).add(job.payload);
}

Enqueued RedisSession::enqueued(const Value& answer) {
  if (answer.is_list()) return {std::string(answer[1].text()), true};
  return {std::string(answer.text()), false};
}

Result<Enqueued> RedisSession::enqueue(Instant now, const Enqueue& request) {
  return call<Enqueued>(request, [&]() -> Result<Enqueued> {
    const auto reply = run(Op::enqueue, enqueuing(now, request.job), request.job.id.value_or(""));
    if (!reply.ok()) return reply.error();
    return enqueued(reply->value());
  });
}

Claim RedisSession::claim_of(const Value& row) const {
  const Profile& profile = shared_.profile;
  ClaimRow found = read_claim(row);
  Claim claim;
  claim.job = std::move(found.job);
  claim.token = std::move(found.token);
  claim.expires_at = found.expires_at;
  if (profile.fence == Fence::token_attempt) claim.attempt = found.fence;
  if (profile.fence == Fence::token_version || profile.has("lease_version"))
    claim.version = found.version;
  return claim;
}

// As the scripts do it: beyond what doubles hold exactly is the last instant there is.
static std::int64_t expiry(Instant now, Duration lease) {
  constexpr std::int64_t exact = (std::int64_t{1} << 53) - 1;
  const std::int64_t from = to_ms(now), by = to_ms(lease);
  return by > exact || from > exact - by ? INT64_MAX : from + by;
}

Result<Claims> RedisSession::reserve(Instant now, const Reserve& request) {
  return call<Claims>(request, [&]() -> Result<Claims> {
    const std::set<std::string> queues(request.queues.begin(), request.queues.end());
    Claims claims;
    // Each script looks at a bounded number of lost leases; there may be more of them.
    for (bool more = true; more;) {
      const std::string secret = random_.hex(16);
      const auto have = static_cast<std::int64_t>(claims.claims.size());
      const bool draws = shared_.profile.expiry_to == ExpiryTo::backoff;
      Words words = begin(Op::reserve, now, *queues.begin());
      words.add(to_ms(request.lease)).add(expiry(now, request.lease));
      words.add(std::to_string(request.worker.size()) + " " + request.worker);
      words.add(request.max - have).add(secret).add(draws ? jitter() : 0);
      words.add(request.job_id ? std::string_view(*request.job_id) : std::string_view());
      for (auto queue = std::next(queues.begin()); queue != queues.end(); ++queue)
        words.add(*queue);
      const auto reply = run(Op::reserve, words);
      if (!reply.ok() && claims.claims.empty()) return reply.error();
      if (!reply.ok()) break;
      const Value answer = reply->value();
      for (std::size_t i = 2; i < answer.size(); ++i) claims.claims.push_back(claim_of(answer[i]));
      more =
          answer[1].number() == 1 && static_cast<std::int64_t>(claims.claims.size()) < request.max;
    }
    return claims;
  });
}

Result<Cancelled> RedisSession::cancel(Instant now, const Cancel& request) {
  return call<Cancelled>(request, [&]() -> Result<Cancelled> {
    const auto reply = run(Op::cancel, begin(Op::cancel, now, request.job_id), request.job_id);
    if (!reply.ok()) return reply.error();
    return Cancelled{};
  });
}

Status RedisSession::pause(Instant now, const Pause& request) {
  return call<Done>(request, [&]() -> Status {
    const auto reply = run(Op::pause, begin(Op::pause, now, request.queue));
    if (!reply.ok()) return reply.error();
    return Done{};
  });
}

Status RedisSession::resume(Instant now, const Resume& request) {
  return call<Done>(request, [&]() -> Status {
    const auto reply = run(Op::resume, begin(Op::resume, now, request.queue));
    if (!reply.ok()) return reply.error();
    return Done{};
  });
}

}  // namespace assay::rds
