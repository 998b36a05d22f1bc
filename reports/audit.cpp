#include "reports/audit.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/detail/verdict_table.h"
#include "reports/text.h"

namespace assay {

using text::plural;

static std::size_t lost_in(const AuditCell& cell) {
  return static_cast<std::size_t>(std::ranges::count_if(
      cell.rules, [](const auto& rule) { return rule.second.convicted > 0; }));
}

static std::string cell_text(const AuditCell& cell) {
  if (cell.not_tried) return "not tried";
  if (cell.lost() > 0) return "LOST " + plural(lost_in(cell), "rule");
  std::string said = fmt::format("kept {}", plural(cell.rules.size(), "rule"));
  if (cell.refused > 0)
    said += fmt::format(", {} of {} calls repeated", text::grouped(cell.refused),
                        text::grouped(cell.operations));
  return said;
}

static Verdict colour_of(const AuditCell& cell) {
  if (cell.not_tried) return Verdict::missing;
  return cell.lost() > 0 ? Verdict::fail : Verdict::pass;
}

static std::vector<std::string> groups_of(const AuditReport& report) {
  std::vector<std::string> names;
  for (const AuditCell& cell : report.cells)
    if (std::ranges::find(names, cell.group) == names.end()) names.push_back(cell.group);
  return names;
}

static std::string table_of(const AuditReport& report, const std::string& group,
                            const AuditStyle& style) {
  std::vector<AuditFault> faults;
  std::string lines, setting;
  for (const AuditCell& cell : report.cells) {
    if (cell.group != group) continue;
    if (std::ranges::find(faults, cell.fault) == faults.end()) faults.push_back(cell.fault);
    if (cell.setting != setting)
      lines += fmt::format("{}  {:<42}", setting.empty() ? "" : "\n",
                           cell.setting + (cell.is_default ? " (default)" : ""));
    setting = cell.setting;
    const std::string said = cell_text(cell);
    lines += "  " + detail::painted(style.colour, colour_of(cell), said);
    if (cell.fault != AuditFault::power_loss && said.size() < 22)
      lines += std::string(22 - said.size(), ' ');
  }
  std::string head = fmt::format("  {:<42}", group);
  for (const AuditFault fault : faults) head += fmt::format("  {:<22}", name_of(fault));
  std::string out;
  for (std::string text = head + "\n" + lines + "\n"; !text.empty();) {
    const std::size_t end = text.find('\n');
    std::string line = text.substr(0, end);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    text.erase(0, end + 1);
  }
  return out;
}

// Rules of which the same is to be said share a paragraph.
static std::string weakest_text(const AuditReport& report, const AuditStyle& style) {
  std::vector<std::pair<std::string, std::string>> of_rules, paragraphs;
  const auto entry = [](auto& list, const std::string& key) -> std::string& {
    for (auto& [known, text] : list)
      if (known == key) return text;
    return list.emplace_back(key, "").second;
  };
  for (const AuditWeakest& weakest : report.weakest)
    entry(of_rules, weakest.rule) +=
        fmt::format("      {:<14} {}\n", fmt::format("{}:", name_of(weakest.fault)),
                    weakest.setting.value_or("none of those that were tried"));
  for (const auto& [rule, said] : of_rules) entry(paragraphs, said) += rule + " ";
  std::string out;
  for (const auto& [said, rules] : paragraphs)
    out += text::wrapped(rules, style.width, 4, 0) + said;
  if (report.kept_by_all > 0)
    out += fmt::format("    every setting keeps {}\n", plural(report.kept_by_all, "other rule"));
  return out;
}

static std::string stories_of(const AuditReport& report, const AuditStyle& style) {
  std::string out;
  for (const AuditCell& cell : report.cells) {
    if (cell.not_tried)
      out += text::wrapped(fmt::format("{} under {} was not tried: {}", cell.setting,
                                       name_of(cell.fault), text::printable(*cell.not_tried)),
                           style.width, 2, 2);
    if (cell.lost() == 0 || (!style.verbose && !cell.is_default)) continue;
    for (const auto& [id, rule] : cell.rules)
      if (rule.convicted > 0)
        out += text::wrapped(fmt::format("{} under {} loses {}: {}", cell.setting,
                                         name_of(cell.fault), id, text::printable(rule.story)),
                             style.width, 2, 2);
  }
  return out;
}

std::string audit_text(const AuditReport& report, const AuditStyle& style) {
  std::string out = detail::bold(style.colour, "Audit of settings") + "\n";
  for (const std::string& group : groups_of(report)) out += table_of(report, group, style) + "\n";
  out += "  Weakest setting that keeps the rule\n" + weakest_text(report, style);
  const std::string stories = stories_of(report, style);
  if (!stories.empty()) out += "\n" + stories;
  for (const std::string& trouble : report.troubles)
    out += text::wrapped("trouble: " + text::printable(trouble), style.width, 2, 2);
  return out + "\n";
}

}  // namespace assay
