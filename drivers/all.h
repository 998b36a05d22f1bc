// all_drivers: the catalogue. Adding a driver is its folder and one line here.
#pragma once

#include <span>

#include "harness/contract/driver.h"

namespace assay {

std::span<const DriverInfo> all_drivers();

}  // namespace assay
