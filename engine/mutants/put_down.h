// put_down: claims a job, or another one of its queue, and ends that for good.
#pragma once

#include "harness/run/intercepted_driver.h"

namespace assay::engine::mutants {

inline void put_down(const Job& job, bool by_id, Instant now, const Interception::Next& next) {
  Reserve reserve{{job.queue}, std::chrono::seconds(30), "mutant", 1, {}};
  if (by_id) reserve.job_id = job.id;
  const auto answer = next(now, reserve);
  const auto* claims = answer.ok() ? std::get_if<Claims>(&*answer) : nullptr;
  if (!claims || claims->claims.empty()) return;
  const Claim& claim = claims->claims.front();
  const Hold hold{claim.job.id, claim.token, claim.attempt};
  if (!next(now, Nack{hold, "put down", true}).ok())
    static_cast<void>(next(now, Fail{hold, claim.job.attempts + 1, "put down", "put down"}));
}

}  // namespace assay::engine::mutants
