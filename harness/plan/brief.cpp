#include "harness/plan/brief.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

// A second becomes 150 ms, three seconds 230, nine seconds 360, a minute three quarters of a second
// and a day one and a fifth.
Duration shortened(Duration wait) {
  constexpr double second = 1000, minute = 60 * second;
  const auto length = static_cast<double>(wait.count());
  if (length <= 0) return wait;
  double brief = 150 * std::pow(std::min(length, minute) / second, 0.4);
  if (length > minute) brief += 60 * std::log(length / minute);
  return std::min(wait, Duration{std::llround(brief)});
}

// Of what the store chooses for itself, the longest that is waited for.
constexpr Duration longest_backoff{2'000};

// Just before something is so long before it that a call which is made then has surely ended, or
// nobody could say that it was early.
constexpr Duration surely_before{80};

Duration before_or_after(Duration offset) {
  return offset < Duration{0} ? std::min(offset, -surely_before) : offset;
}

// Those that are longer than `kept` stay so.
Duration shortened(Duration wait, Duration kept) {
  return wait < kept ? shortened(wait) : kept + shortened(wait - kept);
}

}  // namespace

Plan brief(Plan plan, const Profile& profile) {
  const bool store_decides = profile.decider == Decider::store;
  const Duration kept =
      store_decides && profile.backoff.cap <= longest_backoff ? profile.backoff.cap : Duration{0};
  for (Step& step : plan.steps) {
    step.lease = shortened(step.lease, kept);
    if (!step.when || step.when->base == When::Base::absolute) continue;
    Duration& offset = step.when->offset;
    offset = step.when->base == When::Base::now ? shortened(offset, kept) : before_or_after(offset);
  }
  return plan;
}

}  // namespace assay
