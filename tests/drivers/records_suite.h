// RecordsOnStore: what records and commits promise (harness/contract/records.h), on every store.
#pragma once

#include "tests/drivers/on_store.h"

namespace assay::on_store {

class RecordsOnStore : public OnStore {};

// Asks both the same drawn commits, round after round on fresh namespaces.
void expect_same_commits(const Case& one, const Case& other, int rounds);

}  // namespace assay::on_store
