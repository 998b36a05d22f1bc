#include "harness/search/search.h"

#include <algorithm>

#include "harness/search/detail/pass.h"

namespace assay::search {

std::string_view told(Bound bound) {
  switch (bound) {
    case Bound::none:
      return "no bound was reached";
    case Bound::steps:
      return "the bound of steps was reached";
    case Bound::time:
      return "the time was over";
  }
  return "";
}

namespace detail {

// Deep first, as most histories have an explanation. Where operations of unknown outcome lead that
// astray it gives up early, and the rest is spent on the walk by levels.
Finding explain(Steps& steps, std::span<const Interval> intervals, const Limits& limits) {
  const Timeline line(steps, intervals);
  std::uint64_t rest = limits.max_steps;
  std::uint64_t first = rest;
  if (!line.possible.empty()) {
    first = std::min<std::uint64_t>(rest / 2, 50'000 + 1'000 * line.definite.size());
  }
  rest -= first;
  Finding finding = Pass(steps, line, Walk::deep, limits.stop, first).run();
  if (finding.bound == Bound::steps && rest > 0) {
    Finding second = Pass(steps, line, Walk::level, limits.stop, rest).run();
    const bool further = second.order.size() >= finding.order.size();
    if (second.answer != Answer::undecided || further) {
      finding = std::move(second);
    } else {
      finding.bound = second.bound;
      finding.reached = std::max(finding.reached, second.reached);
    }
  }
  finding.steps = limits.max_steps - first - rest;
  return finding;
}

}  // namespace detail
}  // namespace assay::search
