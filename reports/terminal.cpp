#include "reports/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "harness/backend/url.h"
#include "harness/contract/version.h"
#include "reports/audit.h"
#include "reports/detail/telling.h"
#include "reports/detail/verdict_table.h"
#include "reports/text.h"

namespace assay {

using text::duration_text;
using text::grouped;
using text::plural;

TerminalReport::TerminalReport(std::ostream& out, std::ostream& err, TerminalOptions options)
    : out_(out), err_(err), options_(std::move(options)) {}

void TerminalReport::begins(const CertifyOptions& run, std::size_t rules, std::size_t scenarios) {
  time_limit_seconds_ = time_limit_seconds(run);
  filtered_ = !run.rules.empty();
  if (options_.quiet || !working_at_.empty()) return;
  out_ << detail::bold(options_.colour,
                       fmt::format("assay {} certify {}", version(), text::printable(run.driver)))
       << "\n"
       << "  profile  " << text::printable(title(run.profile)) << "\n"
       << "  level    " << name_of(run.level) << "\n"
       << "  seed     " << run.seed << "\n"
       << "  options  " << detail::limits_of(run) << ", "
       << plural(static_cast<std::uint64_t>(run.jobs.value_or(1)), "job") << ", at most "
       << grouped(static_cast<std::uint64_t>(run.shrink_runs)) << " runs to shrink a failure"
       << (run.fail_fast ? ", stop at the first failure" : "") << "\n";
  if (filtered_) out_ << "  only     " << text::printable(text::joined(run.rules, " ")) << "\n";
  if (!run.backend.empty())
    out_ << "  backend  " << text::printable(run.backend) << "\n";
  else if (run.driver_url)
    out_ << "  url      " << text::printable(without_password(*run.driver_url)) << "\n";
  if (!run.network.empty()) out_ << "  network  " << text::printable(run.network) << "\n";
  if (!run.faults.empty()) out_ << "  faults   " << text::joined(run.faults, " ") << "\n";
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
  so_far_ = {cases_done, of, seconds, convicted};
  if (options_.quiet || (!options_.live && !options_.progress)) return;
  const double pause = options_.live ? 0.1 : 10;
  const double since = last_drawn_seconds_ < 0 && options_.live
                           ? pause
                           : seconds - std::max(0.0, last_drawn_seconds_);
  if (since < pause) return;
  last_drawn_seconds_ = seconds;
  draw_progress();
}

void TerminalReport::draw_progress() {
  const auto& [cases_done, of, seconds, convicted] = so_far_;
  const double left = seconds_left(cases_done, of, seconds, time_limit_seconds_);
  const std::string counts =
      fmt::format("{}{}{}, {} convicted, {} left{}", working_at_.empty() ? "" : working_at_ + ": ",
                  plural(cases_done, "plan"), of ? fmt::format(" of {}", grouped(*of)) : "",
                  convicted, duration_text(left), going_on_.text());
  draw(options_.live ? fmt::format("  {} {}", bar(seconds / std::max(1e-9, seconds + left)), counts)
                     : fmt::format("{}: {}", duration_text(seconds), counts));
}

// On a terminal at once: a case with faults may take seconds.
void TerminalReport::fault(const FaultEvent& event) {
  going_on_.hear(event);
  if (options_.live && !options_.quiet) draw_progress();
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

void TerminalReport::tell(const Report& report) {
  clear_line();
  const detail::TableStyle style{options_.colour, options_.verbose, options_.width};
  const RuleReport* first_failure = nullptr;
  for (const RuleReport& rule : report.rules)
    if (rule.verdict == Verdict::fail && !first_failure) first_failure = &rule;

  if (!options_.quiet && !report.unusable) {
    out_ << detail::bold(options_.colour, "Verdicts") << "\n"
         << detail::verdict_table(report, style) << "\n";
    const std::string others = detail::not_tested_table(report, style);
    if (!others.empty())
      out_ << detail::bold(options_.colour, "Not tested") << "\n" << others << "\n";
    for (const RuleReport& rule : report.rules)
      if (rule.verdict == Verdict::fail) out_ << detail::failure_text(rule, report.rules, options_);
    if (!report.faults.empty())
      out_ << detail::bold(options_.colour, "Faults") << "\n"
           << fault_lines(report.faults, options_.width) << "\n";
    out_ << grouped(report.operations) << " operations in " << plural(report.scenarios, "scenario")
         << " and " << plural(report.generated, "generated plan") << ", "
         << duration_text(report.seconds) << "\n";
  }
  if (report.durability && !options_.quiet && !report.unusable) {
    out_ << text::wrapped("durability: " + shown(*report.durability), options_.width, 0, 2);
    for (const std::string& reason : not_shown(*report.durability))
      out_ << text::wrapped(text::printable(reason), options_.width, 2, 2);
  }
  for (const std::string& remark : report.remarks)
    out_ << text::wrapped("note: " + text::printable(remark), options_.width, 0, 2);
  for (const std::string& trouble : report.driver_troubles)
    out_ << "ERROR of the driver: " << text::printable(trouble) << "\n";
  for (const std::string& trouble : report.troubles)
    out_ << "trouble: " << text::printable(trouble) << "\n";
  out_ << detail::closing_line(report, filtered_, options_.colour);
  if (first_failure && !first_failure->token.empty())
    out_ << shell_quoted(options_.program) << " replay " << shell_quoted(first_failure->token)
         << options_.replay_options << "\n";
  out_ << std::flush;
}

void TerminalReport::tell(const AuditReport& report) {
  clear_line();
  if (options_.quiet) return;
  out_ << audit_text(report, {options_.colour, options_.verbose, options_.width});
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

std::string fault_lines(std::span<const FaultTally> faults, std::size_t width) {
  std::string out;
  for (const FaultTally& tally : faults) {
    std::string line = fmt::format("{:<14} {} planned, {} begun, {} proven", tally.fault,
                                   text::grouped(tally.planned), text::grouped(tally.begun),
                                   text::grouped(tally.proven));
    if (tally.unmet > 0) line += fmt::format(", {} met nobody", text::grouped(tally.unmet));
    if (tally.in_flight > 0)
      line += fmt::format(", {} calls in flight", text::grouped(tally.in_flight));
    const std::string& told = tally.why_not.empty() ? tally.proof : tally.why_not;
    if (!told.empty()) line += ": " + text::printable(told);
    out += text::wrapped(line, width, 2, 4);
  }
  return out;
}

}  // namespace assay
