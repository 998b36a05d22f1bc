// What the hunts share (explore, sweep, chaos): their stage, their head, what they tell of
// convictions.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "harness/cli/commands.h"
#include "harness/cli/named_driver.h"
#include "harness/run/hunt.h"

namespace assay::cli {

// The seed, or a fresh one, and how long.
Status read_numbers(const std::optional<std::string>& seed, const std::optional<std::string>& time,
                    const char* name_of_time, HuntOptions& options);

// Makes a scratch folder and starts the driver's server, has them in the options while `hunt` runs,
// and removes both, also where the person ends it. Returns the exit status.
using HuntOnStage = std::function<int(const std::string& backend, std::stop_token stop)>;
int on_stage(const NamedDriver& driver, HuntOptions& options, const HuntOnStage& hunt);

// "assay 0.1.0 sweep memory" and what follows it, as far as all have it.
void tell_head(const char* command, const HuntOptions& options, const std::string& plan,
               const std::string& backend);

// `how` says in which runs it was convicted.
void tell_rule(const HuntedRule& rule, const std::string& how);
// The lines to paste, last.
void tell_replays(const HuntReport& report, const Program& program, const DriverArguments& how);

// An array.
std::string rules_json(const HuntReport& report);

// One line on the terminal that is written over; nothing where stderr is none, or in CI.
class LiveLine {
 public:
  LiveLine();
  ~LiveLine() { clear(); }
  bool is_on() const { return is_on_; }
  // True at most five times a second.
  bool is_due(double seconds);
  void draw(const std::string& line);
  void clear();

 private:
  bool is_on_;
  double last_ = -1;
};

}  // namespace assay::cli
