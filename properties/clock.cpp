// clock: where the contract says so, the caller's clock is the only one.
#include <fmt/format.h>

#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

// A tick more or less is another rule's business.
static bool strays(const Profile& profile, Instant a, Instant b) {
  return (a < b ? b - a : a - b) > profile.time_resolution;
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  if (!m.facts.clock_has_moved()) return;
  Instant expected = m.now + d.request.lease;
  v.expect("XCLOCK-1", !strays(m.profile, d.claim.expires_at, expected), d.job, {}, [&] {
    return fmt::format("the caller's clock stands at {}, but the lease on {} was counted from {}.",
                       words::at(m, m.now), words::job(d.job),
                       words::at(m, d.claim.expires_at - d.request.lease));
  });
}

static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  if (!m.facts.clock_has_moved() || !s.shown.created_at) return;
  v.expect("XCLOCK-1", !strays(m.profile, *s.shown.created_at, s.job.created.lo), s.job,
           {s.job.born}, [&] {
             return fmt::format(
                 "the caller's clock stood at {} when {} was enqueued, but it is said "
                 "to be of {}.",
                 words::at(m, s.job.created.lo), words::job(s.job),
                 words::at(m, *s.shown.created_at));
           });
}

static constexpr std::string_view rules[] = {"XCLOCK-1"};

Property clock() { return {"clock", rules, nullptr, nullptr, delivery, sighting}; }

}  // namespace assay::properties
