// compact_payload: what a history keeps of a payload. Small ones as they are; large ones, and small
// ones that look like a digest, as a digest of size and hash. Equal payloads stay equal, different
// ones different.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// How a digest begins; then size, colon and hash.
inline constexpr std::string_view payload_digest_marker =
    "\x01"
    "assay-digest:";

std::string compact_payload(std::string payload);

}  // namespace assay
