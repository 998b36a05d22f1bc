#include "harness/audit/settings.h"

namespace assay {

std::string_view name_of(AuditFault fault) {
  switch (fault) {
    case AuditFault::process_crash:
      return "process crash";
    case AuditFault::power_loss:
      return "power loss";
    case AuditFault::races:
      return "races";
  }
  return "";
}

static const std::vector<AuditFault> crashes{AuditFault::process_crash, AuditFault::power_loss};

// With the longest delay that there is for the log's writer: what it has not written yet is what a
// crash takes, and with the usual 200 ms it would depend on the moment what that is.
static const std::pair<std::string, std::string> lazy_writer{"wal_writer_delay", "10s"};

static const std::vector<AuditGroup>& postgres_groups() {
  static const std::vector<AuditGroup> groups{
      {"durability",
       crashes,
       {{"synchronous_commit=off", {lazy_writer}, "options=-csynchronous_commit%3Doff", false},
        {"fsync=off", {{"fsync", "off"}}, "", false},
        {"fsync=on, synchronous_commit=on", {lazy_writer}, "", true}}},
      {"isolation",
       {AuditFault::races},
       {{"read committed", {}, "", true},
        {"repeatable read", {}, "options=-cassay.isolation%3Drepeatable%5C%20read", false},
        {"serializable", {}, "options=-cassay.isolation%3Dserializable", false}}}};
  return groups;
}

static const std::vector<AuditGroup>& redis_groups() {
  static const std::vector<AuditGroup> groups{
      {"durability",
       crashes,
       {{"no persistence", {{"appendonly", "no"}}, "", false},
        {"snapshots (save 60 1)", {{"appendonly", "no"}, {"save", "60 1"}}, "", false},
        {"appendfsync=no", {{"appendfsync", "no"}}, "", false},
        {"appendfsync=everysec", {{"appendfsync", "everysec"}}, "", false},
        {"appendfsync=always", {}, "", true}}}};
  return groups;
}

static const std::vector<AuditGroup>& sqlite_groups() {
  static const std::vector<AuditGroup> groups{
      {"durability",
       crashes,
       {{"synchronous=off", {}, "synchronous=off", false},
        {"synchronous=normal", {}, "synchronous=normal", false},
        {"synchronous=full", {}, "", true}}}};
  return groups;
}

std::span<const AuditGroup> audit_groups(std::string_view driver) {
  if (driver == "postgres") return postgres_groups();
  if (driver == "redis") return redis_groups();
  if (driver == "sqlite") return sqlite_groups();
  return {};
}

}  // namespace assay
