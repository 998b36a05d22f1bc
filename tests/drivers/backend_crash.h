// What commits and wake-ups promise where their server is killed and comes back.
#pragma once

#include "harness/contract/driver.h"

namespace assay::on_store {

void expect_whole_after_crashes(const DriverInfo& info);
void expect_woken_after_a_restart(const DriverInfo& info);

}  // namespace assay::on_store
