// extended_reclaimed_at_old_expiry: an extended lease is taken over at the expiry it had before.
#include <map>

#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExtendedReclaimedAtOldExpiry final : public Decisions {
 public:
  using Decisions::Decisions;

  // A store that is set up anew gives out the same tokens again.
  Token token_for(const Record& record, std::uint64_t number, Random& random) const override {
    Token token = Decisions::token_for(record, number, random);
    first_expiry_.erase(token);
    return token;
  }
  Instant extended_expiry(const Record& record, Instant now, Duration lease) const override {
    first_expiry_.try_emplace(record.lease->token, record.lease->expires_at);
    return Decisions::extended_expiry(record, now, lease);
  }
  bool may_reclaim(const Record& record, Instant now) const override {
    const auto first = first_expiry_.find(record.lease->token);
    const bool was_over = first != first_expiry_.end() && first->second <= now;
    return was_over || Decisions::may_reclaim(record, now);
  }

 private:
  mutable std::map<Token, Instant> first_expiry_;  // under the store's lock, as every decision
};

}  // namespace

Mutant extended_reclaimed_at_old_expiry() {
  return within_memory<ExtendedReclaimedAtOldExpiry>({
      .name = "extended_reclaimed_at_old_expiry",
      .rules = {"HB-4"},
      .summary = "an extended lease is taken over at the expiry it had before",
  });
}

}  // namespace assay::mutants
