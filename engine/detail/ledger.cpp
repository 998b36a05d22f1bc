#include "engine/detail/ledger.h"

#include <fmt/format.h>

#include "engine/detail/packed.h"

namespace assay::engine::detail {

// The length keeps job and name apart, whatever characters they hold.
static std::string key_with(const char* kind, const JobId& job) {
  return fmt::format("{}/{}:{}", kind, job.size(), job);
}
std::string ledger_key(const JobId& job) { return key_with("outputs", job); }
std::string output_key(const JobId& job, const std::string& name) {
  return key_with("output", job) + "/" + name;
}

Result<Ledger> read_ledger(Records& records, Instant now, const JobId& job) {
  const auto found = records.read(now, ledger_key(job));
  if (!found.ok()) return found.error();
  Ledger ledger;
  if (!*found) return ledger;
  ledger.version = (*found)->version;
  Unpacker in((*found)->value);
  while (in.has_more()) {
    const std::string name = in.text();
    Entry& entry = ledger.entries[name];
    entry.version = in.number();
    entry.run = in.number();
  }
  if (in.is_bad())
    return Error{ErrorCode::internal, "the record of the outputs of " + job + " is damaged",
                 LeaseReason::unstated, true};
  return ledger;
}

static std::string packed(const Ledger& ledger) {
  Packer packer;
  for (const auto& [name, entry] : ledger.entries)
    packer.add(name).add(entry.version).add(entry.run);
  return packer.take();
}

std::vector<std::string> add_outputs(Commit& commit, const JobId& job, const Ledger& ledger,
                                     const std::map<std::string, Staged>& staged,
                                     std::int64_t run) {
  std::vector<std::string> names;
  Ledger next = ledger;
  for (const auto& [name, one] : staged) {
    Entry& entry = next.entries[name];
    if (entry.version > 0 && one.only_once) continue;
    commit.puts.push_back({output_key(job, name), one.value, entry.version});
    entry = {entry.version + 1, run};
    names.push_back(name);
  }
  if (!names.empty()) commit.puts.push_back({ledger_key(job), packed(next), ledger.version});
  return names;
}

std::optional<Error> objection_to_output(const std::string& name, const std::string& value) {
  if (name.empty()) return invalid("the output's name is empty");
  if (name.size() > most_output_name_bytes)
    return invalid(fmt::format("the output's name has {} bytes, {} are allowed", name.size(),
                               most_output_name_bytes));
  if (name.find('\0') != name.npos) return invalid("the output's name has a zero byte");
  if (value.size() > most_output_bytes)
    return invalid(fmt::format("the output {} has {} bytes, {} are allowed", name, value.size(),
                               most_output_bytes));
  return std::nullopt;
}

}  // namespace assay::engine::detail
