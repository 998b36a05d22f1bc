// Hunt: runs of a subject, and what they convict the driver of.
#pragma once

#include "harness/run/detail/convictions.h"
#include "harness/run/hunt.h"

namespace assay::detail {

class Hunt {
 public:
  Hunt(const DriverInfo& driver, const HuntOptions& options, const Parts& parts,
       std::stop_token stop, std::function<void(const FaultEvent&)> on_fault = {});

  Subject& subject() { return subject_; }
  double seconds() const { return watch_.seconds(); }

  // False: the driver cannot even be made; the report says so.
  bool begin(HuntReport& report);
  // Whether there is reason and time for another run.
  bool goes_on(HuntReport& report) const;
  // The run's number counts from 1; 0: it is none of those that are counted.
  void add(std::uint64_t number, const Plan& plan, const CaseResult& result, HuntReport& report);
  // Makes the witnesses small and ends the driver.
  void end(HuntReport& report, const std::function<void(const std::string& rule)>& shrinking);

  // Replays any of its runs, once it has a plan.
  ReplayToken token() const;

 private:
  const HuntOptions& options_;
  const std::stop_token stop_;
  Subject subject_;
  Profile claimed_;
  Stopwatch watch_;
  Convictions convictions_;
};

// 1 a conviction, 3 trouble of our own, 2 the driver broke, a run was undecided or we were stopped;
// else 0.
int exit_status_of_hunt(const HuntReport& report);

}  // namespace assay::detail
