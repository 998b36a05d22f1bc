// audit: which setting of a store keeps which rule. Runs the contract's own cases under each of the
// settings, and takes the store away in the middle of them.
//
// A store that keeps what it acknowledged comes back from a crash as if nothing had happened, so
// the judges of the contract judge such a history like any other; what is convicted then was lost
// in the crash. A setting other than the driver's default may lose rules: that is what it is told
// for.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/audit/settings.h"
#include "harness/backend/backend.h"
#include "harness/run/certify.h"

namespace assay {

struct AuditOptions {
  std::string driver;  // a built-in one's name
  Profile profile;
  std::uint64_t seed = 0;
  std::uint64_t cases = 4;               // crashes a setting and fault
  std::optional<double> budget_seconds;  // what is not begun by then is not tried
  BackendKind backend = BackendKind::automatic;
  std::string scratch;
  std::vector<std::string> serve;  // the words that serve the driver from a process of its own
};

struct AuditRule {
  std::uint64_t triggered = 0;  // after a crash
  std::uint64_t convicted = 0;
  std::string story;  // of the first conviction
};

// One setting under one fault.
struct AuditCell {
  std::string group;
  std::string setting;
  bool is_default = false;
  AuditFault fault = AuditFault::process_crash;
  std::optional<std::string> not_tried;  // why
  std::uint64_t cases = 0;
  std::uint64_t in_flight = 0;  // crashes that hit a call under way
  std::uint64_t operations = 0;
  std::uint64_t refused = 0;  // calls that others were faster than, and that had to be made again
  std::map<std::string, AuditRule> rules;

  std::uint64_t lost() const;  // convictions, of all rules
};

// The weakest setting of its group that keeps the rule under the fault.
struct AuditWeakest {
  std::string rule;
  std::string group;
  AuditFault fault = AuditFault::process_crash;
  std::optional<std::string> setting;  // absent: none of those that were tried
};

struct AuditReport {
  std::vector<AuditCell> cells;
  std::vector<AuditWeakest>
      weakest;                    // of the durability rules, and of those that some setting lost
  std::uint64_t kept_by_all = 0;  // other rules, that every setting kept
  std::vector<std::string> troubles;  // ours
  double seconds = 0;

  // 1 where the default setting loses a rule, 2 where it was not tried, 3 trouble, else 0.
  int exit_status() const;
};

// Told of each setting as it is begun.
using AuditProgress = std::function<void(const AuditCell&, std::size_t number, std::size_t of)>;

// Requires: audit_groups(options.driver) is not empty.
AuditReport audit(const DriverInfo& driver, const AuditOptions& options, const Parts& parts,
                  const AuditProgress& progress, std::stop_token stop = {});

}  // namespace assay
