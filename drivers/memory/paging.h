// Paging: the cursor of a listing. Opaque to callers: versioned text that names the last entry
// shown and the listing it belongs to, and is recognised only as it was made.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/contract/job.h"

namespace assay::memory_queue {

struct Position {
  Instant at = {};
  JobId id = {};
  bool operator==(const Position&) const = default;
};

// `listing` says what is listed, as "jobs" or "dead", and `queue` where.
std::string cursor_after(std::string_view listing, std::string_view queue, const Position& last);

// Absent where that listing made no such cursor.
std::optional<Position> position_of(std::string_view listing, std::string_view queue,
                                    std::string_view cursor);

}  // namespace assay::memory_queue
