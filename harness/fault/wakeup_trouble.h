// WakeUpTrouble: what can be made to go wrong with wake-ups on their way to a worker.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "harness/contract/time.h"

namespace assay {

enum class Spoiling {
  dropped,
  doubled,
  delayed,      // at most so long, drawn
  reordered,    // behind the next one, if there is one within that time
  shown_again,  // after a receiver has hidden it, within that time
};
inline constexpr std::array<std::string_view, 5> spoilings{"dropped", "doubled", "delayed",
                                                           "reordered", "shown_again"};
constexpr std::string_view name_of(Spoiling how) {
  return spoilings[static_cast<std::size_t>(how)];
}

class WakeUpTrouble {
 public:
  virtual ~WakeUpTrouble() = default;

  // From now on so many of a hundred are spoiled, drawn from the run's seed. Gives a number that
  // the other two ask for.
  virtual int spoil(Spoiling how, int percent, Duration within) = 0;
  // None is any more; what is still held back goes on its way. Twice is harmless.
  virtual void spare(int number) = 0;
  // How many were, so far.
  virtual std::uint64_t struck(int number) const = 0;
};

}  // namespace assay
