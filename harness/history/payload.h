// compact_payload: what a history keeps of a payload. Small ones as they are; large ones, and small
// ones that look like a digest, as a digest of size and hash. Equal payloads stay equal, different
// ones different.
#pragma once

#include <string>
#include <string_view>

namespace assay {

std::string compact_payload(std::string_view payload);

}  // namespace assay
