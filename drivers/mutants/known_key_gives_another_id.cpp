// known_key_gives_another_id: a known key is recognised and answered with an id that nobody has.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class KnownKeyGivesAnotherId final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override {
    auto made = inner().enqueue(now, request);
    if (made.ok() && made->existed && request.job.key) made->id += "-again";
    return made;
  }
};

}  // namespace

Mutant known_key_gives_another_id() {
  return around_memory<KnownKeyGivesAnotherId>({
      .name = "known_key_gives_another_id",
      .rules = {"IDEMP-1"},
      .summary = "a known key is recognised and answered with an id that nobody has",
  });
}

}  // namespace assay::mutants
