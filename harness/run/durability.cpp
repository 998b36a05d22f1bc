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
  std::vector<std::string> parts;
  for (const OutageTally& outage : report.outages)
    if (outage.times > 0)
      parts.push_back(
          fmt::format("{} {}", outage.times, outage.times == 1 ? outage.one : outage.many));
  if (parts.empty()) return claimed + " is claimed, and was not shown";
  return fmt::format("{}{} {}", claimed,
                     report.lost ? " is claimed, and was lost in" : ", shown by", joined(parts));
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
