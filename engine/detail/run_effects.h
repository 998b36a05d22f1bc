// RunEffects: the outputs of one run, as its handler sees them; and what of them goes into the
// commit of its end.
#pragma once

#include "engine/detail/desk.h"
#include "engine/detail/flow_names.h"
#include "engine/detail/ledger.h"

namespace assay::engine::detail {

class RunEffects final : public Effects {
 public:
  // The desk is borrowed for life.
  explicit RunEffects(Desk& desk) : desk_(desk) {}

  Status put(const std::string& name, const std::string& value) override;
  Status append(const std::string& name, const std::string& unique,
                const std::string& value) override;
  Result<Kept> commit(const std::string& name, const std::string& value) override;
  Result<std::optional<Output>> find(const std::string& name) override;

  // --- once the handler has ended ---

  bool has_staged() const { return !staged_.empty(); }
  // Something was to be staged and could not be.
  const std::optional<Error>& refusal() const { return refusal_; }
  std::vector<std::string> staged_names() const;
  // Into the commit of its success.
  Status add_to(Records& records, Commit& commit);
  // What became of that commit. One that nobody heard of may have been made: a later one that finds
  // it made tells of it.
  void see(const Result<Committed>& answer);
  void tell(std::vector<Happening>& told) const;

 private:
  Status stage(const std::string& name, Staged staged);
  Result<Kept> commit_once(Session& session, const std::string& name, const std::string& value,
                           bool& in_doubt);
  // Copies of a dead member of a flow go on with its outputs.
  const JobId& job() const {
    const Job& job = desk_.run().claim.job;
    return member_of(job) ? *job.key : job.id;
  }

  Desk& desk_;
  // Guarded by the floor's monitor while the handler runs.
  std::map<std::string, Staged> staged_;
  std::optional<Error> refusal_;
  struct Plan {
    std::vector<std::string> written = {}, repeated = {};
    std::int64_t version = 0;
  };
  Plan plan_;                    // of the commit that is tried
  std::optional<Plan> unheard_;  // of the first without an answer
  std::optional<Plan> done_;
  std::optional<Error> refused_;
};

}  // namespace assay::engine::detail
