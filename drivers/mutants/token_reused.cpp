// token_reused: every delivery of a job has the same token.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class TokenReused final : public Decisions {
 public:
  using Decisions::Decisions;

  Token token_for(const Record& record, std::uint64_t, Random&) const override {
    return "t-" + record.job.id;
  }
};

}  // namespace

Mutant token_reused() {
  return within_memory<TokenReused>({
      .name = "token_reused",
      .rules = {"FENCE-5"},
      .summary = "every delivery of a job has the same token",
  });
}

}  // namespace assay::mutants
