// backoff: how long a failed job waits, where the store decides it and where the engine does.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "properties/detail/engine.h"
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

// min(cap, base * 2^(n-1)).
static Duration widest(const Profile& profile, std::int64_t failure) {
  Duration window = profile.backoff.base;
  for (std::int64_t n = 1; n < failure && window < profile.backoff.cap; ++n) window *= 2;
  return std::min(window, profile.backoff.cap);
}

// Delays after so many failures, of one engine: none are as long as one another by accident.
struct Spread {
  std::int64_t drawn = 0;
  Duration least = Duration::max(), most = Duration::min();
  std::vector<OpId> ops = {};

  void add(Duration delay, OpId op) {
    ++drawn;
    least = std::min(least, delay);
    most = std::max(most, delay);
    ops.push_back(op);
  }
};

// With full jitter twenty delays lie within a twentieth of their window once in 10^23.
static void judge_spread(const EngineView& view, std::int64_t failure, const Spread& spread) {
  if (spread.drawn < enough_draws) return;
  const Duration window = widest(view.facts.profile, failure);
  view.expect("BACK-5", spread.most - spread.least > window / 20, spread.ops, [&] {
    return fmt::format(
        "{} jobs failed for the {}. time and wait between {} and {} ms: next to no jitter.",
        spread.drawn, failure, to_ms(spread.least), to_ms(spread.most));
  });
}

// Delays that an engine chose, as parts of the window that they were drawn from.
static void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  std::vector<double> parts;
  std::vector<OpId> ops;
  std::map<std::int64_t, Spread> spreads;  // by the number of failures
  for (const Assignment& assignment : facts.assignments) {
    if (assignment.worker < 0 || assignment.settles.empty()) continue;
    const EngineCall& settle = view.call(assignment.settles.front());
    const auto* retry = std::get_if<Retry>(&settle.request);
    if (!retry || meaning_of(facts, settle, assignment.claim) != SettleMeans::failure) continue;
    const std::int64_t n = view.run_number(assignment.claim);
    const Duration window = widest(facts.profile, n);
    const Duration delay = retry->run_at - settle.began.now;
    const auto story = [&] {
      return fmt::format(
          "failure {} of {} at {} may be retried between then and {} ms later; it "
          "was put off by {} ms.",
          n, view.job(assignment.claim.job.id), view.at(settle.began.now), to_ms(window),
          to_ms(delay));
    };
    const std::vector<OpId> shown{view.claimed(assignment), settle.op};
    // Where it comes from a policy it lies within the policy's bounds, whichever failure it is.
    view.expect("BACK-1", delay >= Duration{0} && delay <= facts.profile.backoff.cap, shown, story);
    view.expect("BACK-2", delay <= window, shown, story);
    view.expect("BACK-3", delay <= window, shown, story);
    // Its settle may be sent a little later than it failed.
    const HandlerRun* run = view.run_of(assignment);
    if (run && run->ended) view.expect("BACK-4", retry->run_at >= run->ended->now, shown, story);
    if (window < telling_window) continue;
    spreads[n].add(delay, settle.op);
    parts.push_back(static_cast<double>(delay.count()) / static_cast<double>(window.count()));
    ops.push_back(settle.op);
  }
  for (const auto& [failure, spread] : spreads) judge_spread(view, failure, spread);
  if (static_cast<std::int64_t>(parts.size()) < enough_draws) return;
  const auto [least, most] = std::ranges::minmax(parts);
  if (most - least < 0.001)
    view.convict("BACK-1", ops,
                 fmt::format("{} failures wait for the same part of their window each: no jitter.",
                             parts.size()));
  // One in a million million that a true policy gives that.
  if (most < 0.25)
    view.convict("BACK-3", ops,
                 fmt::format("of {} delays none is longer than a quarter of what the default "
                             "policy draws from.",
                             parts.size()));
}

static constexpr std::string_view rules[] = {"BACK-1", "BACK-2", "BACK-3", "BACK-4", "BACK-5"};

static bool concerns(Change kind, Standing) { return kind == Change::nack; }

Property backoff() {
  return {.family = "backoff", .rules = rules, .hold = hold, .holds = concerns, .engine = engine};
}

}  // namespace assay::properties
