// What TerminalReport says of a run of several drivers.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "harness/contract/version.h"
#include "reports/detail/telling.h"
#include "reports/detail/verdict_table.h"
#include "reports/terminal.h"
#include "reports/text.h"

namespace assay {

using text::duration_text;
using text::grouped;
using text::plural;

void TerminalReport::begins_all(const CertifyOptions& run,
                                const std::vector<std::string>& drivers) {
  time_limit_seconds_ = time_limit_seconds(run);
  if (options_.quiet) return;
  out_ << detail::bold(options_.colour, fmt::format("assay {} certify all", version())) << "\n"
       << "  profile  " << text::printable(title(run.profile)) << "\n"
       << "  level    " << name_of(run.level) << "\n"
       << "  seed     " << run.seed << "\n"
       << "  options  " << detail::limits_of(run) << " a driver and as much to compare them, "
       << plural(static_cast<std::uint64_t>(run.jobs.value_or(1)), "job") << "\n";
  if (!run.rules.empty())
    out_ << "  only     " << text::printable(text::joined(run.rules, " ")) << "\n";
  for (std::size_t i = 0; i < drivers.size(); ++i)
    out_ << (i == 0 ? "  drivers  " : "           ") << text::printable(drivers[i]) << "\n";
  if (!run.network.empty()) out_ << "  network  " << text::printable(run.network) << "\n";
  if (!options_.folder.empty()) out_ << "  files    " << options_.folder << "/\n";
  out_ << "\n" << std::flush;
}

void TerminalReport::turns_to(const std::string& what) {
  working_at_ = what;
  last_drawn_seconds_ = -1;
}

void TerminalReport::skips(const SkippedDriver& skipped) {
  constexpr std::size_t indent = 13;
  clear_line();
  if (!options_.quiet)
    out_ << fmt::format("  {:<10} {}", text::printable(skipped.driver),
                        text::wrapped("skipped: " + text::printable(skipped.reason),
                                      options_.width, indent, 0)
                            .substr(indent))
         << std::flush;
}

void TerminalReport::ends(const Report& report) {
  clear_line();
  if (!options_.quiet)
    out_ << fmt::format("  {:<10} {}, {}\n", text::printable(report.driver),
                        report.certified
                            ? detail::painted(options_.colour, Verdict::pass, "CERTIFIED")
                            : detail::painted(options_.colour, Verdict::fail, "NOT CERTIFIED"),
                        fmt::format("{} operations, {}", grouped(report.operations),
                                    duration_text(report.seconds)))
         << std::flush;
}

void TerminalReport::ends(const LikenessReport& report) {
  clear_line();
  const Verdict verdict = report.rule.verdict;
  if (!options_.quiet)
    out_ << fmt::format("  {:<10} {} {}, {} compared in {}, {}\n", "alike",
                        detail::painted(options_.colour, verdict, name_of(verdict)), report.rule.id,
                        plural(report.answers, "answer"), plural(report.plans, "plan"),
                        duration_text(report.seconds))
         << std::flush;
}

// The rules of one family: how many pass, or how many of them have the worst verdict.
static std::string cell_of(const Report& report, std::string_view family, const Verdict*& worst) {
  std::size_t claimed = 0;
  std::vector<Verdict> verdicts;
  for (const RuleReport& rule : report.rules)
    if (family_of(rule.id) == family) {
      verdicts.push_back(rule.verdict);
      claimed += rule.verdict != Verdict::not_applicable ? 1 : 0;
    }
  for (const Verdict& verdict : detail::by_severity) {
    const auto count = std::ranges::count(verdicts, verdict);
    if (count == 0) continue;
    worst = &verdict;
    const bool all =
        verdict == Verdict::not_applicable || static_cast<std::size_t>(count) == claimed;
    return all ? fmt::format("{} {}", count, name_of(verdict))
               : fmt::format("{} {} of {}", count, name_of(verdict), claimed);
  }
  return "-";
}

static std::vector<std::string> families_of(const AllReport& report) {
  std::vector<std::string> families;
  for (const Rule& rule : rules())
    for (const Report& driver : report.drivers)
      if (std::ranges::find(driver.rules, rule.id, &RuleReport::id) != driver.rules.end() &&
          std::ranges::find(families, family_of(rule.id)) == families.end())
        families.emplace_back(family_of(rule.id));
  return families;
}

static std::string table_of(const AllReport& report, bool colour) {
  std::string out = fmt::format("  {:<9}", "");
  for (const Report& driver : report.drivers)
    out += fmt::format("  {:<18}", text::cut(text::printable(driver.driver), 18));
  out += "\n";
  for (const std::string& family : families_of(report)) {
    out += fmt::format("  {:<9}", family);
    for (const Report& driver : report.drivers) {
      const Verdict* worst = nullptr;
      const std::string cell = cell_of(driver, family, worst);
      const std::string padding(cell.size() < 18 ? 18 - cell.size() : 0, ' ');
      out += "  " + (worst ? detail::painted(colour, *worst, cell) : cell) + padding;
    }
    out += "\n";
  }
  std::string trimmed;
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = out.find('\n', at);
    std::string line = out.substr(at, end - at);
    line.erase(line.find_last_not_of(' ') + 1);
    trimmed += line + "\n";
    at = end + 1;
  }
  return trimmed;
}

