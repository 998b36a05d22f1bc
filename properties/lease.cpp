// lease: one holder, for as long as was said, and free again after.
#include <fmt/format.h>

#include <algorithm>

#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static std::string held(const Moment& m, const JobFacts& job) {
  return fmt::format("{} was held since {} with {} until {}", words::job(job),
                     words::op(job.lease().op), words::token(job.lease().token),
                     words::at(m, job.lease().expires_at));
}

// LEASE-8: a job that comes back under another id than it was enqueued with.
static void renamed(const Moment& m, const Reserve& request, const Claims& answer, Verdicts& v) {
  for (const Claim& claim : answer.claims) {
    if (m.facts.find(claim.job.id) || m.facts.perhaps_made(claim.job.id)) continue;
    each_asked(m, request, [&](const QueueFacts& queue) {
      for (const auto& [expiry, index] : queue.leased) {
        const JobFacts& job = m.facts.job(index);
        if (!m.facts.lapsed(job, m.now)) break;
        if (job.given.type == claim.job.type && job.given.payload == claim.job.payload) {
          v.convict("LEASE-8", &job, {job.lease().op},
                    held(m, job) + fmt::format(", and came back under the id {}.", claim.job.id));
          return;
        }
      }
    });
  }
}

static void operation(const Moment& m, Verdicts& v) {
  const auto* request = m.request<Reserve>();
  if (!m.plain || !request) return;
  if (is_any_live(m, *request)) v.triggered("LEASE-2"), v.triggered("LEASE-3");
  if (expiring_in(m, *request, m.profile.time_resolution)) v.triggered("XLEASE-1");
  if (const auto* answer = m.answer<Claims>()) renamed(m, *request, *answer, v);
  if (!m.missed || !lost_its_lease(m, *m.missed)) return;
  const JobFacts& job = *m.missed;
  std::string story =
      held(m, job) + fmt::format(" and nobody settled it, but this claim at {} found nothing.",
                                 words::at(m, m.now));
  v.convict("LEASE-4", &job, {job.lease().op}, story);
  v.convict("XLEASE-2", &job, {job.lease().op}, story);
  if (m.now == job.lease().expires_at) v.convict("XLEASE-1", &job, {job.lease().op}, story);
}

static void granted(const Moment& m, const Delivery& d, Verdicts& v) {
  const Claim& claim = d.claim;
  v.expect("LEASE-1", !claim.token.empty(), d.job, {},
           [&] { return fmt::format("{} was handed out without a token.", words::job(d.job)); });
  Instant expected = m.now + d.request.lease;
  v.expect("LEASE-7", same_time(m.profile, claim.expires_at, expected), d.job, {}, [&] {
    return fmt::format("claimed at {} for {} ms, the lease of {} should end at {}, not at {}.",
                       words::at(m, m.now), to_ms(d.request.lease), words::job(d.job),
                       words::at(m, expected), words::at(m, claim.expires_at));
  });
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  const JobFacts& job = d.job;
  granted(m, d, v);
  if (lost_its_lease(m, job)) {
    v.triggered("LEASE-4");
    v.triggered("LEASE-8");
    v.triggered("XLEASE-2");
  }
  if (job.phase != Phase::leased) return;
  bool edge = m.now == job.lease().expires_at ||
              job.lease().expires_at - m.now == m.profile.time_resolution;
  if (edge) v.triggered("XLEASE-1");
  if (m.facts.lapsed(job, m.now)) return;
  std::string story =
      held(m, job) + fmt::format(", and was handed out to another at {}.", words::at(m, m.now));
  v.convict("LEASE-2", &job, {job.lease().op}, story);
  v.convict("LEASE-3", &job, {job.lease().op}, story);
  if (edge) v.convict("XLEASE-1", &job, {job.lease().op}, story);
}

static void extension(const Moment& m, const HoldUse& use, Verdicts& v) {
  const auto* request = m.request<Extend>();
  const auto* answer = m.answer<Extended>();
  if (use.standing == Standing::current) {
    Instant old = use.job.lease().expires_at;
    Instant expected = std::max(old, m.now + request->lease);
    bool later =
        answer && answer->expires_at >= old && (expected == old || answer->expires_at > old);
    v.expect("LEASE-5", later, use.job, {use.job.lease().op}, [&] {
      return held(m, use.job) +
             fmt::format("; an extension by {} ms at {} was {}{}.", to_ms(request->lease),
                         words::at(m, m.now), words::outcome(m),
                         answer ? ", and ends at " + words::at(m, answer->expires_at) : "");
    });
    return;
  }
  bool may_revive = use.standing == Standing::lapsed && m.profile.late_settle != LateSettle::reject;
  if (may_revive) return;
  v.expect("LEASE-6", m.refused(), use.job, {use.job.changed_at}, [&] {
    return fmt::format("{} is {}; an extension with {} was accepted at {}.", words::job(use.job),
                       words::phase(m.facts, use.job, m.now), words::token(use.hold.token),
                       words::at(m, m.now));
  });
}

static void hold(const Moment& m, const HoldUse& use, Verdicts& v) {
  if (use.kind == Change::extend) extension(m, use, v);
  const JobFacts& job = use.job;
  if (use.standing == Standing::lapsed && m.now == job.lease().expires_at &&
      m.profile.late_settle == LateSettle::reject)
    v.expect("XLEASE-1", m.refused(), job, {job.lease().op}, [&] {
      return held(m, job) + "; at that very instant the lease is over, but the call was accepted.";
    });
  if (m.profile.late_settle == LateSettle::unfenced || m.profile.fence == Fence::none) return;
  bool foreign_ack = use.kind == Change::ack && job.phase == Phase::done &&
                     m.profile.resettle_foreign == Resettle::ok;
  if (use.standing == Standing::stale && !use.wrong_attempt && !foreign_ack)
    v.expect("LEASE-10", m.refused(), job, {job.lease().op, job.changed_at}, [&] {
      return fmt::format("{} is {} since {}; {} is of a claim that is over, but was accepted.",
                         words::job(job), words::phase(m.facts, job, m.now),
                         words::op(job.changed_at), words::token(use.hold.token));
    });
}

static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  if (!s.whole || s.job.phase != Phase::leased || m.facts.lapsed(s.job, m.now)) return;
  if (s.job.lease().lost) return;
  const auto& lease = s.whole->lease;
  v.expect(
      "LEASE-11", lease && lease->worker == s.job.lease().worker, s.job, {s.job.lease().op}, [&] {
        return fmt::format("{} is held by \"{}\" since {}, but the lease names {}.",
                           words::job(s.job), s.job.lease().worker, words::op(s.job.lease().op),
                           lease && lease->worker ? "\"" + *lease->worker + "\"" : "nobody");
      });
}

static constexpr std::string_view rules[] = {"LEASE-1",  "LEASE-2",  "LEASE-3",  "LEASE-4",
                                             "LEASE-5",  "LEASE-6",  "LEASE-7",  "LEASE-8",
                                             "LEASE-10", "LEASE-11", "XLEASE-1", "XLEASE-2"};

static bool concerns(Change kind, Standing standing) {
  return kind == Change::extend || standing == Standing::lapsed || standing == Standing::stale;
}

Property lease() {
  return {.family = "lease",
          .rules = rules,
          .operation = operation,
          .hold = hold,
          .delivery = delivery,
          .sighting = sighting,
          .calls = calls_of<Reserve>,
          .holds = concerns};
}

}  // namespace assay::properties
