// deflate: texts of plans made small. A preset dictionary of their usual words makes even short
// ones shrink; it is part of the token's format and never changes within one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::detail {

std::string deflated(std::string_view text);

// Nothing where the bytes are not whole, or would grow beyond any plan.
std::optional<std::string> inflated(std::string_view bytes);

std::uint32_t checksum(std::string_view bytes);

}  // namespace assay::detail
