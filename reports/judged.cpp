#include "reports/judged.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/detail/verdict_table.h"
#include "reports/picture.h"
#include "reports/text.h"

namespace assay {

using Json = nlohmann::ordered_json;
using text::grouped;
using text::plural;

static std::vector<std::string> ids_of(const JudgedReport& report, Verdict verdict) {
  std::vector<std::string> ids;
  for (const JudgedRule& rule : report.rules)
    if (rule.verdict == verdict) ids.push_back(rule.id);
  return ids;
}

static bool has_gap(const JudgedReport& report) {
  return std::ranges::any_of(report.notes, &HistoryNote::gap);
}

static bool is_anything_triggered(const JudgedReport& report) {
  return std::ranges::any_of(report.rules, [](const auto& r) { return r.tally.triggered > 0; });
}

int exit_status_of(const JudgedReport& report) {
  if (!ids_of(report, Verdict::fail).empty()) return 1;
  if (report.trouble) return 3;
  if (report.undecided > 0 || has_gap(report) || !is_anything_triggered(report)) return 2;
  const auto is_open = [](const auto& r) {
    return r.verdict == Verdict::vacuous || r.verdict == Verdict::missing;
  };
  return report.strict && std::ranges::any_of(report.rules, is_open) ? 2 : 0;
}

namespace {

class Telling {
 public:
  Telling(const JudgedReport& report, const JudgedStyle& style) : report_(report), style_(style) {}

  std::string all() const {
    if (style_.quiet) return closing();
    std::string out = head() + "\n" + bold("Verdicts") + "\n";
    for (const Verdict verdict : {Verdict::fail, Verdict::inconclusive, Verdict::pass})
      for (const JudgedRule& rule : report_.rules)
        if (rule.verdict == verdict) out += line_of(rule);
    out += named_only(Verdict::vacuous, "never triggered") +
           named_only(Verdict::missing, "not judged yet") + not_tested() + "\n" + failures();
    for (const HistoryNote& note : report_.notes) out += in_words(note);
    return out + closing();
  }

 private:
  std::string bold(std::string_view text) const { return detail::bold(style_.colour, text); }

  std::string head() const {
    std::string out = bold(fmt::format("assay {} judge {}", report_.assay_version, file())) + "\n";
    if (!report_.driver.empty())
      out += fmt::format("  driver   {}\n", text::printable(report_.driver));
    return out + fmt::format("  profile  {}\n  history  {}: {} of {}, {} with an unknown outcome\n",
                             text::printable(title(report_.profile)),
                             plural(report_.events, "event"),
                             plural(report_.operations, "operation"),
                             plural(report_.clients, "client"), grouped(report_.unknown_outcomes));
  }

  std::string file() const { return report_.file == "-" ? "stdin" : text::printable(report_.file); }

  std::string line_of(const JudgedRule& rule) const {
    const Rule* known = find_rule(rule.id);
    const std::string times =
        rule.verdict == Verdict::fail
            ? fmt::format("{} of {}", grouped(rule.tally.convicted), grouped(rule.tally.triggered))
            : grouped(rule.tally.triggered);
    const std::string name(name_of(rule.verdict));
    const std::string line = text::cut(fmt::format("  {:<12}  {:<10}  {:>12}  {}", name, rule.id,
                                                   times, known ? known->promise : ""),
                                       style_.width);
    return "  " + detail::painted(style_.colour, rule.verdict, name) +
           line.substr(2 + name.size()) + "\n";
  }

  std::string named_only(Verdict verdict, std::string_view why) const {
    const std::vector<std::string> ids = ids_of(report_, verdict);
    if (ids.empty()) return "";
    return fmt::format("  {}  {}, {}:\n", painted(verdict, fmt::format("{:<12}", name_of(verdict))),
                       plural(ids.size(), "rule"), why) +
           text::wrapped(text::joined(ids, " "), style_.width, 4, 0);
  }

  std::string not_tested() const {
    if (report_.not_tested.empty()) return "";
    return fmt::format(
        "  {} not judged: not claimed, not selected or not a driver's; --json says "
        "which\n",
        plural(report_.not_tested.size(), "other rule"));
  }

  // Steps that several rules share are told once.
  std::string failures() const {
    std::string out;
    const std::vector<std::string>* last = nullptr;
    for (const ToldFinding& each : report_.findings) {
      out += failure(each, last && *last == each.steps);
      last = &each.steps;
    }
    return out;
  }

