// redis_claims_at_once_share_a_job: a claim looks for a job and takes it in two round trips.
#include "drivers/mutants/in_redis.h"

namespace assay::mutants {

Mutant redis_claims_at_once_share_a_job() {
  return within_redis(
      {
          .name = "redis_claims_at_once_share_a_job",
          .rules = {"CLAIM-1"},
          .race = "one_job_has_one_claimer",
          .summary = "a claim looks for a job and takes it in two round trips",
      },
      [](std::string_view call, std::string& text) {
        if (call == "reserve") text = choose_then_take(text, "  claim(id, core(id))\n");
      });
}

}  // namespace assay::mutants
