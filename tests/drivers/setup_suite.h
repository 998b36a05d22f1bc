// SetupOnStore: how a namespace comes to be (Create in harness/contract/driver.h), on every store.
#pragma once

#include "tests/drivers/on_store.h"

namespace assay::on_store {

class SetupOnStore : public OnStore {};

}  // namespace assay::on_store
