// job_dies_with_its_worker: what a worker holds that goes away without a word is never handed out
// again.
#include <algorithm>

#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class DiesWithItsWorker final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  ~DiesWithItsWorker() override {
    if (is_closed_) return;
    const std::lock_guard lock(notes().mutex);
    notes().names.insert(held_.begin(), held_.end());
  }

  Result<Claims> reserve(Instant now, const Reserve& request) override {
    auto got = inner().reserve(now, request);
    if (!got.ok()) return got;
    const std::lock_guard lock(notes().mutex);
    std::erase_if(got.value().claims,
                  [&](const Claim& claim) { return notes().names.contains(claim.job.id); });
    for (const Claim& claim : got.value().claims) held_.insert(claim.job.id);
    return got;
  }

  Status ack(Instant now, const Ack& request) override {
    held_.erase(request.hold.job_id);
    return inner().ack(now, request);
  }

  Status close() override {
    is_closed_ = true;
    return inner().close();
  }

 private:
  std::set<std::string> held_;
  bool is_closed_ = false;
};

}  // namespace

Mutant job_dies_with_its_worker() {
  return around_memory<DiesWithItsWorker>({
      .name = "job_dies_with_its_worker",
      .rules = {"DUR-7"},
      .summary = "what a dead worker held is never handed out again",
  });
}

}  // namespace assay::mutants
