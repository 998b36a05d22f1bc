// redis_key_looked_up_then_taken: a key is looked up and taken in two round trips.
#include "drivers/mutants/in_redis.h"

namespace assay::mutants {

Mutant redis_key_looked_up_then_taken() {
  return within_redis(
      {
          .name = "redis_key_looked_up_then_taken",
          .rules = {"IDEMP-10"},
          .race = "one_key_makes_one_job",
          .summary = "a key is looked up and taken in two round trips",
      },
      [](std::string_view call, std::string& text) {
        if (call != "enqueue") return;
        std::string taking = text;
        alter(taking, "local holder = call('HGET', root .. ':keys', key)", "local holder = false");
        text = apart(before(text, "-- It counts from 1") + "return {2, ''}\n", taking);
      });
}

}  // namespace assay::mutants
