// fence: only the token of the present claim moves a job; what is refused changes nothing.
#include <fmt/format.h>

#include <set>

#include "properties/detail/content.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

// What may be accepted although the token is not the present holder's.
static bool permitted(const Moment& m, const HoldUse& use) {
  if (m.profile.late_settle == LateSettle::unfenced || m.profile.fence == Fence::none) return true;
  if (use.standing == Standing::lapsed) return m.profile.late_settle != LateSettle::reject;
  if (use.standing == Standing::repeat) return use.kind != Change::extend;
  return use.kind == Change::ack && use.job.phase == Phase::done &&
         m.profile.resettle_foreign == Resettle::ok;
}

static std::string accepted(const Moment& m, const HoldUse& use) {
  const JobFacts& job = use.job;
  std::string text = fmt::format("{} with {} was accepted at {}", name_of(m.call.request),
                                 words::token(use.hold.token), words::at(m, m.now));
  if (use.wrong_attempt)
    return text + fmt::format(", although its attempt number is not that of {}.",
                              words::op(job.lease().op));
  if (use.standing == Standing::lapsed)
    return text + fmt::format(", but the lease of {} from {} was over at {}.", words::job(job),
                              words::op(job.lease().op), words::at(m, job.lease().expires_at));
  if (job.phase == Phase::leased)
    return text + fmt::format(", but {} is held since {} with {} until {}.", words::job(job),
                              words::op(job.lease().op), words::token(job.lease().token),
                              words::at(m, job.lease().expires_at));
  return text + fmt::format(", but {} is {} since {}.", words::job(job),
                            words::phase(m.facts, job, m.now), words::op(job.changed_at));
}

static void against_the_rules(const Moment& m, const HoldUse& use, Verdicts& v) {
  const JobFacts& job = use.job;
  bool settle = use.kind != Change::extend;
  bool older = use.standing == Standing::stale && !use.wrong_attempt;
  auto must_refuse = [&](const char* rule) {
    v.expect(rule, m.refused(), job, {job.changed_at}, [&] { return accepted(m, use); });
  };
  if (settle && job.phase == Phase::leased) must_refuse("FENCE-1");
  if (settle && (older || use.standing == Standing::repeat)) must_refuse("FENCE-2");
  if (settle && use.standing == Standing::lapsed) must_refuse("FENCE-3");
  if (settle && older && job.phase == Phase::leased) must_refuse("FENCE-10");
  if (use.wrong_attempt) must_refuse("FENCE-7");
  if (!settle) must_refuse("FENCE-8");
}

static void hold(const Moment& m, const HoldUse& use, Verdicts& v) {
  if (use.standing == Standing::current || permitted(m, use)) return;
  against_the_rules(m, use, v);
}

// FENCE-5: nor do two claims of one answer share a token.
static void operation(const Moment& m, Verdicts& v) {
  const auto* answer = m.answer<Claims>();
  if (!m.plain || !answer || answer->claims.size() < 2) return;
  v.triggered("FENCE-5");
  std::set<Token> minted;
  for (const Claim& claim : answer->claims)
    if (!minted.insert(claim.token).second)
      v.convict("FENCE-5", m.facts.find(claim.job.id), {},
                fmt::format("{} was given twice in one answer.", words::token(claim.token)));
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  const JobFacts& job = d.job;
  const auto* earlier = m.facts.minted(d.claim.token);
  if (m.facts.anything_minted()) v.triggered("FENCE-5");
  if (earlier && earlier->second != m.op())
    v.convict("FENCE-5", &job, {earlier->second},
              fmt::format("{} was minted in {} already, for {}.", words::token(d.claim.token),
                          words::op(earlier->second), words::job(m.facts.job(earlier->first))));
  if (!job.claims.empty()) {
    auto before = job.lease().version;
    bool rises = d.claim.version && (job.lease().guessed || (before && *d.claim.version > *before));
    v.expect("FENCE-6", rises, job, {job.lease().op}, [&] {
      return fmt::format("the lease version of {} was {} in {} and is {} now.", words::job(job),
                         before.value_or(-1), words::op(job.lease().op),
                         d.claim.version.value_or(-1));
    });
  }
  bool numbered = m.profile.fence == Fence::token_attempt &&
                  m.profile.counter == Counter::attempt_no && d.claim.attempt;
  if (numbered)
    v.expect("FENCE-7", *d.claim.attempt == d.claim.job.attempts, job, {}, [&] {
      return fmt::format("{} was handed out as attempt {}, but is at attempt {}.", words::job(job),
                         *d.claim.attempt, d.claim.job.attempts);
    });
  if (m.profile.fence == Fence::token_attempt && !d.claim.attempt)
    v.convict("FENCE-7", &job, {},
              fmt::format("{} was handed out without an attempt number.", words::job(job)));
}

// FENCE-4: after refused calls, a look shows what the accepted ones left behind.
static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  if (!s.job.refused.empty())
    v.expect("FENCE-4", as_left(m, s), s.job, s.job.refused, [&] {
      return fmt::format(
          "{} was refused, so {} should be as {} left it ({}), but a look shows it "
          "changed: {}, counter {}.",
          words::op(s.job.refused.back()), words::job(s.job), words::op(s.job.changed_at),
          words::phase(m.facts, s.job, m.now), words::state(s.shown.state), s.shown.attempts);
    });
  if (!s.whole || s.job.phase != Phase::leased || m.facts.lapsed(s.job, m.now)) return;
  if (s.job.lease().lost) return;
  v.expect("FENCE-11", s.whole->lease && s.whole->lease->token == s.job.lease().token, s.job,
           {s.job.lease().op}, [&] {
             return fmt::format(
                 "the present attempt at {} is that of {}, but a look shows another.",
                 words::job(s.job), words::op(s.job.lease().op));
           });
}

static constexpr std::string_view rules[] = {"FENCE-1",  "FENCE-2", "FENCE-3", "FENCE-4",
                                             "FENCE-5",  "FENCE-6", "FENCE-7", "FENCE-8",
                                             "FENCE-10", "FENCE-11"};

static bool concerns(Change, Standing standing) { return standing != Standing::current; }

Property fence() {
  return {.family = "fence",
          .rules = rules,
          .operation = operation,
          .hold = hold,
          .delivery = delivery,
          .sighting = sighting,
          .calls = calls_of<Reserve>,
          .holds = concerns};
}

}  // namespace assay::properties
