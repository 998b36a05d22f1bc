// serves_last_first: of two waiting jobs the one enqueued last is served first.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ServesLastFirst final : public Decisions {
 public:
  using Decisions::Decisions;

  OrderKey order_of(const Record& record) const override {
    OrderKey key = Decisions::order_of(record);
    key.sequence = -key.sequence;
    return key;
  }
};

}  // namespace

Mutant serves_last_first() {
  return within_memory<ServesLastFirst>({
      .name = "serves_last_first",
      .rules = {"ORDER-2"},
      .summary = "of two waiting jobs the one enqueued last is served first",
  });
}

}  // namespace assay::mutants
