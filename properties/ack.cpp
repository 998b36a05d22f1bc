// ack: the holder's word ends the job, for good.
#include <fmt/format.h>

#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static void operation(const Moment& m, Verdicts& v) {
  const auto* request = m.request<Reserve>();
  if (m.plain && request && is_any_in(m, *request, Phase::done)) v.triggered("ACK-3");
}

static void hold(const Moment& m, const HoldUse& use, Verdicts& v) {
  if (use.kind != Change::ack) return;
  if (use.standing == Standing::current)
    v.expect("ACK-1", m.ok(), use.job, {use.job.lease().op}, [&] {
      return fmt::format(
          "the holder of {} acked it at {}, before its lease ended at {}, and was {}.",
          words::job(use.job), words::at(m, m.now), words::at(m, use.job.lease().expires_at),
          words::outcome(m));
    });
  if (use.standing == Standing::repeat)
    v.expect("ACK-2", m.ok(), use.job, {use.job.changed_at}, [&] {
      return fmt::format("{} was acked in {}; the same ack again was {}.", words::job(use.job),
                         words::op(use.job.changed_at), words::outcome(m));
    });
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  if (d.job.phase == Phase::done)
    v.convict("ACK-3", &d.job, {d.job.changed_at},
              fmt::format("{} was acked in {}, and handed out again at {}.", words::job(d.job),
                          words::op(d.job.changed_at), words::at(m, m.now)));
}

static void sighting(const Moment&, const Sighting& s, Verdicts& v) {
  if (s.job.phase != Phase::done) return;
  auto story = [&] {
    return fmt::format("{} was acked in {}, and is shown as {}{}.", words::job(s.job),
                       words::op(s.job.changed_at), words::state(s.shown.state),
                       s.whole && s.whole->lease ? ", with a lease" : "");
  };
  v.expect("ACK-1", s.as_expected(), s.job, {s.job.changed_at}, story);
  v.expect("ACK-5", s.as_expected() && !(s.whole && s.whole->lease), s.job, {s.job.changed_at},
           story);
}

static constexpr std::string_view rules[] = {"ACK-1", "ACK-2", "ACK-3", "ACK-5"};

static bool concerns(Change kind, Standing standing) {
  return kind == Change::ack && (standing == Standing::current || standing == Standing::repeat);
}

Property ack() {
  return {.family = "ack",
          .rules = rules,
          .operation = operation,
          .hold = hold,
          .delivery = delivery,
          .sighting = sighting,
          .calls = calls_of<Reserve>,
          .holds = concerns,
          .first_runs = false};
}

}  // namespace assay::properties
