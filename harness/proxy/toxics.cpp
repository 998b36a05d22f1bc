#include "harness/proxy/toxics.h"

#include <algorithm>
#include <cctype>

#include "harness/proxy/detail/toxics/all.h"

namespace assay::proxy {

std::optional<Direction> direction_from(std::string_view stream) {
  std::string lower(stream);
  for (char& letter : lower)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (lower == "upstream") return Direction::upstream;
  if (lower == "downstream") return Direction::downstream;
  return std::nullopt;
}

const std::vector<ToxicType>& toxic_types() {
  static const std::vector<ToxicType> types = [] {
    std::vector<ToxicType> all;
    for (const ToxicMaker& maker : toxic_makers()) all.push_back(maker.type);
    return all;
  }();
  return types;
}

const ToxicType* toxic_type(std::string_view name) {
  for (const ToxicType& type : toxic_types())
    if (type.name == name) return &type;
  return nullptr;
}

}  // namespace assay::proxy
