// claim: only jobs that may be handed out are, all at once, and if there is one it is found.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static bool asked_for(const Reserve& request, const std::string& queue) {
  return std::find(request.queues.begin(), request.queues.end(), queue) != request.queues.end();
}

static void answer_as_asked(const Moment& m, const Reserve& request, const Claims& answer,
                            Verdicts& v) {
  if (static_cast<std::int64_t>(answer.claims.size()) > request.max)
    v.convict("CLAIM-2", nullptr, {},
              fmt::format("{} jobs were handed out where at most {} were asked for.",
                          answer.claims.size(), request.max));
  std::set<JobId> handed_out;
  for (const Claim& claim : answer.claims) {
    const JobFacts* job = m.facts.find(claim.job.id);
    if (answer.claims.size() > 1 && !handed_out.insert(claim.job.id).second)
      v.convict("CLAIM-3", job, {},
                fmt::format("job {} was handed out twice in one answer.", claim.job.id));
    bool another = request.job_id && claim.job.id != *request.job_id;
    if (another)
      v.convict("CLAIM-2", job, {}, "another job than the one named was handed out.");
    else if (!job && !m.facts.perhaps_made(claim.job.id))
      v.convict("CLAIM-2", nullptr, {},
                fmt::format("a job {} was handed out that nobody ever enqueued.", claim.job.id));
  }
}

static void operation(const Moment& m, Verdicts& v) {
  const auto* request = m.request<Reserve>();
  if (!m.plain || !request) return;
  if (is_any_live(m, *request)) v.triggered("CLAIM-3");
  if (is_any_in(m, *request, Phase::done) || is_any_in(m, *request, Phase::cancelled))
    v.triggered("CLAIM-4");
  if (const auto* answer = m.answer<Claims>()) answer_as_asked(m, *request, *answer, v);
  if (m.missed)
    v.convict("CLAIM-7", m.missed, {m.missed->changed_at},
              fmt::format("{} is free in a queue that was asked for ({}), but the claim was {}.",
                          words::job(*m.missed), words::phase(m.facts, *m.missed, m.now),
                          m.ok() ? "answered with nothing" : words::outcome(m)));
}

static bool eligible(const Moment& m, const JobFacts& job) {
  if (job.phase == Phase::waiting) return job.not_before <= m.now;
  return m.facts.lapsed(job, m.now);
}

// CLAIM-1, XLEASE-3: claims that overlap are a race, for a fresh job or for an expired one.
static void race(const Moment& m, const JobFacts& job, Verdicts& v) {
  bool held = job.phase == Phase::leased && !m.facts.lapsed(job, m.now);
  bool expired = held ? job.lease().reclaimed : lost_its_lease(m, job);
  const char* rule = expired ? "XLEASE-3" : "CLAIM-1";
  v.triggered(rule);
  if (held && job.lease().ended > m.began)
    v.convict(rule, &job, {job.lease().op},
              fmt::format("{} and {} claimed at the same time, and both got {}.",
                          words::op(job.lease().op), words::op(m.op()), words::job(job)));
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  const JobFacts& job = d.job;
  if (m.other_claims) race(m, job, v);
  if (m.facts.surely_runnable(job, m.now)) v.triggered("CLAIM-7");
  if (m.facts.queue_count() > 1) v.triggered("CLAIM-6");
  if (!asked_for(d.request, job.given.queue))
    v.convict("CLAIM-6", &job, {job.born},
              fmt::format("{} is in queue \"{}\", which was not asked for.", words::job(job),
                          job.given.queue));
  v.expect("CLAIM-2", eligible(m, job), job, {job.changed_at}, [&] {
    return fmt::format("{} was handed out although it is {} (since {}).", words::job(job),
                       words::phase(m.facts, job, m.now), words::op(job.changed_at));
  });
  if (job.phase == Phase::leased && !m.facts.lapsed(job, m.now))
    v.convict("CLAIM-3", &job, {job.lease().op},
              fmt::format("{} was claimed in {} until {}, and handed out again at {}.",
                          words::job(job), words::op(job.lease().op),
                          words::at(m, job.lease().expires_at), words::at(m, m.now)));
  if (job.phase == Phase::done || job.phase == Phase::cancelled)
    v.convict("CLAIM-4", &job, {job.changed_at},
              fmt::format("{} is {} since {}, and was handed out.", words::job(job),
                          words::phase(m.facts, job, m.now), words::op(job.changed_at)));
}

static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  const JobFacts& job = s.job;
  if (job.phase != Phase::leased || m.facts.lapsed(job, m.now)) return;
  v.expect("CLAIM-8", s.shown.state == JobState::leased, job, {job.lease().op}, [&] {
    return fmt::format("{} was claimed in {} until {}, and is shown as {}.", words::job(job),
                       words::op(job.lease().op), words::at(m, job.lease().expires_at),
                       words::state(s.shown.state));
  });
  if (!s.whole || job.lease().lost) return;
  const auto& lease = s.whole->lease;
  bool together = s.shown.state == JobState::leased && lease && lease->token == job.lease().token &&
                  same_time(m.profile, lease->expires_at, job.lease().expires_at);
  v.expect("CLAIM-5", together, job, {job.lease().op}, [&] {
    return fmt::format(
        "{} was claimed in {} with {} until {}; it is shown as {} {}.", words::job(job),
        words::op(job.lease().op), words::token(job.lease().token),
        words::at(m, job.lease().expires_at), words::state(s.shown.state),
        lease ? "with " + words::token(lease->token) + " until " + words::at(m, lease->expires_at)
              : "without a lease");
  });
}

static constexpr std::string_view rules[] = {"CLAIM-1", "XLEASE-3", "CLAIM-2", "CLAIM-3", "CLAIM-4",
                                             "CLAIM-5", "CLAIM-6",  "CLAIM-7", "CLAIM-8"};

Property claim() {
  return {"claim", rules, operation, nullptr, delivery, sighting, calls_of<Reserve>};
}

}  // namespace assay::properties
