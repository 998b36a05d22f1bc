// RecordsOnStore: what records and commits promise (harness/contract/records.h), on every store.
#pragma once

#include "tests/drivers/on_store.h"

namespace assay::on_store {

class RecordsOnStore : public OnStore {};

// Commits the next step of a chain: two records, a count, the next job and the ack of the one
// before belong together. False: the store did not take it, or nobody knows.
bool commit_step(Rig& rig, int step);

// The last step that took effect, after checking that nothing of it is missing and nothing of the
// next one is there.
int last_whole_step(Rig& rig);

// Asks both the same drawn commits, round after round on fresh namespaces.
void expect_same_commits(const Case& one, const Case& other, int rounds);

}  // namespace assay::on_store
