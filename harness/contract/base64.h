// base64: bytes as text, with padding as in RFC 4648, or URL-safe without.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay {

std::string base64(std::string_view bytes);
std::string base64url(std::string_view bytes);

// Nothing where the text is not exactly what the encoders above write.
std::optional<std::string> from_base64(std::string_view text);
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace assay
