#include "harness/plan/cut.h"

#include <array>

namespace assay {

static constexpr std::array<std::string_view, 3> names{"before_delivery", "after_delivery",
                                                       "after_effect"};

std::string_view name_of(CutPoint where) { return names[static_cast<std::size_t>(where)]; }

std::optional<CutPoint> cut_point_from(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<CutPoint>(i);
  return std::nullopt;
}

}  // namespace assay
