// Draw: cheap choices out of RapidCheck's stream: sixteen bits each.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <initializer_list>

namespace assay::detail {

class Draw {
 public:
  explicit Draw(const rc::Random& random) : random_(random) {}

  // In [0, bound). Requires: 0 < bound <= 65536.
  int below(int bound) {
    if (left_ == 0) {
      bits_ = random_.next();
      left_ = 4;
    }
    const auto sixteen = static_cast<std::uint32_t>(bits_ & 0xffffU);
    bits_ >>= 16;
    --left_;
    return static_cast<int>(sixteen * static_cast<std::uint64_t>(bound) >> 16);
  }

  bool percent(int chance) { return below(100) < chance; }

  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<int>(values.size()))];
  }

  // The index of one of those for which `fits`, each equally likely; -1 where there is none.
  template <class Values, class Fits>
  int index_of(const Values& values, Fits fits) {
    int found = 0;
    for (const auto& value : values) found += fits(value) ? 1 : 0;
    if (found == 0) return -1;
    int skip = below(found);
    for (int i = 0;; ++i)
      if (fits(values[static_cast<std::size_t>(i)]) && skip-- == 0) return i;
  }

 private:
  rc::Random random_;
  std::uint64_t bits_ = 0;
  int left_ = 0;
};

}  // namespace assay::detail
