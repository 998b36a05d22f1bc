// ack_takes_stale_token: an ack is taken with any token that was ever given out.
#include <set>

#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class AckTakesStaleToken final : public Decisions {
 public:
  using Decisions::Decisions;

  Token token_for(const Record& record, std::uint64_t number, Random& random) const override {
    return *given_.insert(Decisions::token_for(record, number, random)).first;
  }
  bool matches(const Record& record, const Hold& hold, SettleKind kind) const override {
    const bool stale = kind == SettleKind::ack && given_.contains(hold.token);
    return stale || Decisions::matches(record, hold, kind);
  }

 private:
  mutable std::set<Token> given_;  // under the store's lock, as every decision
};

}  // namespace

Mutant ack_takes_stale_token() {
  return within_memory<AckTakesStaleToken>({
      .name = "ack_takes_stale_token",
      .rules = {"FENCE-2", "FENCE-10", "LEASE-10"},
      .summary = "an ack is taken with any token that was ever given out",
  });
}

}  // namespace assay::mutants
