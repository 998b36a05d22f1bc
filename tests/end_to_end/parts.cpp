#include "tests/end_to_end/parts.h"

#include "drivers/memory/memory.h"
#include "properties/all.h"
#include "scenarios/all.h"

namespace assay::end_to_end {
namespace {

class TakesAnyToken final : public memory_queue::Decisions {
 public:
  using Decisions::Decisions;

  bool matches(const memory_queue::Record& record, const Hold& hold,
               memory_queue::SettleKind kind) const override {
    return kind == memory_queue::SettleKind::ack || Decisions::matches(record, hold, kind);
  }
};

}  // namespace

Parts parts() {
  static const DriverInfo canary =
      memory_that_decides<TakesAnyToken>("takes_any_token", "an ack is taken with any token");
  return {all_properties(), all_scenarios(), &canary, "FENCE-2"};
}

}  // namespace assay::end_to_end