static bool is_finding(Verdict verdict) {
  return verdict != Verdict::pass && verdict != Verdict::not_applicable &&
         verdict != Verdict::waived && verdict != Verdict::fail;
}

// What did not pass and is no FAIL, by reason.
static std::string others_of(const Report& report, std::size_t width) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const RuleReport& rule : report.rules) {
    if (!is_finding(rule.verdict) || report.unusable) continue;
    const std::string why = fmt::format("{}: {}", name_of(rule.verdict), rule.reason);
    auto at = std::ranges::find(groups, why, &decltype(groups)::value_type::first);
    if (at == groups.end()) at = groups.insert(at, {why, {}});
    at->second.push_back(rule.id);
  }
  std::string out;
  for (const auto& [why, ids] : groups)
    out += text::wrapped(fmt::format("{} {}", text::printable(report.driver), text::printable(why)),
                         width, 2, 2) +
           text::wrapped(text::joined(ids, " "), width, 4, 0);
  return out;
}

static std::string but_for(const std::vector<SkippedDriver>& skipped) {
  std::vector<std::string> names;
  for (const SkippedDriver& one : skipped) names.push_back(text::printable(one.driver));
  return names.empty() ? "" : fmt::format("; skipped: {}", text::joined(names, ", "));
}

static std::string closing(const AllReport& report, bool colour) {
  if (report.certified && report.drivers.empty())
    return fmt::format("{}: {} are alike under {} in what the contract fixes{}\n",
                       detail::painted(colour, Verdict::pass, "PASS"),
                       text::printable(text::joined(report.likeness->drivers, ", ")),
                       text::printable(title(report.profile)), but_for(report.skipped));
  if (report.certified)
    return fmt::format("{}: {} under {} at level {}{}",
                       detail::painted(colour, Verdict::pass, "CERTIFIED"),
                       plural(report.drivers.size(), "driver"),
                       text::printable(title(report.profile)), name_of(report.level),
                       report.likeness ? ", and alike in what the contract fixes"
                                       : "; only the selected rules were tested") +
           but_for(report.skipped) + "\n";
  std::vector<std::string> parts;
  for (const Report& driver : report.drivers)
    if (!driver.certified)
      parts.push_back(fmt::format("{}: {}", driver.driver, detail::why_not(driver)));
  if (report.likeness && report.likeness->rule.verdict != Verdict::pass)
    parts.push_back(
        fmt::format("{} {}", name_of(report.likeness->rule.verdict), report.likeness->rule.id));
  else if (report.likeness && report.likeness->partial)
    parts.push_back("stopped before the end");
  if (!report.troubles.empty()) parts.push_back(plural(report.troubles.size(), "trouble"));
  return fmt::format("{}: {}\n", detail::painted(colour, Verdict::fail, "NOT CERTIFIED"),
                     text::printable(text::joined(parts, "; ")));
}

void TerminalReport::tell(const AllReport& report) {
  clear_line();
  std::vector<const RuleReport*> failures;
  for (const Report& driver : report.drivers)
    for (const RuleReport& rule : driver.rules)
      if (rule.verdict == Verdict::fail) failures.push_back(&rule);
  const RuleReport* alike = report.likeness ? &report.likeness->rule : nullptr;
  if (alike && alike->verdict == Verdict::fail) failures.push_back(alike);

  if (!options_.quiet) {
    if (!report.drivers.empty())
      out_ << "\n"
           << detail::bold(options_.colour, "Verdicts") << "\n"
           << table_of(report, options_.colour);
    out_ << "\n";
    for (const Report& driver : report.drivers) {
      out_ << others_of(driver, options_.width);
      for (const RuleReport& rule : driver.rules)
        if (rule.verdict == Verdict::fail)
          out_ << fmt::format("on {}\n", text::printable(driver.driver))
               << detail::failure_text(rule, driver.rules, options_);
    }
    if (alike && alike->verdict == Verdict::fail)
      out_ << detail::failure_text(*alike, {alike, 1}, options_);
    else if (alike && alike->verdict != Verdict::pass)
      out_ << text::wrapped(fmt::format("{} {}: {}", alike->id, name_of(alike->verdict),
                                        text::printable(alike->reason)),
                            options_.width, 2, 2);
  }
  for (const Report& driver : report.drivers) {
    for (const std::string& trouble : driver.driver_troubles)
      out_ << fmt::format("ERROR of {}: {}\n", driver.driver, text::printable(trouble));
    for (const std::string& trouble : driver.troubles)
      out_ << fmt::format("trouble with {}: {}\n", driver.driver, text::printable(trouble));
  }
  if (report.likeness)
    for (const std::string& trouble : report.likeness->troubles)
      out_ << "trouble: " << text::printable(trouble) << "\n";
  for (const std::string& trouble : report.troubles)
    out_ << "trouble: " << text::printable(trouble) << "\n";
  out_ << closing(report, options_.colour);
  if (!failures.empty() && !failures.front()->token.empty())
    out_ << shell_quoted(options_.program) << " replay " << shell_quoted(failures.front()->token)
         << options_.replay_options << "\n";
  out_ << std::flush;
}

}  // namespace assay
