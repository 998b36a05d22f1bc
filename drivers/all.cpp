#include "drivers/all.h"

#include <array>

#include "drivers/memory/memory.h"

namespace assay {

std::span<const DriverInfo> all_drivers() {
  static const std::array drivers{
      memory(),
  };
  return drivers;
}

}  // namespace assay
