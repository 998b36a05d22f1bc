#include "reports/detail/verdict_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/text.h"

namespace assay::detail {

std::string painted(bool colour, Verdict verdict, std::string_view text) {
  if (!colour) return std::string(text);
  const int code = verdict == Verdict::pass                                           ? 32
                   : verdict == Verdict::fail || verdict == Verdict::error            ? 31
                   : verdict == Verdict::not_applicable || verdict == Verdict::waived ? 2
                                                                                      : 33;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string bold(bool colour, std::string_view text) {
  return colour ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

using Rules = std::vector<const RuleReport*>;

static std::vector<std::pair<std::string, Rules>> by_family(const Report& report) {
  std::vector<std::pair<std::string, Rules>> families;
  for (const RuleReport& rule : report.rules) {
    const std::string_view family = family_of(rule.id);
    auto at = std::ranges::find(families, family, &std::pair<std::string, Rules>::first);
    if (at == families.end()) at = families.insert(at, {std::string(family), {}});
    at->second.push_back(&rule);
  }
  return families;
}

static std::string counts_of(const Rules& rules, const TableStyle& style) {
  std::string line;
  for (const Verdict verdict : by_severity) {
    const auto count =
        std::count_if(rules.begin(), rules.end(), [&](auto* r) { return r->verdict == verdict; });
    if (count > 0)
      line += "  " + painted(style.colour, verdict, fmt::format("{} {}", count, name_of(verdict)));
  }
  return line;
}

static std::string line_of(const RuleReport& rule, const TableStyle& style) {
  const Rule* known = find_rule(rule.id);
  std::string what = text::printable(rule.reason);
  if (what.empty() && known) what = known->promise;
  if (rule.verdict == Verdict::pass)
    what = fmt::format("{} ({} in {})", what, text::plural(rule.triggered, "trigger"),
                       text::plural(rule.cases, "plan"));
  const std::string_view name = name_of(rule.verdict);
  const std::string head = fmt::format("    {:<12}  {:<10}  ", name, rule.id);
  std::string text = text::wrapped(what, style.width, head.size(), 0);
  text.replace(0, head.size(), head);
  text.replace(4, name.size(), painted(style.colour, rule.verdict, name));
  return text;
}

// What so many rules have in common is said once, below the table.
static constexpr std::size_t in_common = 6;

static std::map<std::string, std::size_t> reasons(const Report& report) {
  std::map<std::string, std::size_t> counts;
  for (const RuleReport& rule : report.rules)
    if (rule.verdict == Verdict::error) ++counts[rule.reason];
  return counts;
}

std::string verdict_table(const Report& report, const TableStyle& style) {
  std::string out;
  const auto counts = reasons(report);
  for (const auto& [family, rules] : by_family(report)) {
    out += fmt::format("  {:<9}{}\n", family, counts_of(rules, style));
    for (const RuleReport* rule : rules) {
      const bool quiet = rule->verdict == Verdict::pass || rule->verdict == Verdict::not_applicable;
      const bool common = rule->verdict == Verdict::error && counts.at(rule->reason) >= in_common;
      if (style.verbose || (!quiet && !common)) out += line_of(*rule, style);
    }
  }
  for (const auto& [reason, count] : counts)
    if (count >= in_common)
      out += text::wrapped(fmt::format("{} ERROR: {}", count, text::printable(reason)), style.width,
                           2, 2);
  return out;
}

std::string not_tested_table(const Report& report, const TableStyle& style) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  std::map<std::string, std::size_t> index;
  const auto add = [&](const std::string& reason, const std::string& id) {
    const auto [at, fresh] = index.try_emplace(reason, groups.size());
    if (fresh) groups.push_back({reason, {}});
    groups[at->second].second.push_back(id);
  };
  for (const RuleReport& rule : report.rules)
    if (rule.verdict == Verdict::not_applicable) add(rule.reason, rule.id);
  for (const NotTested& other : report.not_tested) add(other.reason, other.id);

  std::string out;
  for (const auto& [reason, ids] : groups) {
    out += text::wrapped(fmt::format("{} ({}):", text::printable(reason), ids.size()), style.width,
                         2, 2);
    out += text::wrapped(text::joined(ids, " "), style.width, 4, 0);
  }
  return out;
}

}  // namespace assay::detail
