#include "harness/fault/fault.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

Error met_nobody(std::string sentence) { return {ErrorCode::not_found, std::move(sentence)}; }
bool is_met_nobody(const Error& error) { return error.code == ErrorCode::not_found; }

std::int64_t number_of(const FaultInfo& info, const FaultSpec& spec, std::string_view name) {
  if (const auto given = spec.with.find(std::string(name)); given != spec.with.end())
    return given->second;
  const auto known = std::ranges::find(info.with, name, [](const auto& one) { return one.first; });
  return known == info.with.end() ? 0 : known->second;
}

Result<const FaultInfo*> find_fault(std::span<const FaultInfo> all, const FaultSpec& spec) {
  const auto info = std::ranges::find(all, spec.name, &FaultInfo::name);
  if (info == all.end())
    return invalid(
        fmt::format("there is no fault \"{}\"; `assay list faults` lists them", spec.name));
  for (const auto& [name, number] : spec.with)
    if (std::ranges::none_of(info->with, [&](const auto& known) { return known.first == name; }))
      return invalid(fmt::format("the fault {} takes no number \"{}\"", spec.name, name));
  return &*info;
}

}  // namespace assay
