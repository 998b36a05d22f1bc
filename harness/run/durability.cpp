#include <fmt/format.h>

#include "harness/run/certify.h"

namespace assay {

std::string_view name_of(Durability durability) {
  for (const Knob& knob : knobs())
    if (knob.name == "durability") return knob.values[static_cast<std::size_t>(durability)].name;
  return "";
}

static std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (std::size_t i = 0; i < parts.size(); ++i)
    all += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return all;
}

std::string shown(const DurabilityReport& report) {
  const std::string claimed(name_of(report.claimed));
  if (report.claimed == Durability::none)
    return "none: whatever was accepted may be gone when the store restarts";
  std::vector<std::string> kept, lost;
  const auto note = [](std::vector<std::string>& to, std::uint64_t times,
                       const OutageTally& outage) {
    if (times > 0) to.push_back(fmt::format("{} {}", times, times == 1 ? outage.one : outage.many));
  };
  for (const OutageTally& outage : report.outages) {
    note(lost, outage.lost, outage);
    note(kept, outage.times - outage.lost, outage);
  }
  if (lost.empty() && kept.empty()) return claimed + " is claimed, and was not shown";
  if (lost.empty() && !report.lost) return fmt::format("{}, shown by {}", claimed, joined(kept));
  return fmt::format("{} is claimed, and was lost{}{}", claimed,
                     lost.empty() ? "" : " in " + joined(lost),
                     kept.empty() ? "" : fmt::format("; {} lost nothing", joined(kept)));
}

std::vector<std::string> not_shown(const DurabilityReport& report) {
  std::vector<std::string> all;
  if (report.claimed == Durability::none) return all;
  for (const OutageTally& outage : report.outages)
    if (outage.times == 0)
      all.push_back(fmt::format("not shown under {}: {}", outage.one, outage.why_none));
  return all;
}

}  // namespace assay
