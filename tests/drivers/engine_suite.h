// EngineOnStore: the reference engine is certified on a store with a server, in virtual time, as on
// those in this process.
#pragma once

#include "tests/drivers/on_store.h"

namespace assay::on_store {

class EngineOnStore : public OnStore {};

}  // namespace assay::on_store
