#include "harness/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "harness/audit/detail/crash_case.h"

namespace assay {

std::uint64_t AuditCell::lost() const {
  std::uint64_t lost = 0;
  for (const auto& [id, rule] : rules) lost += rule.convicted;
  return lost;
}

int AuditReport::exit_status() const {
  const auto of_default = [&](auto&& is) {
    return std::ranges::any_of(cells,
                               [&](const AuditCell& cell) { return cell.is_default && is(cell); });
  };
  if (of_default([](const AuditCell& cell) { return cell.lost() > 0; })) return 1;
  if (!troubles.empty()) return 3;
  // A loss of power cannot be staged everywhere.
  const bool whole = !of_default(
      [](const AuditCell& cell) { return cell.not_tried && cell.fault != AuditFault::power_loss; });
  return whole ? 0 : 2;
}

namespace {

using namespace detail;

// A store under one setting, on a disk of its own where that is to lose power.
struct Stage {
  std::unique_ptr<Disk> disk;
  std::unique_ptr<AuditedStore> store;

  Status set(const DriverInfo& driver, const AuditOptions& options, const AuditSetting& setting,
             AuditFault fault) {
    store.reset();
    disk.reset();
    if (fault == AuditFault::power_loss) {
      auto made = Disk::make(options.scratch);
      if (!made) return made.error();
      disk = std::move(*made);
    }
    auto started = AuditedStore::start(driver, options, setting, disk.get());
    if (!started) return started.error();
    store = std::move(*started);
    return Done{};
  }
};

class Audit {
 public:
  Audit(const DriverInfo& driver, const AuditOptions& options, const Parts& parts,
        const AuditProgress& progress, std::stop_token stop)
      : driver_(driver),
        options_(options),
        parts_(parts),
        progress_(progress),
        stop_(std::move(stop)) {}

  AuditReport run() {
    const auto groups = audit_groups(options_.driver);
    std::size_t count = 0, number = 0;
    for (const AuditGroup& group : groups) count += group.settings.size() * group.faults.size();
    for (const AuditGroup& group : groups)
      for (const AuditSetting& setting : group.settings)
        for (const AuditFault fault : group.faults) {
          AuditCell cell;
          cell.group = group.name;
          cell.setting = setting.name;
          cell.is_default = setting.is_default;
          cell.fault = fault;
          progress_(cell, ++number, count);
          try_it(setting, cell);
          report_.cells.push_back(std::move(cell));
        }
    for (const AuditGroup& group : groups) find_weakest(group);
    report_.seconds = watch_.seconds();
    return std::move(report_);
  }

 private:
  void try_it(const AuditSetting& setting, AuditCell& cell) {
    if (stop_.stop_requested()) cell.not_tried = "stopped before";
    if (watch_.seconds() >
        options_.budget_seconds.value_or(std::numeric_limits<double>::infinity()))
      cell.not_tried = "time was up";
    if (cell.not_tried) return;
    Stage stage;
    if (Status ready = stage.set(driver_, options_, setting, cell.fault); !ready) {
      cell.not_tried = ready.error().message;
      return;
    }
    for (std::uint64_t number = 0; number < options_.cases && !stop_.stop_requested(); ++number) {
      const std::uint64_t lost = cell.lost();
      const Status done = cell.fault == AuditFault::races
                              ? race_case(*stage.store, options_, number, cell)
                              : crash_case(*stage.store, options_, parts_, number, cell);
      if (!done) {
        trouble(cell, done.error());
        return;
      }
      // What a crash has wrecked may be no store any more: the next case is not to suffer from it.
      if (cell.lost() == lost || number + 1 == options_.cases) continue;
      if (Status ready = stage.set(driver_, options_, setting, cell.fault); !ready) {
        trouble(cell, ready.error());
        return;
      }
    }
    if (cell.fault == AuditFault::races)
      if (Status done = contract_cases(*stage.store, options_, parts_, cell); !done)
        report_.troubles.push_back(fmt::format("{}: {}", cell.setting, done.error().message));
    if (cell.cases == 0) cell.not_tried = "stopped before";
  }

  void trouble(AuditCell& cell, const Error& error) {
    report_.troubles.push_back(
        fmt::format("{} under {}: {}", cell.setting, name_of(cell.fault), error.message));
    if (cell.cases == 0) cell.not_tried = error.message;
  }

  bool is_told(const std::string& rule, const std::string& group) const {
    return find_rule(rule)->level != Level::contract ||
           std::ranges::any_of(report_.cells, [&](const AuditCell& cell) {
             const auto found = cell.rules.find(rule);
             return cell.group == group && found != cell.rules.end() && found->second.convicted > 0;
           });
  }

  void find_weakest(const AuditGroup& group) {
    for (const Rule& rule : rules()) {
      const std::string id(rule.id);
      const bool seen = std::ranges::any_of(report_.cells, [&](const AuditCell& cell) {
        return cell.group == group.name && cell.rules.contains(id);
      });
      if (!seen) continue;
      seen_.insert(id);
      if (!is_told(id, group.name)) continue;
      told_.insert(id);
      for (const AuditFault fault : group.faults) add_weakest(id, group, fault);
    }
    report_.kept_by_all = seen_.size() - told_.size();
  }

  void add_weakest(const std::string& rule, const AuditGroup& group, AuditFault fault) {
    AuditWeakest weakest{rule, group.name, fault, std::nullopt};
    bool tried = false;
    // Weakest first. What a setting loses is a matter of the moment: one that lost anything in a
    // crash may lose whatever some crash has shown to be at stake.
    for (const AuditCell& cell : report_.cells) {
      if (cell.group != group.name || cell.fault != fault) continue;
      const auto found = cell.rules.find(rule);
      if (found == cell.rules.end()) continue;
      tried = true;
      const bool lost = fault == AuditFault::races ? found->second.convicted > 0 : cell.lost() > 0;
      if (lost)
        weakest.setting.reset();
      else if (!weakest.setting)
        weakest.setting = cell.setting;
    }
    if (tried) report_.weakest.push_back(std::move(weakest));
  }

  const DriverInfo& driver_;
  const AuditOptions& options_;
  const Parts& parts_;
  const AuditProgress& progress_;
  std::stop_token stop_;
  Stopwatch watch_;
  AuditReport report_;
  std::set<std::string> seen_, told_;  // rules: triggered under some setting; in `weakest`
};

}  // namespace

AuditReport audit(const DriverInfo& driver, const AuditOptions& options, const Parts& parts,
                  const AuditProgress& progress, std::stop_token stop) {
  return Audit(driver, options, parts, progress, std::move(stop)).run();
}

}  // namespace assay
