// Cut: a client that is cut off in the middle of a call: it never learns how the call ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

enum class CutPoint {
  before_delivery,  // the store never gets the request
  after_delivery,   // the store gets it; the client is gone at once
  after_effect,     // the store has done it and answered; the client never sees the answer
};

std::string_view name_of(CutPoint where);  // "before_delivery", ...
std::optional<CutPoint> cut_point_from(std::string_view name);

struct Cut {
  int at = 1;  // the how many-th request to the store, or gate, of the call
  CutPoint where = CutPoint::before_delivery;
  bool operator==(const Cut&) const = default;
};

}  // namespace assay
