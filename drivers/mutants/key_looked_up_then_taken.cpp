// key_looked_up_then_taken: a key is looked up and taken in two steps.
#include "drivers/mutants/racing.h"

namespace assay::mutants {

namespace {

class KeyLookedUpThenTaken final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override {
    if (!request.job.key) return inner().enqueue(now, request);
    const std::string key = request.job.queue + "/" + *request.job.key;
    {
      const std::lock_guard lock(notes().mutex);
      ++notes().under_way[key];
    }
    let_others_in();
    const std::lock_guard lock(notes().mutex);
    auto made = inner().enqueue(now, request);
    // Who had looked it up before the first one took it makes a job of its own.
    const bool raced = notes().names.contains(key);
    if (made.ok() && !made->existed) notes().names.insert(key);
    if (raced && (!made.ok() || made->existed)) {
      Enqueue another = request;
      another.job.key.reset();
      another.job.id.reset();
      made = inner().enqueue(now, another);
    }
    if (--notes().under_way[key] == 0) notes().names.erase(key);
    return made;
  }
};

}  // namespace

Mutant key_looked_up_then_taken() {
  return around_memory<KeyLookedUpThenTaken>({
      .name = "key_looked_up_then_taken",
      .rules = {"IDEMP-10"},
      .racy = true,
      .summary = "a key is looked up and taken in two steps",
  });
}

}  // namespace assay::mutants
