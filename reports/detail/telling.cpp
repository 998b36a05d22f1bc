#include "reports/detail/telling.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/detail/verdict_table.h"
#include "reports/picture.h"
#include "reports/text.h"

namespace assay::detail {

using text::duration_text;
using text::plural;

std::string limits_of(const CertifyOptions& run) {
  const std::string cases = run.cases ? plural(*run.cases, "generated plan") : "";
  if (run.cases && !run.budget_seconds) return cases;
  const std::string budget = fmt::format("budget {}", duration_text(time_limit_seconds(run)));
  return run.cases ? fmt::format("at most {}, {}", cases, budget) : budget;
}

static std::uint64_t rules_in_error(const Report& report) {
  return static_cast<std::uint64_t>(
      std::ranges::count(report.rules, Verdict::error, &RuleReport::verdict));
}

std::string why_not(const Report& report) {
  std::vector<std::string> parts;
  if (report.unusable)
    parts.push_back(fmt::format("{} not run", plural(rules_in_error(report), "rule")));
  for (const Verdict verdict : by_severity) {
    if (report.unusable && verdict == Verdict::error) continue;
    if (verdict == Verdict::pass || verdict == Verdict::waived ||
        verdict == Verdict::not_applicable)
      continue;
    std::vector<std::string> ids;
    for (const RuleReport& rule : report.rules)
      if (rule.verdict == verdict) ids.push_back(rule.id);
    if (ids.empty()) continue;
    const std::size_t count = ids.size();
    if (count > 6) {
      ids.resize(5);
      ids.push_back("...");
    }
    parts.push_back(fmt::format("{} {} ({})", count, name_of(verdict), text::joined(ids, " ")));
  }
  if (!report.canary_convicted) parts.push_back("the canary was not convicted, so the run is void");
  if (report.partial) parts.push_back("stopped before the end");
  if (!report.troubles.empty()) parts.push_back(plural(report.troubles.size(), "trouble"));
  const std::size_t breaks = report.driver_troubles.size();
  if (parts.empty() && breaks > 0) parts.push_back(plural(breaks, "ERROR") + " of the driver");
  return parts.empty() ? "no rule was tested" : text::joined(parts, "; ");
}

std::string closing_line(const Report& report, bool filtered, bool colour) {
  const auto passed = std::count_if(report.rules.begin(), report.rules.end(),
                                    [](const RuleReport& r) { return r.verdict == Verdict::pass; });
  const std::string engine =
      report.engine.empty() ? "" : fmt::format("engine {} on ", text::printable(report.engine));
  const std::string who =
      fmt::format("{}{} under {} at level {}{}", engine, text::printable(report.driver),
                  text::printable(title(report.profile)), name_of(report.level),
                  report.profile.in_real_time() ? " in real time" : "");
  if (report.certified)
    return fmt::format("{}: {}: {} PASS{}\n", painted(colour, Verdict::pass, "CERTIFIED"), who,
                       plural(static_cast<std::uint64_t>(passed), "rule"),
                       filtered ? "; only the selected rules were tested" : "");
  return fmt::format("{}: {}: {}\n", painted(colour, Verdict::fail, "NOT CERTIFIED"), who,
                     text::printable(why_not(report)));
}

struct Story {
  std::string_view steps;
  std::string_view why;
};

static Story parts_of(const RuleReport& rule) {
  const std::string_view story = rule.story;
  const std::size_t gap = story.rfind("\n\n");
  if (gap == std::string_view::npos) return {story, ""};
  return {story.substr(0, gap), story.substr(gap + 2)};
}

// One bug often breaks several rules in the same few steps: they are told once.
static std::string story_text(const RuleReport& rule, std::span<const RuleReport> rules,
                              std::size_t width) {
  const auto [steps, why] = parts_of(rule);
  const auto first = std::ranges::find_if(rules, [&](const RuleReport& other) {
    return other.verdict == Verdict::fail && parts_of(other).steps == steps;
  });
  const bool is_told = first->id != rule.id && !why.empty();
  std::string out = is_told ? fmt::format("  the same steps as for {}\n", first->id)
                            : text::wrapped(text::printable(steps), width, 2, 3);
  if (!is_told && rule.history) out += picture_text(lanes_of(*rule.history, rule.witness), width);
  if (!why.empty()) out += "\n" + text::wrapped(text::printable(why), width, 2, 0);
  return out;
}

std::string failure_text(const RuleReport& rule, std::span<const RuleReport> rules,
                         const TerminalOptions& options) {
  const Rule* known = find_rule(rule.id);
  std::string out =
      painted(options.colour, Verdict::fail, "FAIL") + " " + bold(options.colour, rule.id);
  out += known ? fmt::format(": {}\n", known->promise) : "\n";
  if (!rule.reason.empty()) out += text::wrapped(text::printable(rule.reason), options.width, 2, 2);
  out += story_text(rule, rules, options.width);
  if (!rule.history_file.empty()) out += "  history  " + rule.history_file + "\n";
  if (!rule.tier.empty()) out += "  replay   " + rule.tier + "\n";
  if (!rule.token.empty()) out += "  token    " + rule.token + "\n";
  return out + "\n";
}

}  // namespace assay::detail
