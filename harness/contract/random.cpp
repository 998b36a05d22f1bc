#include "harness/contract/random.h"

#include <random>

namespace assay {

static std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

Random Random::fork(std::string_view label) const {
  return Random(mix(stable_hash(label, mix(seed_ + 1))));
}

std::uint64_t Random::next() { return mix(state_ += 0x9e3779b97f4a7c15ULL); }

std::uint64_t Random::below(std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
}

std::string Random::hex(int digits) {
  std::string out;
  for (int i = 0; i < digits; ++i) out += "0123456789abcdef"[next() >> 60];
  return out;
}

std::uint64_t stable_hash(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t hash = seed;
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3ULL;
  return hash;
}

std::uint64_t fresh_seed() {
  std::random_device entropy;
  return (static_cast<std::uint64_t>(entropy()) << 32) | entropy();
}

}  // namespace assay
