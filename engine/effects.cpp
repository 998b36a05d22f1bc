#include "engine/effects.h"

#include "engine/detail/flow_records.h"
#include "engine/detail/ledger.h"

namespace assay::engine {

using detail::Ledger;

// While it is read others may commit; then it is read anew.
static constexpr int most_tries = 20;

static Error changes_too_fast(const JobId& job) {
  return conflict("the outputs of " + job + " change faster than they can be read");
}

static std::optional<Output> as_pinned(const std::optional<Record>& record, const std::string& name,
                                       const detail::Entry& entry) {
  if (!record || record->version != entry.version) return std::nullopt;
  return Output{name, record->value, entry.version, entry.run};
}

Result<Outputs> outputs_of(Session& session, Clock& clock, const JobId& job) {
  const auto records = detail::records_of(session);
  if (!records.ok()) return records.error();
  for (int tries = 0; tries < most_tries; ++tries) {
    const auto ledger = detail::read_ledger(**records, clock.now(), job);
    if (!ledger.ok()) return ledger.error();
    Outputs found{ledger->version, {}};
    for (const auto& [name, entry] : ledger->entries) {
      const auto record = (*records)->read(clock.now(), detail::output_key(job, name));
      if (!record.ok()) return record.error();
      auto output = as_pinned(*record, name, entry);
      if (!output) break;
      found.outputs.push_back(std::move(*output));
    }
    if (found.outputs.size() == ledger->entries.size()) return found;
  }
  return changes_too_fast(job);
}

Result<std::optional<Output>> output_of(Session& session, Clock& clock, const JobId& job,
                                        const std::string& name,
                                        std::optional<std::int64_t> version) {
  const auto records = detail::records_of(session);
  if (!records.ok()) return records.error();
  for (int tries = 0; tries < most_tries; ++tries) {
    const auto ledger = detail::read_ledger(**records, clock.now(), job);
    if (!ledger.ok()) return ledger.error();
    const auto entry = ledger->entries.find(name);
    const std::int64_t is_at = entry == ledger->entries.end() ? 0 : entry->second.version;
    if (version && *version != is_at)
      return conflict("the output " + name + " of " + job + " is at version " +
                      std::to_string(is_at) + ", not " + std::to_string(*version));
    if (is_at == 0) return std::optional<Output>();
    const auto record = (*records)->read(clock.now(), detail::output_key(job, name));
    if (!record.ok()) return record.error();
    if (auto output = as_pinned(*record, name, entry->second)) return output;
  }
  return changes_too_fast(job);
}

Status forget_outputs(Session& session, Clock& clock, const JobId& job) {
  const auto records = detail::records_of(session);
  if (!records.ok()) return records.error();
  const auto ledger = detail::read_ledger(**records, clock.now(), job);
  if (!ledger.ok()) return ledger.error();
  if (ledger->version == 0) return Done{};
  Commit commit;
  commit.drops.push_back({detail::ledger_key(job), ledger->version});
  for (const auto& [name, entry] : ledger->entries)
    commit.drops.push_back({detail::output_key(job, name), {}});
  const auto done = (*records)->commit(clock.now(), commit);
  if (!done.ok()) return done.error();
  return Done{};
}

}  // namespace assay::engine
