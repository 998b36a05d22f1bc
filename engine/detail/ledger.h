// Ledger: what outputs a job has, in one record beside those of the outputs themselves. It pins
// the version of each, so that they are read as they were at one moment, and tells what is there
// already.
#pragma once

#include <map>

#include "engine/effects.h"
#include "harness/contract/records.h"

namespace assay::engine::detail {

struct Entry {
  std::int64_t version = 0;
  std::int64_t run = 0;
  bool operator==(const Entry&) const = default;
};

struct Ledger {
  std::int64_t version = 0;  // of the record; 0: there is none
  std::map<std::string, Entry> entries = {};
};

std::string ledger_key(const JobId& job);
std::string output_key(const JobId& job, const std::string& name);

Result<Ledger> read_ledger(Records& records, Instant now, const JobId& job);

struct Staged {
  std::string value = {};
  bool only_once = false;  // what is there stays
};

// The puts that write them all, and the ledger; refused as a conflict where somebody else was
// faster. Gives the names that are written, none where all are there already.
std::vector<std::string> add_outputs(Commit& commit, const JobId& job, const Ledger& ledger,
                                     const std::map<std::string, Staged>& staged, std::int64_t run);

std::optional<Error> objection_to_output(const std::string& name, const std::string& value);

}  // namespace assay::engine::detail
