#include "properties/detail/content.h"

#include <algorithm>

#include "properties/detail/reserves.h"

namespace assay {

const char* differing_field(const Moment& m, const JobFacts& job, const Job& shown) {
  const NewJob& given = job.given;
  const Profile& p = m.profile;
  std::int64_t limit = given.max_attempts.value_or(0);
  std::int64_t shown_limit = shown.max_attempts.value_or(0);
  if (shown.queue != given.queue) return "queue";
  if (shown.type != given.type) return "type";
  if (shown.payload != given.payload) return "payload";
  if (limit != shown_limit && !(limit == 0 && shown_limit == p.default_limit)) return "limit";
  if (given.timeout.value_or(Duration{0}) != shown.timeout.value_or(Duration{0}) &&
      p.has("timeouts"))
    return "timeout";
  if (p.idem != Idem::none && given.key != shown.key) return "key";
  if (given.priority.value_or(0) != shown.priority && p.has("priority")) return "priority";
  if (shown.created_at && !same_time(p, *shown.created_at,
                                     std::clamp(*shown.created_at, job.created.lo, job.created.hi)))
    return "creation time";
  return nullptr;
}

bool as_left(const Moment& m, const Sighting& s) {
  if (!s.as_expected() || !m.facts.shown_counter(s.job, m.now).holds(s.shown.attempts))
    return false;
  bool waiting = s.job.phase == Phase::waiting;
  if (waiting && s.job.run_at && s.shown.run_at && *s.job.run_at != *s.shown.run_at) return false;
  bool live = s.job.phase == Phase::leased && !m.facts.lapsed(s.job, m.now);
  if (!live || !s.whole || s.job.lease().lost) return true;
  return s.whole->lease && s.whole->lease->token == s.job.lease().token &&
         same_time(m.profile, s.whole->lease->expires_at, s.job.lease().expires_at);
}

bool at_limit(const Moment& m, const JobFacts& job) {
  std::int64_t n = job.counter.hi;
  return (m.profile.counter == Counter::attempt_no ? n : n + 1) >=
         runs_allowed(m.profile, job.given.max_attempts);
}

}  // namespace assay
