// WakeUpsOnStore: what wake-ups promise (harness/contract/wakeups.h), on every store.
#pragma once

#include "tests/drivers/on_store.h"

namespace assay::on_store {

class WakeUpsOnStore : public OnStore {};

// Reads until nothing comes for a while; how many came.
inline int drain(WakeUps& wakeups) {
  int read = 0;
  for (auto next = wakeups.wait(Duration{100}, {}); next.ok() && *next;
       next = wakeups.wait(Duration{100}, {}))
    ++read;
  return read;
}

// Long enough for a busy machine; whoever is not woken waits for all of it.
inline constexpr Duration patience{20'000};

}  // namespace assay::on_store
