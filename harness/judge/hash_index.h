// HashIndex: numbers, found by the hash of what they stand for. Keeps eight bytes of each; whoever
// asks compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/judge/fetch_line.h"
#include "harness/judge/wide_pages.h"

namespace assay {

class HashIndex {
 public:
  // The number that has this hash and that `is` says yes to.
  template <class Is>
  std::optional<std::uint32_t> find(std::size_t hash, const Is& is) const {
    if (slots_.empty()) return std::nullopt;
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t at = tag & mask(); slots_[at].used; at = (at + 1) & mask())
      if (slots_[at].tag == tag && is(slots_[at].used - 1)) return slots_[at].used - 1;
    return std::nullopt;
  }

  // It will be asked for soon: a large index is seldom in the processor's caches.
  void fetch(std::size_t hash) const {
    if (!slots_.empty()) fetch_line(&slots_[tag_of(hash) & mask()]);
  }

  // Requires: it is not there yet; a number below 2^32 - 1.
  void add(std::size_t hash, std::uint32_t number) {
    if (count_ * 4 >= slots_.size() * 3) grow();
    ++count_;
    place({tag_of(hash), number + 1});
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t used = 0;  // the number and one; 0: nothing is here
  };

  static std::uint32_t tag_of(std::size_t hash) {
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
  }
  std::size_t mask() const { return slots_.size() - 1; }
  void place(Slot slot) {
    std::size_t at = slot.tag & mask();
    while (slots_[at].used) at = (at + 1) & mask();
    slots_[at] = slot;
  }
  void grow() {
    std::vector<Slot, WidePages<Slot>> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.used) place(slot);
  }

  std::vector<Slot, WidePages<Slot>> slots_;
  std::size_t count_ = 0;
};

}  // namespace assay
