// In the place of the driver where hiredis was not there to build with.
#include "drivers/redis/ceiling.h"
#include "drivers/redis/redis.h"

namespace assay {

DriverInfo redis() {
  DriverInfo info;
  info.name = "redis";
  info.summary = "missing: built without hiredis (install libhiredis-dev and build again)";
  info.make = [](const DriverOptions&) -> Result<std::unique_ptr<Driver>> {
    return unsupported(
        "this program was built without hiredis, so it has no redis driver: install "
        "libhiredis-dev and build it again");
  };
  return info;
}

DriverInfo redis_with(std::string name, std::string, RedisAlter) {
  DriverInfo info = redis();
  info.name = std::move(name);
  return info;
}

Result<std::unique_ptr<Ceiling>> redis_ceiling(const std::string&) {
  return unsupported("built without hiredis");
}

}  // namespace assay
