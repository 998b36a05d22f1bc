// chaos: rounds of clients that move at once while things go wrong, until time is up. Each round is
// drawn from the seed, has a mixture of faults of its own, and ends with an account of every job,
// taken when everything is right again.
#pragma once

#include <span>

#include "harness/fault/fault.h"
#include "harness/run/hunt.h"

namespace assay {

struct ChaosOptions : HuntOptions {
  // What does not make sense for the driver, or it does not claim to outlive, is left out.
  std::vector<const FaultInfo*> faults;
  bool names_faults = false;  // somebody asked for these, by name
  bool mixes = true;          // each round has some of them; else it has all
  int clients = 8;            // that produce and work, besides one that looks after them
};

struct ChaosReport : HuntReport {
  std::uint64_t rounds = 0;
  std::uint64_t operations = 0;
  std::uint64_t unknown = 0;            // of them, whose end nobody knows
  std::uint64_t voided = 0;             // rounds with a fault that was not made or not proven
  std::vector<std::string> possible;    // the faults that can befall this driver, of those given
  std::vector<std::string> impossible;  // "partition: ..." and why, of the others
  std::vector<FaultTally> faults;
};

struct ChaosListener {
  std::function<void(const ChaosReport&)> ready = [](const ChaosReport&) {
  };  // it is known what for
  std::function<void(const Plan&, const std::string& token)> begins = [](const Plan&,
                                                                         const std::string&) {};
  std::function<void(const ChaosReport&)> progress = [](const ChaosReport&) {};
  std::function<void(const FaultEvent&)> fault = [](const FaultEvent&) {};  // by any thread
  std::function<void(const std::string& rule)> shrinking = [](const std::string&) {};
};

ChaosReport chaos(const DriverInfo& driver, const ChaosOptions& options, const Parts& parts,
                  const ChaosListener& listener, std::stop_token stop = {});

// 1 a conviction, 2 the driver broke, nothing could go wrong, or some round was undecided or void;
// 3 trouble of our own; else 0. To be stopped is how it ends.
int exit_status_of(const ChaosReport& report);

}  // namespace assay
