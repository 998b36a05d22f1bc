#include "drivers/ceilings.h"

#include "drivers/postgres/ceiling.h"
#include "drivers/redis/ceiling.h"

namespace assay {

MakeCeiling ceiling_of(std::string_view driver) {
  if (driver == "postgres") return postgres_ceiling;
  if (driver == "redis") return redis_ceiling;
  return {};
}

}  // namespace assay
