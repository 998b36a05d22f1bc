// redis_counter_read_then_written: a claim reads the counter and writes it back in two round
// trips.
#include "drivers/mutants/in_redis.h"

namespace assay::mutants {

Mutant redis_counter_read_then_written() {
  return within_redis(
      {
          .name = "redis_counter_read_then_written",
          .rules = {"RETRY-1", "RETRY-7"},
          .race = "a_retry_meets_the_next_claim",
          .summary = "a claim reads the counter and writes it back in two round trips",
      },
      [](std::string_view call, std::string& text) {
        if (call == "reserve")
          text = choose_then_take(text, R"lua(
  local job = core(id)
  if job[STATE] == 'waiting' and tonumber(job[RUN_AT]) <= now then
    redis.call('HSET', key_of(id), 'attempts', attempts)
    job[ATTEMPTS] = attempts
    claim(id, job)
  end
)lua");
      });
}

}  // namespace assay::mutants
