// Text for people: numbers, lists and paragraphs that fit a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::text {

std::string grouped(std::uint64_t number);                       // 12,345
std::string duration_text(double seconds);                       // "0.4 s", "12 s", "2 min 5 s"
std::string plural(std::uint64_t count, std::string_view noun);  // "1 rule", "2 rules"

// The text with control characters written as \xNN, so that what a driver answers cannot move
// anybody's cursor. Line ends are kept.
std::string printable(std::string_view text);

// At most `width` columns; what is cut ends in "...".
std::string cut(std::string_view text, std::size_t width);

// Lines of at most `width` columns (a longer word stays whole), all but the first of a paragraph
// indented by `hanging`.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent,
                    std::size_t hanging);

std::string joined(const std::vector<std::string>& parts, std::string_view between);

}  // namespace assay::text
