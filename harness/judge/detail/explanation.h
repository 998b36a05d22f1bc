// Explanation: of the calls on one job that overlapped, or whose answers were lost, an order that
// explains them; a conviction where there is none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/judge/detail/examiner.h"
#include "harness/judge/detail/timeline.h"

namespace assay::judging {

// A claim that should have found a job, unless a call whose answer was lost took it away before.
struct Miss {
  std::vector<Finding> objections;  // unless
  // What the job may have been like before the claim.
  std::vector<World> worlds;
  std::vector<const Operation*> lost;
};

// A job whose state is not certain: the ones that it may be in, and the calls whose answers were
// lost and that may still change it.
struct Cloud {
  std::vector<World> worlds;
  std::vector<const Operation*> lost;
  // The first since the job itself was last heard of. Shared by those that follow each other.
  std::shared_ptr<const Miss> missed = {};
  std::optional<Instant> runnable_from = {};  // in some world
};

class Explanation final : public Stage {
 public:
  // Everything is borrowed for life. `steps` are made in all, at most.
  Explanation(Facts& facts, Verdicts& verdicts, Window& window, Examiner& examiner,
              std::uint64_t steps)
      : facts_(facts),
        verdicts_(verdicts),
        window_(window),
        examiner_(examiner),
        steps_left_(steps) {}

  // A call showed this clock: what was lost may have been as late.
  void saw_clock(Instant now);
  // What the call, whose answer was lost, may have done to jobs that are not known yet.
  void lose(const Operation& operation);

  // Whether nothing was lost that may still matter.
  bool is_certain() const { return clouds_.empty() && lost_claims_.empty(); }
  // Whether the job is in one of several states, or something lost may still change it.
  bool is_clouded(std::string_view id) const;

  // Judges the operation as a whole, apart from what was explained with others.
  void judge_whole(const Operation& operation, bool alone);
  // Looks for an order of the group, which is about the job. `place` is that of the event at hand.
  void explain(std::string_view id, std::vector<Operation*> group, Place place);

  std::uint64_t undecided() const { return undecided_; }  // jobs, so far

  std::optional<JobFacts> answered(const JobFacts& before, const Operation& operation) override;
  std::vector<JobFacts> perhaps(const JobFacts& before, const Operation& operation,
                                Instant at) override;

 private:
  using Timed = search::Timed<const Operation*>;
  struct LostClaims {
    std::vector<const Operation*> kept;
    bool too_many = false;
  };
  // What is searched for one job.
  struct Question {
    JobIndex index;
    std::vector<Timed> history;
    std::vector<Instant> instants;
  };

  static Timed timed(const Operation* operation);
  const Operation* keep(const Operation& operation);
  bool make_job(std::string_view id, const std::vector<Operation*>& group, Place place);
  void make_with(Operation& operation, std::string_view id, const std::vector<Operation*>& group,
                 Place place);
  void take_in_spoiled(JobIndex index, const std::vector<Operation*>& group);
  bool explain_at_once(JobIndex index, const Operation& operation);
  void search(JobIndex index, const std::vector<const Operation*>& group, const Cloud& before);
  Question ask(JobIndex index, const std::vector<const Operation*>& group, const Cloud& before);
  void miss(const Operation& claim);
  std::shared_ptr<const Miss> missed(const std::vector<const Operation*>& group,
                                     const Cloud& before);
  bool is_to_blame(const Miss& miss, JobIndex index, const std::vector<const Operation*>& group);
  void forget(JobIndex index);
  bool is_caught(const Question& question) const;
  void add_instants_between(Question& question, const Cloud& before) const;
  bool beyond_bounds(const Question& question) const;
  void settle(JobIndex index, Cloud after);
  void give_up(JobIndex index);
  void give_up_disputed(const Operation& operation);
  bool grants_disputed(const Operation& operation, std::string_view id) const;
  void lose_track(JobIndex index);
  bool objects(const Operation& operation, std::string_view id);
  template <class Each>
  JobFacts retrace(const Question& question, const std::vector<search::OpIndex>& order,
                   const World& from, Each each);
  void count(const Question& question, const search::Finding& found, const World& from);
  // Nothing where the search for them took too long.
  std::vector<OpId> contradiction(const Question& question, const std::vector<World>& worlds);
  void convict(const Question& question, const search::Finding& stuck, const World& from,
               const std::vector<World>& worlds);
  void convict(const Miss& miss, const Question& question);
  void accept(const std::vector<Finding>& reasons, JobIndex index);

  Facts& facts_;
  Verdicts& verdicts_;
  Window& window_;
  Examiner& examiner_;
  std::unordered_map<JobIndex, Cloud> clouds_;
  std::unordered_map<std::string, TimedJobs> doubtful_;      // by queue: clouds, by runnable_from
  std::vector<std::unique_ptr<Operation>> lost_;             // that somebody may still ask for
  std::unordered_map<std::string, LostClaims> lost_claims_;  // by queue
  std::vector<Instant> clocks_;       // that calls showed, in their order: the latest ones
  std::optional<Instant> forgotten_;  // the last of those that are not kept
  std::vector<Finding> objections_;   // to the last answer that was tried
  std::uint64_t steps_left_;
  std::uint64_t undecided_ = 0;
};

}  // namespace assay::judging
