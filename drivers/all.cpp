#include "drivers/all.h"

#include <array>

#include "drivers/memory/memory.h"
#include "drivers/postgres/postgres.h"
#include "drivers/redis/redis.h"
#include "drivers/sqlite/sqlite.h"

namespace assay {

std::span<const DriverInfo> all_drivers() {
  static const std::array drivers{
      memory(),
      sqlite(),
      postgres(),
      redis(),
  };
  return drivers;
}

}  // namespace assay
