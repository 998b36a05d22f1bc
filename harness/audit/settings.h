// The settings that people really run a store with, and what is done to it under each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

// What happens to the store, or around it.
enum class AuditFault {
  process_crash,  // all its processes are killed (SIGKILL); what the kernel has is kept
  power_loss,     // besides, what was not synced to the disk is gone
  races,          // nothing but several clients at once, and the contract's own cases
};

std::string_view name_of(AuditFault fault);  // "process crash", ...

struct AuditSetting {
  std::string name;                                         // "synchronous_commit=off"
  std::vector<std::pair<std::string, std::string>> server;  // of the server's configuration
  std::string url;                                          // option of the driver's url
  bool is_default = false;                                  // what the driver is certified with
};

// Settings of one kind, weakest first.
struct AuditGroup {
  std::string name;
  std::vector<AuditFault> faults;
  std::vector<AuditSetting> settings;
};

// Of a built-in driver; empty: it has none to audit.
std::span<const AuditGroup> audit_groups(std::string_view driver);

}  // namespace assay
