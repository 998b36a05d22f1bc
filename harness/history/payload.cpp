#include "harness/history/payload.h"

#include <fmt/format.h>

#include "harness/contract/random.h"

namespace assay {

static constexpr std::size_t kept_whole = 4096;

std::string compact_payload(std::string payload) {
  if (payload.size() <= kept_whole && !payload.starts_with(payload_digest_marker)) return payload;
  return fmt::format("{}{}:{:016x}", payload_digest_marker, payload.size(), stable_hash(payload));
}

}  // namespace assay
