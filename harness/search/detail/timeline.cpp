#include "harness/search/detail/timeline.h"

#include <algorithm>
#include <tuple>

#include "harness/contract/check.h"

namespace assay::search::detail {
namespace {

// How many kinds of unknown operations a new one is compared with. Missing a likeness costs time,
// never truth.
constexpr std::size_t compared = 64;

void find_likes(const Steps& steps, std::vector<Possible>& possible) {
  std::vector<std::int32_t> last_of_kind;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(possible.size()); ++i) {
    Possible& one = possible[i];
    if (one.end != never) continue;
    const auto like = std::ranges::find_if(
        last_of_kind, [&](auto at) { return steps.alike(possible[at].op, one.op); });
    if (like != last_of_kind.end()) {
      one.before = *like;
      *like = i;
    } else {
      if (last_of_kind.size() == compared) last_of_kind.erase(last_of_kind.begin());
      last_of_kind.push_back(i);
    }
  }
}

void find_twins(const Steps& steps, Timeline& line) {
  std::vector<std::size_t> first_of_kind;
  for (std::size_t i = 0; i < line.definite.size(); ++i) {
    Definite& one = line.definite[i];
    if (one.only_reads) continue;
    const auto twin = std::ranges::find_if(
        first_of_kind, [&](auto at) { return steps.twins(line.definite[at].op, one.op); });
    if (twin != first_of_kind.end()) {
      one.kind = line.definite[*twin].kind = static_cast<std::int32_t>(*twin);
      line.has_twins = true;
    } else {
      if (first_of_kind.size() == compared) first_of_kind.erase(first_of_kind.begin());
      first_of_kind.push_back(i);
    }
  }
}

void keep_first_twins(const Timeline& line, std::vector<std::uint32_t>& out, std::size_t from) {
  const auto is_later = [&](std::uint32_t at) {
    const Definite& one = line.definite[at];
    return one.kind >= 0 && std::any_of(out.begin() + static_cast<std::ptrdiff_t>(from), out.end(),
                                        [&](std::uint32_t other) {
                                          const Definite& twin = line.definite[other];
                                          return twin.kind == one.kind &&
                                                 std::tie(twin.end, other) < std::tie(one.end, at);
                                        });
  };
  std::vector<std::uint32_t> kept(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(from));
  for (std::size_t i = from; i < out.size(); ++i)
    if (!is_later(out[i])) kept.push_back(out[i]);
  out = std::move(kept);
}

}  // namespace

Timeline::Timeline(const Steps& steps, std::span<const Interval> intervals) {
  for (OpIndex op = 0; op < intervals.size(); ++op) {
    const auto [call, end, kind] = intervals[op];
    CHECK(kind == Kind::unknown || call <= end);
    if (kind == Kind::left_out) continue;
    const bool only_reads = steps.only_reads(op);
    if (kind == Kind::definite) {
      definite.push_back({call, end, op, only_reads});
    } else if (!only_reads) {
      has_optional = has_optional || kind == Kind::optional;
      possible.push_back({call, kind == Kind::optional ? end : never, op, -1});
    }
  }
  const auto earlier = [](const auto& a, const auto& b) {
    return std::tie(a.call, a.end, a.op) < std::tie(b.call, b.end, b.op);
  };
  std::ranges::sort(definite, earlier);
  std::ranges::sort(possible, earlier);
  find_likes(steps, possible);
  // Whether an optional one may take effect is a matter of which of them went before.
  if (!has_optional && steps.knows_twins()) find_twins(steps, *this);
}

void Progress::place(std::uint32_t position) {
  if (position < top) {
    undone.erase(std::ranges::lower_bound(undone, position));
    return;
  }
  for (; top < position; ++top) undone.push_back(top);
  ++top;
}

std::int64_t candidates(const Timeline& line, const Progress& progress,
                        std::vector<std::uint32_t>& out) {
  std::int64_t first_end = never;
  const std::size_t before = out.size();
  for (const auto at : progress.undone) {
    first_end = std::min(first_end, line.definite[at].end);
    out.push_back(at);
  }
  for (auto at = progress.top; at < line.definite.size(); ++at) {
    if (line.definite[at].call > first_end) break;
    first_end = std::min(first_end, line.definite[at].end);
    out.push_back(at);
  }
  if (line.has_twins) keep_first_twins(line, out, before);
  return first_end;
}

std::int64_t latest_change(const Timeline& line, const Progress& progress) {
  for (auto at = progress.top; at > 0; --at) {
    const Definite& one = line.definite[at - 1];
    if (!one.only_reads && !std::ranges::binary_search(progress.undone, at - 1)) return one.call;
  }
  return std::numeric_limits<std::int64_t>::min();
}

}  // namespace assay::search::detail
