// What the racy mutants share: a moment in which somebody else may come in between.
#pragma once

#include <thread>

#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

// Where a careless driver has looked and not yet written.
inline void let_others_in() {
  constexpr int turns = 64;
  for (int i = 0; i < turns; ++i) std::this_thread::yield();
}

// Claims that are under way at one time, by what they ask for: who comes second gets what the first
// one got, if `shares` says so of it.
class Coalesced : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<Claims> reserve(Instant now, const Reserve& request) override {
    if (request.queues.empty() || request.max < 1) return inner().reserve(now, request);
    const std::string wanted = request.queues.front() + "/" + request.job_id.value_or("");
    {
      const std::lock_guard lock(notes().mutex);
      ++notes().under_way[wanted];
    }
    let_others_in();
    const std::lock_guard lock(notes().mutex);
    auto got = inner().reserve(now, request);
    auto& last = notes().last[wanted];
    if (got.ok() && got->claims.empty() && !last.claims.empty())
      got = last;
    else if (got.ok() && !got->claims.empty() && shares(got->claims.front()))
      last = *got;
    if (--notes().under_way[wanted] == 0) last.claims.clear();
    if (got.ok())
      for (const Claim& claim : got->claims) notes().names.insert(claim.job.id);
    return got;
  }

 protected:
  virtual bool shares(const Claim& claim) = 0;
};

}  // namespace assay::mutants
