// EngineSurroundings: what faults of the catalogue find in the run of an engine: its wake-ups, and
// nothing else.
#pragma once

#include "harness/fault/fault.h"

namespace assay::detail {

class EngineSurroundings final : public Surroundings {
 public:
  // The wake-ups are borrowed for life.
  explicit EngineSurroundings(WakeUpTrouble& wakeups) : wakeups_(wakeups) {}

  Result<WakeUpTrouble*> wakeups() override { return &wakeups_; }

  Result<ClientProcess*> process_of(int) override { return nobody(); }
  void doom(int) override {}
  void lose(int) override {}
  void let_return(bool) override {}
  void stall(int, bool) override {}
  Status skew(int, Duration, double) override { return nobody(); }
  std::uint64_t skewed_calls(int) override { return 0; }
  int clients() const override { return 0; }
  Result<Line> line_of(int) override { return nobody(); }
  Result<Backend*> store() override { return nobody(); }
  Result<Disk*> disk() override { return nobody(); }
  Status store_is_back() override { return nobody(); }

 private:
  static Error nobody() { return unsupported("an engine works here, in virtual time"); }

  WakeUpTrouble& wakeups_;
};

}  // namespace assay::detail
