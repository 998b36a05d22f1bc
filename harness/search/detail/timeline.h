// Timeline: a history's operations by the order of their calls, and what may take effect next.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "harness/search/search.h"

namespace assay::search::detail {

inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

struct Definite {
  std::int64_t call;
  std::int64_t end;
  OpIndex op;
  bool only_reads;
  std::int32_t kind = -1;  // the same for twins, or -1
};

struct Possible {
  std::int64_t call;
  std::int64_t end;  // may not take effect after a change that was called later than this
  OpIndex op;
  std::int32_t before;  // one like it, called earlier and to be used first, or -1
};

struct Timeline {
  Timeline(const Steps& steps, std::span<const Interval> intervals);

  std::vector<Definite> definite;  // by call
  std::vector<Possible> possible;  // by call; those that only read are left out
  bool has_optional = false;
  bool has_twins = false;
};

// Which definite operations have taken effect: all before `top`, except `undone`. Those were under
// way together when the one before `top` was called, so that there are fewer of them than clients,
// however long the history and however slow one of them.
struct Progress {
  std::uint32_t top = 0;
  std::vector<std::uint32_t> undone;  // ascending

  bool complete(const Timeline& line) const {
    return undone.empty() && top == line.definite.size();
  }
  std::uint32_t done() const { return top - static_cast<std::uint32_t>(undone.size()); }

  void place(std::uint32_t position);
};

// Appends the operations that may take effect next to `out`; of twins, that which must do so first:
// in any order they can change places with it. Returns the end of the first to end:
// what was called after that must wait. Equal instants overlap.
std::int64_t candidates(const Timeline& line, const Progress& progress,
                        std::vector<std::uint32_t>& out);

// The latest call among the operations that took effect and may have changed something. Those that
// only read do not count: they take effect as soon as they can, and must not shut anybody out.
std::int64_t latest_change(const Timeline& line, const Progress& progress);

}  // namespace assay::search::detail
