// UsedSets: sets of operations of unknown outcome that were given an effect, by number.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace assay::search::detail {

using UsedId = std::uint32_t;

class UsedSets {
 public:
  // Number 0 is the empty set.
  explicit UsedSets(std::size_t members) : words_((members + 63) / 64), bits_(words_) {}

  bool has(UsedId set, std::uint32_t member) const {
    return (bits_[at(set) + member / 64] >> (member % 64) & 1) != 0;
  }

  UsedId with(UsedId set, std::uint32_t member) {
    const UsedId made = copy(set);
    bits_[at(made) + member / 64] |= std::uint64_t{1} << (member % 64);
    return made;
  }

  // The set without the members that `gone` is true of; the same number if there are none.
  template <class Gone>
  UsedId without(UsedId set, const Gone& gone) {
    UsedId made = set;
    for (std::size_t word = 0; word < words_; ++word) {
      for (auto left = bits_[at(set) + word]; left != 0; left &= left - 1) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(left));
        if (!gone(static_cast<std::uint32_t>(word * 64) + bit)) continue;
        if (made == set) made = copy(set);
        bits_[at(made) + word] &= ~(std::uint64_t{1} << bit);
      }
    }
    return made;
  }

  bool is_subset(UsedId small, UsedId large) const {
    if (small == large) return true;
    for (std::size_t word = 0; word < words_; ++word) {
      if ((bits_[at(small) + word] & ~bits_[at(large) + word]) != 0) return false;
    }
    return true;
  }

  std::uint32_t size(UsedId set) const {
    std::uint32_t count = 0;
    for (std::size_t word = 0; word < words_; ++word) {
      count += static_cast<std::uint32_t>(std::popcount(bits_[at(set) + word]));
    }
    return count;
  }

  // How many sets there are; and back to so many.
  std::size_t count() const { return words_ == 0 ? 1 : bits_.size() / words_; }
  void rewind(std::size_t count) { bits_.resize(count * words_); }

 private:
  std::size_t at(UsedId set) const { return set * words_; }

  UsedId copy(UsedId set) {
    const auto made = static_cast<UsedId>(bits_.size() / words_);
    bits_.resize(bits_.size() + words_);
    for (std::size_t word = 0; word < words_; ++word)
      bits_[at(made) + word] = bits_[at(set) + word];
    return made;
  }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace assay::search::detail
