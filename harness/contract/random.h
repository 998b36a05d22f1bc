// Random: the only source of randomness. One 64-bit seed a run, then forks by label.
//
// A fork depends on the seed and the label alone, so that adding a client does not change the
// others. No standard distributions: their values differ between libraries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed), state_(seed) {}

  std::uint64_t seed() const { return seed_; }
  Random fork(std::string_view label) const;

  std::uint64_t next();

  // Uniform in [0, bound). Requires: bound > 0.
  std::uint64_t below(std::uint64_t bound);

  // `digits` lowercase hexadecimal digits.
  std::string hex(int digits);

 private:
  std::uint64_t seed_;
  std::uint64_t state_;
};

// FNV-1a: stable between builds and machines; for naming things, not against malice.
std::uint64_t stable_hash(std::string_view bytes, std::uint64_t seed = 0xcbf29ce484222325ULL);

// A seed nobody chose, for a run that was given none. The one place where entropy enters.
std::uint64_t fresh_seed();

}  // namespace assay
