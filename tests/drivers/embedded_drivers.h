// The drivers that ship and need no server.
#pragma once

#include <vector>

#include "drivers/all.h"

namespace assay {

inline std::vector<DriverInfo> embedded_drivers() {
  std::vector<DriverInfo> drivers;
  for (const DriverInfo& info : all_drivers())
    if (info.name == "memory" || info.name == "sqlite") drivers.push_back(info);
  return drivers;
}

}  // namespace assay
