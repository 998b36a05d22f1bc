// claim_without_token: a delivery comes with an empty token.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ClaimWithoutToken final : public Decisions {
 public:
  using Decisions::Decisions;

  Token token_for(const Record&, std::uint64_t, Random&) const override { return {}; }
};

}  // namespace

Mutant claim_without_token() {
  return within_memory<ClaimWithoutToken>({
      .name = "claim_without_token",
      .rules = {"LEASE-1"},
      .summary = "a delivery comes with an empty token",
  });
}

}  // namespace assay::mutants
