#include <bit>
#include <cstring>

#include "harness/contract/random.h"
#include "harness/plan/plan.h"

namespace assay {

// NUL and 0xff first, so that even two bytes are neither a C string nor UTF-8; then the seed's
// stream, in little-endian words on every machine.
static std::string pattern(std::uint64_t size, std::uint64_t seed) {
  std::string bytes(size, '\0');
  if (size > 1) bytes[1] = '\xff';
  Random random(seed);
  for (std::uint64_t at = 2; at < size; at += 8) {
    std::uint64_t word = random.next();
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    std::memcpy(bytes.data() + at, &word, std::min<std::uint64_t>(8, size - at));
  }
  return bytes;
}

std::string bytes_of(const PayloadSpec& spec) {
  return spec.kind == PayloadSpec::Kind::text ? spec.text : pattern(spec.size, spec.seed);
}

}  // namespace assay
