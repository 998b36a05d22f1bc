#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "harness/run/certify.h"
#include "harness/run/compare.h"
#include "harness/run/detail/needs.h"

namespace assay {
namespace {

char upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

bool matches(std::string_view glob, std::string_view text) {
  if (glob.empty()) return text.empty();
  if (glob.front() == '*') {
    while (!glob.empty() && glob.front() == '*') glob.remove_prefix(1);
    if (glob.empty()) return true;
    for (std::size_t i = 0; i <= text.size(); ++i)
      if (matches(glob, text.substr(i))) return true;
    return false;
  }
  if (text.empty() || (glob.front() != '?' && upper(glob.front()) != upper(text.front())))
    return false;
  return matches(glob.substr(1), text.substr(1));
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t swapped = corner + (upper(a[i]) == upper(b[j]) ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({swapped, corner + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::vector<std::string_view> nearest_ids(std::string_view glob) {
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const Rule& rule : rules()) ranked.emplace_back(distance(glob, rule.id), rule.id);
  std::ranges::stable_sort(ranked, {}, [](const auto& entry) { return entry.first; });
  std::vector<std::string_view> ids;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, ranked.size()); ++i)
    ids.push_back(ranked[i].second);
  return ids;
}

// Why a certification of this layer and level never speaks of the rule; empty: it may.
std::string out_of_scope(const Rule& rule, Level level, Certifies layer) {
  if (rule.kind == Kind::permission) return "a permission: never flagged";
  if (rule.id == alike_rule) return "compares drivers: `assay certify all` does";
  if (!concerns(rule, layer))
    return fmt::format("{} rule: this certifies {} {}", name_of(rule.certifies),
                       layer == Certifies::engine ? "an" : "a", name_of(layer));
  if (rule.level > level)
    return fmt::format("of level {}; this was {}", name_of(rule.level), name_of(level));
  return "";
}

Error nothing_testable(const Selection& selection, std::span<const std::string> globs) {
  std::vector<std::string> why;
  auto add = [&](const NotTested& rule) {
    if (selects(globs, rule.id) && why.size() < 5)
      why.push_back(fmt::format("{} ({})", rule.id, rule.reason));
  };
  std::ranges::for_each(selection.not_claimed, add);
  std::ranges::for_each(selection.others, add);
  return invalid(
      fmt::format("none of the selected rules can be tested here: {}", fmt::join(why, ", ")));
}

}  // namespace

bool selects(std::span<const std::string> globs, std::string_view rule) {
  return globs.empty() ||
         std::ranges::any_of(globs, [&](const auto& glob) { return matches(glob, rule); });
}

Status check_globs(std::span<const std::string> globs) {
  for (const std::string& glob : globs)
    if (std::ranges::none_of(rules(), [&](const Rule& rule) { return matches(glob, rule.id); }))
      return invalid(fmt::format("no rule matches '{}'; the nearest are {}", glob,
                                 fmt::join(nearest_ids(glob), ", ")));
  return Done{};
}

Result<Selection> select_rules(const Profile& profile, Level level,
                               std::span<const std::string> globs, Certifies layer) {
  if (Status known = check_globs(globs); !known.ok()) return known.error();
  Selection selection;
  selection.layer = layer;
  for (const Rule& rule : rules()) {
    const std::string id(rule.id);
    if (std::string reason = out_of_scope(rule, level, layer); !reason.empty())
      selection.others.push_back({id, std::move(reason)});
    else if (!selects(globs, rule.id))
      selection.others.push_back({id, "not selected"});
    else if (!applies(rule, profile, layer))
      selection.not_claimed.push_back(
          {id, "not claimed: needs " + detail::unmet(needs_of(rule, layer), profile)});
    else
      selection.rules.push_back(&rule);
  }
  if (selection.rules.empty()) return nothing_testable(selection, globs);
  return selection;
}

}  // namespace assay
