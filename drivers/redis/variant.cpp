#include "drivers/redis/detail/driver.h"

namespace assay {

DriverInfo redis_with(std::string name, std::string summary, RedisAlter alter) {
  DriverInfo info = redis();
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.make = [alter = std::move(alter)](const DriverOptions& options) {
    return rds::RedisDriver::make(options, alter);
  };
  return info;
}

}  // namespace assay
