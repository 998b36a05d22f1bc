#include "engine/detail/run_effects.h"

#include <algorithm>

#include "engine/detail/flow_records.h"

namespace assay::engine::detail {

Status RunEffects::stage(const std::string& name, Staged staged) {
  auto objection = objection_to_output(name, staged.value);
  if (!objection) {
    const auto kept = desk_.call_on([](Session& session) { return records_of(session); });
    if (!kept.ok()) objection = kept.error();
  }
  const Held held(*desk_.floor().monitor);
  if (!objection && !staged_.contains(name) && staged_.size() == most_outputs)
    objection = invalid("the job has more than " + std::to_string(most_outputs) + " outputs");
  if (objection) {
    refusal_ = objection;
    return *objection;
  }
  staged_[name] = std::move(staged);
  return Done{};
}

Status RunEffects::put(const std::string& name, const std::string& value) {
  return stage(name, {value, false});
}

Status RunEffects::append(const std::string& name, const std::string& unique,
                          const std::string& value) {
  return stage(name + "/" + unique, {value, true});
}

// The ledger says whether it is there. Where two are at it at the same time its version tells the
// second, who then finds what the first one wrote: so does whoever lost an answer.
Result<Effects::Kept> RunEffects::commit_once(Session& session, const std::string& name,
                                              const std::string& value, bool& in_doubt) {
  const auto records = records_of(session);
  if (!records.ok()) return records.error();
  Clock& clock = desk_.floor().clock;
  for (int tries = 0; tries < 20; ++tries) {
    const auto ledger = read_ledger(**records, clock.now(), job());
    if (!ledger.ok()) return ledger.error();
    const auto entry = ledger->entries.find(name);
    if (entry != ledger->entries.end()) {
      const auto record = (*records)->read(clock.now(), output_key(job(), name));
      if (!record.ok()) return record.error();
      if (!*record || (*record)->version != entry->second.version) continue;
      const bool is_ours = in_doubt && (*record)->value == value;
      if (is_ours) desk_.tell(EffectCommitted{{name}, ledger->version, false});
      return Kept{{name, (*record)->value, entry->second.version, entry->second.run}, !is_ours};
    }
    if (ledger->entries.size() >= most_outputs)
      return invalid("the job has more than " + std::to_string(most_outputs) + " outputs");
    Commit commit;
    commit.settle = hold_of(desk_.run().claim);
    const std::int64_t run = desk_.run().number;
    static_cast<void>(add_outputs(commit, job(), *ledger, {{name, {value, true}}}, run));
    const auto done = (*records)->commit(clock.now(), commit);
    if (done.ok()) {
      desk_.tell(EffectCommitted{{name}, ledger->version + 1, false});
      return Kept{{name, value, 1, run}, false};
    }
    in_doubt = in_doubt || !is_definite(done.error());
    if (done.error().code != ErrorCode::conflict) return done.error();
  }
  return conflict("the outputs of " + job() + " change too fast");
}

Result<Effects::Kept> RunEffects::commit(const std::string& name, const std::string& value) {
  if (auto objection = objection_to_output(name, value)) return *objection;
  bool in_doubt = false;
  auto kept =
      desk_.call_on([&](Session& session) { return commit_once(session, name, value, in_doubt); });
  if (!kept.ok())
    desk_.tell(EffectRefused{{name}, kept.error()});
  else if (kept->repeated)
    desk_.tell(EffectRepeated{name});
  return kept;
}

Result<std::optional<Output>> RunEffects::find(const std::string& name) {
  Clock& clock = desk_.floor().clock;
  return desk_.call_on([&](Session& session) { return output_of(session, clock, job(), name); });
}

std::vector<std::string> RunEffects::staged_names() const {
  std::vector<std::string> names;
  for (const auto& [name, staged] : staged_) names.push_back(name);
  return names;
}

Status RunEffects::add_to(Records& records, Commit& commit) {
  if (staged_.empty()) return Done{};
  const auto ledger = read_ledger(records, desk_.floor().now(), job());
  if (!ledger.ok()) return ledger.error();
  plan_ = {add_outputs(commit, job(), *ledger, staged_, desk_.run().number), {}, 0};
  for (const auto& [name, staged] : staged_)
    if (std::ranges::find(plan_.written, name) == plan_.written.end())
      plan_.repeated.push_back(name);
  plan_.version = ledger->version + (plan_.written.empty() ? 0 : 1);
  return Done{};
}

void RunEffects::see(const Result<Committed>& answer) {
  if (answer.ok())
    done_ = !answer->applied && unheard_ ? *unheard_ : plan_;
  else if (!is_definite(answer.error()) && !unheard_)
    unheard_ = plan_;
  else if (is_definite(answer.error()))
    refused_ = answer.error();
}

void RunEffects::tell(std::vector<Happening>& told) const {
  if (!has_staged()) return;
  if (done_) {
    if (!done_->written.empty())
      told.push_back(EffectCommitted{done_->written, done_->version, true});
    for (const std::string& name : done_->repeated) told.push_back(EffectRepeated{name});
  } else if (refused_ && !unheard_) {
    told.push_back(EffectRefused{staged_names(), *refused_});
  }
}

}  // namespace assay::engine::detail
