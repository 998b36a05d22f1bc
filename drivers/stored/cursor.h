// Cursor: the place in a listing behind which the next page begins, as opaque text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::stored {

struct Cursor {
  std::int64_t at_ms = 0;
  std::string id;
};

std::string show_cursor(std::string_view kind, const Cursor& cursor);

// Nothing, where the text is not what show_cursor gives for a listing of this kind.
std::optional<Cursor> parse_cursor(std::string_view kind, std::string_view text);

}  // namespace assay::stored
