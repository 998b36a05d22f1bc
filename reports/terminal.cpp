#include "reports/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "harness/backend/url.h"
#include "harness/contract/version.h"
#include "reports/detail/verdict_table.h"
#include "reports/text.h"

namespace assay {

using text::duration_text;
using text::grouped;
using text::plural;

TerminalReport::TerminalReport(std::ostream& out, std::ostream& err, TerminalOptions options)
    : out_(out), err_(err), options_(std::move(options)) {}

static std::string limits_of(const CertifyOptions& run) {
  const std::string cases = run.cases ? plural(*run.cases, "generated plan") : "";
  if (run.cases && !run.budget_seconds) return cases;
  const std::string budget = fmt::format("budget {}", duration_text(time_limit_seconds(run)));
  return run.cases ? fmt::format("at most {}, {}", cases, budget) : budget;
}

void TerminalReport::begins(const CertifyOptions& run, std::size_t rules, std::size_t scenarios) {
  time_limit_seconds_ = time_limit_seconds(run);
  filtered_ = !run.rules.empty();
  if (options_.quiet) return;
  out_ << detail::bold(options_.colour,
                       fmt::format("assay {} certify {}", version(), text::printable(run.driver)))
       << "\n"
       << "  profile  " << text::printable(title(run.profile)) << "\n"
       << "  level    " << name_of(run.level) << "\n"
       << "  seed     " << run.seed << "\n"
       << "  options  " << limits_of(run) << ", "
       << plural(static_cast<std::uint64_t>(run.jobs), "job") << ", at most "
       << grouped(static_cast<std::uint64_t>(run.shrink_runs)) << " runs to shrink a failure"
       << (run.fail_fast ? ", stop at the first failure" : "") << "\n";
  if (filtered_) out_ << "  only     " << text::printable(text::joined(run.rules, " ")) << "\n";
  if (!run.backend.empty())
    out_ << "  backend  " << text::printable(run.backend) << "\n";
  else if (run.driver_url)
    out_ << "  url      " << text::printable(without_password(*run.driver_url)) << "\n";
  out_ << "  testing  " << plural(rules, "rule") << " by " << plural(scenarios, "scenario")
       << " and generated plans\n";
  if (!options_.folder.empty()) out_ << "  files    " << options_.folder << "/\n";
  out_ << "\n" << std::flush;
}

void TerminalReport::clear_line() {
  if (drawn_) err_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

void TerminalReport::draw(const std::string& line) {
  if (options_.live) {
    err_ << "\r\x1b[K" << text::cut(line, options_.width - 1) << std::flush;
    drawn_ = true;
  } else {
    err_ << line << "\n" << std::flush;
  }
}

static double seconds_left(std::uint64_t done, std::optional<std::uint64_t> of, double seconds,
                           double time_limit) {
  const double until_limit = std::max(0.0, time_limit - seconds);
  if (!of) return until_limit;
  if (done == 0) return 0;
  const double each = seconds / static_cast<double>(done);
  return *of > done ? std::min(until_limit, each * static_cast<double>(*of - done)) : 0.0;
}

static std::string bar(double share) {
  constexpr std::size_t width = 24;
  const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * width);
  return "[" + std::string(filled, '#') + std::string(width - filled, '.') + "]";
}

void TerminalReport::progress(std::uint64_t cases_done, std::optional<std::uint64_t> of,
                              double seconds, std::size_t convicted) {
  if (options_.quiet || (!options_.live && !options_.progress)) return;
  const double pause = options_.live ? 0.1 : 10;
  const double since = last_drawn_seconds_ < 0 && options_.live
                           ? pause
                           : seconds - std::max(0.0, last_drawn_seconds_);
  if (since < pause) return;
  last_drawn_seconds_ = seconds;
  const double left = seconds_left(cases_done, of, seconds, time_limit_seconds_);
  const std::string counts =
      fmt::format("{}{}, {} convicted, {} left", plural(cases_done, "plan"),
                  of ? fmt::format(" of {}", grouped(*of)) : "", convicted, duration_text(left));
  draw(options_.live ? fmt::format("  {} {}", bar(seconds / std::max(1e-9, seconds + left)), counts)
                     : fmt::format("{}: {}", duration_text(seconds), counts));
}

void TerminalReport::shrinking(const std::string& rule) {
  if (!options_.quiet && options_.live)
    draw(fmt::format("  {} is broken; making the plan smaller ...", rule));
}

void TerminalReport::convicted(const RuleReport& rule) {
  if (options_.quiet || (!options_.live && !options_.progress)) return;
  clear_line();
  err_ << text::cut(fmt::format("FAIL {}: {}", rule.id, text::printable(rule.reason)),
                    options_.width)
       << "\n"
       << std::flush;
}

static std::string why_not(const Report& report) {
  std::vector<std::string> parts;
  for (const Verdict verdict : detail::by_severity) {
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

static std::string closing_line(const Report& report, bool filtered, bool colour) {
  const auto passed = std::count_if(report.rules.begin(), report.rules.end(),
                                    [](const RuleReport& r) { return r.verdict == Verdict::pass; });
  const std::string who =
      fmt::format("{} under {} at level {}", text::printable(report.driver),
                  text::printable(title(report.profile)), name_of(report.level));
  if (report.certified)
    return fmt::format("{}: {}: {} PASS{}\n", detail::painted(colour, Verdict::pass, "CERTIFIED"),
                       who, plural(static_cast<std::uint64_t>(passed), "rule"),
                       filtered ? "; only the selected rules were tested" : "");
  return fmt::format("{}: {}: {}\n", detail::painted(colour, Verdict::fail, "NOT CERTIFIED"), who,
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
static std::string story_text(const RuleReport& rule, const Report& report, std::size_t width) {
  const auto [steps, why] = parts_of(rule);
  const auto first = std::ranges::find_if(report.rules, [&](const RuleReport& other) {
    return other.verdict == Verdict::fail && parts_of(other).steps == steps;
  });
  std::string out = first->id == rule.id || why.empty()
                        ? text::wrapped(text::printable(steps), width, 2, 3)
                        : fmt::format("  the same steps as for {}\n", first->id);
  if (!why.empty()) out += "\n" + text::wrapped(text::printable(why), width, 2, 0);
  return out;
}

static std::string failure_text(const RuleReport& rule, const Report& report,
                                const TerminalOptions& options) {
  const Rule* known = find_rule(rule.id);
  std::string out = detail::painted(options.colour, Verdict::fail, "FAIL") + " " +
                    detail::bold(options.colour, rule.id);
  out += known ? fmt::format(": {}\n", known->promise) : "\n";
  if (!rule.reason.empty()) out += text::wrapped(text::printable(rule.reason), options.width, 2, 2);
  out += story_text(rule, report, options.width);
  if (!rule.history_file.empty()) out += "  history  " + rule.history_file + "\n";
  if (!rule.token.empty()) out += "  token    " + rule.token + "\n";
  return out + "\n";
}

void TerminalReport::tell(const Report& report) {
  clear_line();
  const detail::TableStyle style{options_.colour, options_.verbose, options_.width};
  const RuleReport* first_failure = nullptr;
  for (const RuleReport& rule : report.rules)
    if (rule.verdict == Verdict::fail && !first_failure) first_failure = &rule;

  if (!options_.quiet) {
    out_ << detail::bold(options_.colour, "Verdicts") << "\n"
         << detail::verdict_table(report, style) << "\n";
    const std::string others = detail::not_tested_table(report, style);
    if (!others.empty())
      out_ << detail::bold(options_.colour, "Not tested") << "\n" << others << "\n";
    for (const RuleReport& rule : report.rules)
      if (rule.verdict == Verdict::fail) out_ << failure_text(rule, report, options_);
    out_ << grouped(report.operations) << " operations in " << plural(report.scenarios, "scenario")
         << " and " << plural(report.generated, "generated plan") << ", "
         << duration_text(report.seconds) << "\n";
  }
  for (const std::string& trouble : report.driver_troubles)
    out_ << "ERROR of the driver: " << text::printable(trouble) << "\n";
  for (const std::string& trouble : report.troubles)
    out_ << "trouble: " << text::printable(trouble) << "\n";
  out_ << closing_line(report, filtered_, options_.colour);
  if (first_failure && !first_failure->token.empty())
    out_ << shell_quoted(options_.program) << " replay " << shell_quoted(first_failure->token)
         << options_.replay_options << "\n";
  out_ << std::flush;
}

std::string shell_quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./=:,+@%").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace assay
