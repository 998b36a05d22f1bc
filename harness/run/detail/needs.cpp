#include "harness/run/detail/needs.h"

namespace assay::detail {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool meets(const Profile& profile, std::string_view needs) {
  Rule condition{};
  condition.needs = needs;
  return applies(condition, profile);
}

std::string unmet(std::string_view needs, const Profile& profile) {
  std::string terms;
  for (std::string_view rest = needs; !rest.empty();) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view term = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (term.empty() || meets(profile, term)) continue;
    if (!terms.empty()) terms += " & ";
    terms += term;
  }
  return terms;
}

}  // namespace assay::detail
