// How a flow moves: what its records become when a member ends, when many steps begin, when what
// failed is left behind, when it goes on after a stop. Each is one commit, or commits of which each
// can be repeated: whoever is interrupted leaves nothing that another one cannot take up.
//
// Used by workers with the settle of their run, by stewards and by sweeps, any number at once.
#pragma once

#include "engine/detail/flow_records.h"
#include "engine/events.h"

namespace assay::engine::detail {

struct MemberEnd {
  MemberName member = {};
  JobId job_id = {};
  Outcome outcome = Outcome::succeeded;
  std::optional<std::string> result = {};
  std::string error = {};
};

// What else goes into the commit of an end, anew for each try.
using Addition = std::function<Status(Records&, Commit&)>;

// Speaks to one session at one time; the vector is told what happened.
class FlowMoves {
 public:
  // All are borrowed for life.
  FlowMoves(Records& records, Clock& clock, std::vector<Happening>& told)
      : records_(records), clock_(clock), told_(told) {}

  // The member ended, in one commit with the settle of its run; with none, nothing happens where an
  // end is recorded already. Errors are those of the settle, or trouble.
  Result<Committed> record(const MemberEnd& end, const CommitSettle& settle,
                           const Addition& addition = {});
  // The same of a run that is no member's.
  Result<Committed> commit(const CommitSettle& settle, const Addition& addition);
  // Somebody must catch up, since an end was recorded that did not count.
  bool must_catch_up() const { return must_catch_up_; }

  // Enqueues the first steps of a part, from where it was left.
  Status launch(const std::string& flow, const std::string& path);
  // Counts all that will not run any more since a join failed.
  Status skip(const std::string& flow, const std::string& join);
  // Goes on where the reason to stop is gone.
  Status catch_up(const std::string& flow);

  Result<std::optional<Versioned<Header>>> header(const std::string& flow);
  Result<std::optional<Versioned<Stop>>> stop(const std::string& flow);
  Result<std::optional<Versioned<Member>>> member(const std::string& flow, const std::string& path);
  Result<std::optional<Versioned<Join>>> join(const std::string& flow, const std::string& path);
  // What is left to count; absent: nobody has counted yet.
  Result<std::optional<std::int64_t>> left(const std::string& flow, const std::string& join);

 private:
  Instant now() const { return clock_.now(); }

  struct Standing;
  Result<Standing> standing(const MemberEnd& end);
  void add_success(Commit& commit, const MemberEnd& end, const Join& join,
                   const Standing& standing);
  void add_failure(Commit& commit, const MemberEnd& end, const Join& join,
                   const Standing& standing);
  Count count_of(const MemberName& member, const Join& join, bool failed);
  void tell(const MemberEnd& end, const Commit& commit, const Committed& done);
  Status release(const std::string& flow, const Record& held);
  Result<bool> resume(const std::string& flow);
  Status go_on_launching(const std::string& flow);
  Result<std::vector<NamedStep>> steps_from(const std::string& flow, const std::string& part,
                                            const std::vector<std::string>& paths,
                                            std::size_t first);

  Records& records_;
  Clock& clock_;
  std::vector<Happening>& told_;
  bool must_catch_up_ = false;
};

bool is_conflict(const Error& error);

}  // namespace assay::engine::detail
