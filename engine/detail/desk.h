// Desk: where a handler speaks to the store: on the line of its slot, which is free meanwhile.
//
// Thread-safe: calls take turns. After the worker ended without the handler every call is refused,
// and the worker does not end while one is made.
#pragma once

#include "engine/detail/floor.h"

namespace assay::engine::detail {

class Desk {
 public:
  // Both are borrowed for life.
  Desk(Floor& floor, Run& run) : floor_(floor), run_(run) {}

  // Refused under a lost lease: nothing that its holder does counts any more.
  template <class Call>
  auto call(Call make) -> decltype(make(std::declval<Session&>())) {
    if (auto refusal = enter()) return *refusal;
    auto answer = floor_.slot(run_.slot).line.call(make);
    leave();
    return answer;
  }

  // The same again, for as long as there is trouble and the lease lasts. Requires: it may be
  // repeated.
  template <class Call>
  auto call_on(Call make) -> decltype(make(std::declval<Session&>())) {
    for (Duration pause = std::max(floor_.lease / 100, Duration{1});; pause *= 2) {
      auto answer = call(make);
      if (answer.ok() || !is_trouble(answer.error()) || !waits(pause)) return answer;
    }
  }

  void tell(Happening what);
  Floor& floor() { return floor_; }
  const Run& run() const { return run_; }

 private:
  std::optional<Error> enter();
  void leave();
  bool waits(Duration pause);

  Floor& floor_;
  Run& run_;
};

}  // namespace assay::engine::detail