  std::string failure(const ToldFinding& each, bool is_told) const {
    const Rule* known = find_rule(each.finding.rule);
    const auto rule = std::ranges::find(report_.rules, each.finding.rule, &JudgedRule::id);
    std::string out =
        text::wrapped(fmt::format("FAIL {}: {}", each.finding.rule, known ? known->promise : ""),
                      style_.width, 0, 2);
    out.replace(0, 4, painted(Verdict::fail, "FAIL"));
    if (!is_told && !each.steps.empty()) {
      for (const std::string& step : each.steps)
        out += text::wrapped(text::printable(step), style_.width, 2, 3);
      out += picture_text(each.lanes, style_.width) + "\n";
    }
    out += text::wrapped(text::printable(each.story), style_.width, 2, 0);
    if (rule != report_.rules.end() && rule->tally.convicted > 1)
      out += fmt::format("  (the first of {})\n", grouped(rule->tally.convicted));
    return out + "\n";
  }

  static std::string in_words(const HistoryNote& note) {
    return fmt::format("line {}: {}{}\n", note.line, text::printable(note.what),
                       note.count > 1 ? fmt::format(" ({} such lines)", grouped(note.count)) : "");
  }

  std::string why_open() const {
    std::vector<std::string> why;
    if (report_.trouble) why.push_back(text::printable(*report_.trouble));
    if (report_.undecided > 0)
      why.push_back(fmt::format("the calls of {} have too many possible orders to be searched",
                                plural(report_.undecided, "job")));
    if (has_gap(report_)) why.push_back("the history does not tell everything that happened");
    if (!is_anything_triggered(report_)) why.push_back("no rule was triggered");
    return text::joined(why, "; ");
  }

  std::string closing() const {
    const auto failed = ids_of(report_, Verdict::fail);
    const auto held = ids_of(report_, Verdict::pass).size();
    const auto vacuous = ids_of(report_, Verdict::vacuous).size();
    const std::string where =
        fmt::format("{} under {}{}: ", file(), text::printable(title(report_.profile)),
                    report_.filtered ? " (selected rules)" : "");
    const std::string seen = fmt::format(
        "{}, {} never triggered",
        plural(held, held == 1 ? "rule holds" : "rule").append(held == 1 ? "" : " hold"),
        grouped(vacuous));
    const std::string open = why_open();
    if (!failed.empty())
      return painted(Verdict::fail, "CONVICTED") +
             fmt::format(": {}{} FAIL ({}); {}{}\n", where, failed.size(),
                         text::joined(failed, " "), seen, open.empty() ? "" : "; but " + open);
    if (report_.trouble) return fmt::format("TROUBLE: {}{}\n", where, open);
    if (!open.empty())
      return painted(Verdict::inconclusive, "INCONCLUSIVE") +
             fmt::format(": {}{}; {}\n", where, open, seen);
    return painted(Verdict::pass, "HOLDS") + fmt::format(": {}{}\n", where, seen);
  }

  std::string painted(Verdict verdict, std::string_view text) const {
    return detail::painted(style_.colour, verdict, text);
  }

  const JudgedReport& report_;
  const JudgedStyle& style_;
};

}  // namespace

std::string judged_text(const JudgedReport& report, const JudgedStyle& style) {
  return Telling(report, style).all();
}

std::string judged_json(const JudgedReport& report) {
  Json rules = Json::array(), notes = Json::array(), findings = Json::array(),
       others = Json::array();
  for (const JudgedRule& rule : report.rules)
    rules.push_back({{"id", rule.id},
                     {"verdict", name_of(rule.verdict)},
                     {"triggered", rule.tally.triggered},
                     {"convicted", rule.tally.convicted}});
  for (const HistoryNote& note : report.notes)
    notes.push_back(
        {{"line", note.line}, {"what", note.what}, {"count", note.count}, {"gap", note.gap}});
  for (const ToldFinding& each : report.findings)
    findings.push_back(
        {{"rule", each.finding.rule},
         {"ops", each.finding.ops},
         {"steps", each.steps},
         {"story", each.story},
         {"lanes", each.steps.empty() ? Json() : Json::parse(picture_json(each.lanes))}});
  for (const NotTested& other : report.not_tested)
    others.push_back({{"id", other.id}, {"reason", other.reason}});
  Json all{{"schema", 1},
           {"assay", report.assay_version},
           {"file", report.file},
           {"driver", report.driver},
           {"profile", title(report.profile)},
           {"events", report.events},
           {"operations", report.operations},
           {"clients", report.clients},
           {"unknown_outcomes", report.unknown_outcomes},
           {"undecided", report.undecided},
           {"rules", rules},
           {"not_judged", others},
           {"findings", findings},
           {"notes", notes},
           {"trouble", report.trouble ? Json(*report.trouble) : Json(nullptr)},
           {"exit_status", exit_status_of(report)}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace assay
