// backoff: how long the store lets a failed job wait, where the store decides.
#include <fmt/format.h>

#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

// So many equal delays are no accident: with a window of 100 ms and full jitter, less than 1 in
// 10^38.
static constexpr std::int64_t enough_draws = 20;
static constexpr Duration telling_window{100};

static void hold(const Moment& m, const HoldUse& use, Verdicts& v) {
  const auto* answer = m.answer<Nacked>();
  bool settles = use.standing == Standing::current || use.standing == Standing::lapsed;
  if (!answer || !settles || answer->state == JobState::dead) return;
  std::int64_t n =
      m.profile.counter == Counter::attempt_no ? use.job.counter.hi : use.job.counter.hi + 1;
  Duration window = m.facts.backoff_window(n);
  Instant run_at = answer->run_at.value_or(m.now);
  auto story = [&] {
    return fmt::format(
        "failure {} of {} at {} may be retried between then and {} ms later; it was "
        "put off to {}.",
        n, words::job(use.job), words::at(m, m.now), to_ms(window), words::at(m, run_at));
  };
  v.expect("BACK-2", run_at <= m.now + window, use.job, {use.job.lease().op}, story);
  v.expect("BACK-4", run_at >= m.now, use.job, {use.job.lease().op}, story);
  const auto* delays = m.facts.delays(n);
  if (!delays || delays->drawn + 1 != enough_draws || window < telling_window) return;
  const Duration blur = m.facts.latest(m.call, m.end) - m.call.now;
  const bool varied = delays->varied || delays->differs(run_at - m.now, blur);
  v.expect("BACK-5", varied, use.job, {}, [&] {
    return fmt::format("{} jobs failed for the {}. time, and each waits {} ms: no jitter.",
                       enough_draws, n, to_ms(delays->first));
  });
}

static constexpr std::string_view rules[] = {"BACK-2", "BACK-4", "BACK-5"};

static bool concerns(Change kind, Standing) { return kind == Change::nack; }

Property backoff() {
  return {.family = "backoff", .rules = rules, .hold = hold, .holds = concerns};
}

}  // namespace assay::properties
