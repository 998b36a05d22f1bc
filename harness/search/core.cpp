// The smallest set: operations are loosened, half of them at a time. A loosened one may have taken
// effect or not, so that what is left contradicts itself and not merely misses what was taken away:
// a read without the write that it read would be no witness.
#include <algorithm>
#include <limits>

#include "harness/search/search.h"

namespace assay::search::detail {
namespace {

class Loosening {
 public:
  Loosening(Steps& steps, std::vector<Interval>& intervals, const Limits& limits)
      : steps_(steps), intervals_(intervals), limits_(limits) {}

  Finding explain() {
    Finding finding = detail::explain(steps_, intervals_, limits_);
    limits_.max_steps -= std::min(limits_.max_steps, finding.steps);
    return finding;
  }

  void loosen_one(OpIndex op) {
    intervals_[op].kind = steps_.only_reads(op) ? Kind::left_out : Kind::optional;
  }

  // Loosening more only adds explanations. So one that could not be loosened here need not be tried
  // again when others have been: once through is enough.
  void loosen(std::span<const OpIndex> some) {
    if (some.empty()) return;
    if (limits_.max_steps == 0 || (limits_.stop && limits_.stop())) {
      kept_.insert(kept_.end(), some.begin(), some.end());
      minimal_ = false;
      return;
    }
    for (const OpIndex op : some) loosen_one(op);
    Finding finding = explain();
    if (finding.answer == Answer::impossible) {
      last_ = std::move(finding);
      return;
    }
    for (const OpIndex op : some) intervals_[op].kind = Kind::definite;
    if (some.size() == 1) {
      kept_.push_back(some[0]);
      minimal_ = minimal_ && finding.answer == Answer::explained;
      return;
    }
    const std::size_t half = some.size() / 2;
    loosen(some.subspan(0, half));
    loosen(some.subspan(half));
  }

  Core core(Finding first) && {
    if (!last_) last_ = std::move(first);
    return {std::move(kept_), minimal_, std::move(*last_)};
  }

 private:
  Steps& steps_;
  std::vector<Interval>& intervals_;
  Limits limits_;
  std::vector<OpIndex> kept_;
  bool minimal_ = true;
  std::optional<Finding> last_;
};

}  // namespace

Core core(Steps& steps, std::vector<Interval> intervals, const Limits& limits) {
  Loosening loosening(steps, intervals, limits);
  Finding first = loosening.explain();
  if (first.answer != Answer::impossible) return {{}, false, std::move(first)};
  // What was never looked at had no part in it: the same search fails without it. Yet it is only
  // loosened: once what held it back is loosened too, it may come to matter.
  std::vector<OpIndex> definite;
  std::int64_t last_end = std::numeric_limits<std::int64_t>::min();
  for (OpIndex op = 0; op < intervals.size(); ++op) {
    if (intervals[op].kind != Kind::definite) continue;
    if (intervals[op].call > first.reached) {
      loosening.loosen_one(op);
    } else {
      definite.push_back(op);
      last_end = std::max(last_end, intervals[op].end);
    }
  }
  for (Interval& one : intervals) {
    if (one.call > last_end) one.kind = Kind::left_out;
  }
  std::ranges::stable_sort(definite, {}, [&](OpIndex op) { return intervals[op].call; });
  loosening.loosen(definite);
  return std::move(loosening).core(std::move(first));
}

}  // namespace assay::search::detail
