// heartbeat: each one grants a further lease; while they come the job stays, when they stop it
// returns.
#include <fmt/format.h>

#include <algorithm>

#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static bool kept_alive(const Moment& m, const JobFacts& job) {
  return job.phase == Phase::leased && job.lease().extensions > 0 &&
         m.facts.lease_dead(job.lease().first_expiry, m.now) && !m.facts.lapsed(job, m.now);
}

static void operation(const Moment& m, Verdicts& v) {
  const auto* request = m.request<Reserve>();
  if (!m.plain || !request) return;
  if (const JobFacts* job = tempting_live(m, *request); job && kept_alive(m, *job))
    v.triggered("HB-4");
  const JobFacts* missed = m.missed;
  if (missed && lost_its_lease(m, *missed) && missed->lease().extensions > 0)
    v.convict("HB-5", missed, {missed->changed_at},
              fmt::format("the last heartbeat for {} held until {}, but this claim at {} found "
                          "nothing.",
                          words::job(*missed), words::at(m, missed->lease().expires_at),
                          words::at(m, m.now)));
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  if (kept_alive(m, d.job))
    v.convict(
        "HB-4", &d.job, {d.job.changed_at},
        fmt::format("{} was kept by a heartbeat until {}, but handed out at {}.", words::job(d.job),
                    words::at(m, d.job.lease().expires_at), words::at(m, m.now)));
  if (lost_its_lease(m, d.job) && d.job.lease().extensions > 0) v.triggered("HB-5");
}

static void hold(const Moment& m, const HoldUse& use, Verdicts& v) {
  const auto* request = m.request<Extend>();
  const auto* answer = m.answer<Extended>();
  // A lease that ran out need not be revived, but if it is, then for as long as any other.
  bool revived = use.standing == Standing::lapsed && answer;
  if (!request || (use.standing != Standing::current && !revived)) return;
  Instant expected = std::max(use.job.lease().expires_at, m.now + request->lease);
  v.expect("HB-2", answer && same_time(m.profile, answer->expires_at, expected), use.job,
           {use.job.lease().op}, [&] {
             return fmt::format(
                 "a heartbeat for {} at {} by {} ms should hold until {}; it was {}{}.",
                 words::job(use.job), words::at(m, m.now), to_ms(request->lease),
                 words::at(m, expected), words::outcome(m),
                 answer ? ", until " + words::at(m, answer->expires_at) : "");
           });
}

static constexpr std::string_view rules[] = {"HB-2", "HB-4", "HB-5"};

static bool concerns(Change kind, Standing) { return kind == Change::extend; }

Property heartbeat() {
  return {.family = "heartbeat",
          .rules = rules,
          .operation = operation,
          .hold = hold,
          .delivery = delivery,
          .calls = calls_of<Reserve>,
          .holds = concerns,
          .first_runs = false};
}

}  // namespace assay::properties
