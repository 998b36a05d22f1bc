// References: what a run has learnt so far, and what a plan's symbolic references mean by it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/plan/plan.h"

namespace assay::detail {

class References {
 public:
  References(const Plan& plan, const Profile& profile);

  // The instant that is meant; nothing where it depends on an empty slot.
  std::optional<Instant> instant(const When& when, Instant now) const;

  // The call that the step stands for; nothing where it depends on an empty slot or on a page that
  // is not there. Requires: not an advance.
  std::optional<Request> request(const Step& step, Instant now) const;

  // Whatever the answer was, the step's slot is its: a failed call empties it.
  void learn(const Step& step, const Request& request, const Response* answer, Instant now);

 private:
  const Claim* claim(const ClaimRef& ref) const;
  std::optional<JobId> job(const JobRef& ref) const;
  const Claim* spoken_for(const Step& step, const JobId& job_id) const;
  std::optional<Hold> hold(const Step& step) const;
  std::int64_t counter(const Step& step, const JobId& job_id) const;
  std::optional<Request> settle(const Step& step, Instant now) const;
  std::optional<Request> enqueue(const Step& step, Instant now) const;
  std::optional<Request> reserve(const Step& step) const;
  std::optional<Request> page(const Step& step) const;
  std::optional<Request> requeue(const Step& step, Instant now) const;
  std::optional<Request> of_job(const Step& step) const;

  const Plan& plan_;
  const Profile& profile_;
  std::map<int, JobId> made_;
  std::map<int, std::vector<Claim>> claims_;  // expiries as last granted
  std::map<JobId, Claim> last_claim_;
  std::map<JobId, Instant> due_;
  std::map<std::pair<int, StepKind>, std::optional<std::string>> cursors_;
};

}  // namespace assay::detail
