#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "harness/cli/catalogue.h"
#include "harness/cli/commands.h"
#include "harness/cli/usage.h"
#include "harness/contract/version.h"
#include "harness/history/read_ahead.h"
#include "harness/plan/story.h"
#include "properties/all.h"
#include "reports/judged.h"

namespace assay::cli {

namespace {

// Counts what goes by.
struct Passed {
  std::uint64_t events = 0, operations = 0;
  std::optional<Instant> start;
  bool has_engine = false;  // at work

  void count(const Event& event) {
    ++events;
    has_engine = has_engine || std::holds_alternative<EngineEvent>(event);
    const auto* call = std::get_if<CallEvent>(&event);
    if (!call) return;
    ++operations;
    if (!start) start = call->now;
  }
};

// Judges what the reader gives, to its end or to where it cannot be read any more.
Judgement judge_all(HistoryReader& reader, Judge& judge, Passed& passed,
                    std::optional<std::string>& trouble) {
  ReadAhead ahead(reader);
  for (std::vector<Event> events;;) {
    const Status read = ahead.next(events);
    if (!read) trouble = read.error().message;
    if (!read || events.empty()) return judge.finish();
    for (const Event& event : events) passed.count(event);
    judge.observe(events);
  }
}

// Nothing where it is about no operation.
std::optional<OpId> op_of(const Event& event) {
  if (const auto* call = std::get_if<CallEvent>(&event)) return call->op;
  if (const auto* end = std::get_if<ReturnEvent>(&event)) return end->op;
  return std::nullopt;
}

bool is_of(const Event& event, const std::set<OpId>& ops) {
  const auto op = op_of(event);
  return op && ops.contains(*op);
}

// Calls `look` with every event of the file. What was read before is read in the same way again.
template <class Look>
std::vector<std::string> reread(const std::string& file, Look look) {
  std::ifstream in(file, std::ios::binary);
  HistoryReader reader(in);
  if (!reader.open()) return {};
  for (;;) {
    const Result<std::optional<Event>> event = reader.next();
    if (!event || !*event) return reader.clients();
    look(**event);
  }
}

// The calls and answers of these operations.
History events_of(const std::string& file, const std::set<OpId>& ops) {
  History part;
  part.clients = reread(file, [&](const Event& event) {
    if (is_of(event, ops)) part.events.push_back(event);
  });
  return part;
}

const Hold* hold_in(const Event& event) {
  const auto* call = std::get_if<CallEvent>(&event);
  if (!call) return nullptr;
  return std::visit(
      [](const auto& request) -> const Hold* {
        if constexpr (requires { request.hold; })
          return &request.hold;
        else
          return nullptr;
      },
      call->request);
}

// Which operation each token came from that somebody shows in these events.
std::map<Token, OpId> sources_of_tokens(const std::string& file, const History& events) {
  std::set<Token> shown;
  for (const Event& event : events.events)
    if (const Hold* hold = hold_in(event)) shown.insert(hold->token);
  std::map<Token, OpId> sources;
  if (shown.empty()) return sources;
  reread(file, [&](const Event& event) {
    const auto* end = std::get_if<ReturnEvent>(&event);
    const auto* claims = end ? std::get_if<Claims>(&end->response) : nullptr;
    if (!claims) return;
    for (const Claim& claim : claims->claims)
      if (shown.contains(claim.token)) sources.emplace(claim.token, end->op);
  });
  return sources;
}

// What shows findings: their operations, and those that gave out the tokens in them.
struct Evidence {
  History events;
  std::map<Token, OpId> sources;
};

Evidence evidence_of(const std::vector<Finding>& findings, const std::string& file) {
  std::set<OpId> ops;
  for (const Finding& finding : findings) ops.insert(finding.ops.begin(), finding.ops.end());
  // What came through a pipe is gone; its story is told without the steps.
  if (ops.empty() || !std::filesystem::is_regular_file(file)) return {};
  Evidence evidence{events_of(file, ops), {}};
  evidence.sources = sources_of_tokens(file, evidence.events);
  const std::size_t before = ops.size();
  for (const auto& [token, op] : evidence.sources) ops.insert(op);
  if (ops.size() > before) evidence.events = events_of(file, ops);
  return evidence;
}

// Those of one finding, with the time wherever it is another one.
History witness(const Evidence& evidence, const Finding& finding) {
  std::set<OpId> ops(finding.ops.begin(), finding.ops.end());
  for (const Event& event : evidence.events.events)
    if (const Hold* hold = hold_in(event); hold && is_of(event, ops))
      if (const auto source = evidence.sources.find(hold->token); source != evidence.sources.end())
        ops.insert(source->second);
  History part;
  part.clients = evidence.events.clients;
  std::optional<Instant> now;
  for (const Event& event : evidence.events.events) {
    if (!is_of(event, ops)) continue;
    if (const auto* call = std::get_if<CallEvent>(&event); call && now != call->now) {
      if (now) part.events.emplace_back(ClockEvent{call->now});
      now = call->now;
    }
    part.events.push_back(event);
  }
  return part;
}

// The first of each rule that was asked for.
std::vector<Finding> to_tell(const Judgement& judgement, const std::vector<std::string>& globs) {
  std::vector<Finding> first;
  for (const Finding& finding : judgement.findings)
    if (selects(globs, finding.rule) &&
        std::ranges::find(first, finding.rule, &Finding::rule) == first.end())
      first.push_back(finding);
  return first;
}

std::vector<ToldFinding> told(const std::vector<Finding>& findings, const std::string& file,
                              Instant start) {
  const Evidence evidence = evidence_of(findings, file);
  std::vector<ToldFinding> all;
  for (const Finding& finding : findings) {
    const History part = witness(evidence, finding);
    all.push_back({finding, tell(part, start), tell(part, finding, start),
                   lanes_of(part, finding.ops, start)});
  }
  return all;
}

bool has(const std::vector<NotTested>& some, std::string_view id) {
  return std::ranges::find(some, id, &NotTested::id) != some.end();
}

JudgedRule judged_rule(const Rule& rule, const Judgement& judgement, std::uint64_t undecided) {
  const Tally tally = judgement.tallies.of(rule.id);
  const Verdict verdict = tally.convicted > 0    ? Verdict::fail
                          : !is_judged(rule.id)  ? Verdict::missing
                          : tally.triggered == 0 ? Verdict::vacuous
                          : undecided > 0        ? Verdict::inconclusive
                                                 : Verdict::pass;
  return {std::string(rule.id), verdict, tally};
}

// Of a driver's rules, and of an engine's where one was at work; each once, in the table's order.
Selection together(const Selection& one, const Selection& other) {
  Selection both;
  std::set<std::string> tested;
  for (const Rule& rule : rules())
    if (std::ranges::find(one.rules, &rule) != one.rules.end() ||
        std::ranges::find(other.rules, &rule) != other.rules.end()) {
      both.rules.push_back(&rule);
      tested.insert(std::string(rule.id));
    }
  const auto is_tested = [&](const NotTested& rule) { return tested.contains(rule.id); };
  // What the one leaves to the other is that one's to speak of.
  for (const NotTested& rule : other.not_claimed)
    if (!is_tested(rule)) both.not_claimed.push_back(rule);
  for (const NotTested& rule : one.not_claimed)
    if (!is_tested(rule) && !has(both.not_claimed, rule.id)) both.not_claimed.push_back(rule);
  for (const NotTested& rule : one.others)
    if (!is_tested(rule) && has(other.others, rule.id)) both.others.push_back(rule);
  return both;
}

Status check_file(const std::string& file) {
  if (file == "-") return Done{};
  std::error_code failed;
  if (!std::filesystem::exists(file, failed))
    return invalid(fmt::format("there is no file `{}`", file));
  if (std::filesystem::is_directory(file, failed))
    return invalid(fmt::format("`{}` is a directory: judge takes a file of a history", file));
  return Done{};
}

bool is_coloured(int stream) {
  const char* plain = std::getenv("NO_COLOR");
  return isatty(stream) && !(plain && *plain);
}

int tell_report(const JudgedReport& report, const JudgeArguments& arguments) {
  JudgedStyle style;
  style.quiet = arguments.quiet;
  style.colour = is_coloured(arguments.json ? STDERR_FILENO : STDOUT_FILENO);
  (arguments.json ? std::cerr : std::cout) << judged_text(report, style) << std::flush;
  if (arguments.json) std::cout << judged_json(report) << std::flush;
  return exit_status_of(report);
}

}  // namespace

int judge_command(const JudgeArguments& arguments) {
  const std::string& file = arguments.file;
  if (file.empty())
    return wrong_usage("judge needs a history: `assay judge runs/latest/histories/FENCE-2.jsonl`");
  if (Status there = check_file(file); !there) return wrong_usage(there.error().message);
  std::optional<Profile> given;
  if (arguments.profile) {
    Result<Profile> named = profile_named(*arguments.profile);
    if (!named) return wrong_usage(named.error().message);
    given = std::move(*named);
  }
  if (Status known = check_globs(arguments.rules); !known)
    return wrong_usage(known.error().message);

  std::ifstream opened;
  if (file == "-")
    std::ios::sync_with_stdio(false);
  else
    opened.open(file, std::ios::binary);
  if (file != "-" && !opened) return trouble(fmt::format("{}: it cannot be opened", file));
  HistoryReader reader(file == "-" ? std::cin : opened);
  Result<HistoryHead> head = reader.open();
  if (!head) return trouble(fmt::format("{}: {}", file, head.error().message));
  if (!given) given = head->profile;
  if (!given)
    return wrong_usage(fmt::format(
        "{}: its header names no profile; say what the queue claims: --profile NAME or FILE",
        file));
  Result<Selection> selection = select_rules(*given, Level::durability, arguments.rules);
  const Result<Selection> of_engine =
      select_rules(*given, Level::durability, arguments.rules, Certifies::engine);
  if (!selection && !of_engine) return wrong_usage(selection.error().message);

  JudgedReport report;
  Passed passed;
  Judge judge(*given, all_properties());
  const Judgement judgement = judge_all(reader, judge, passed, report.trouble);
  if (!selection && !passed.has_engine) return wrong_usage(selection.error().message);
  if (passed.has_engine && of_engine)
    selection = selection ? together(*selection, *of_engine) : *of_engine;
  report.assay_version = version();
  report.file = file;
  report.driver = head->driver;
  report.profile = *given;
  report.events = passed.events;
  report.operations = passed.operations;
  report.clients = reader.clients().size();
  report.unknown_outcomes = judgement.unknown_outcomes;
  report.undecided = judgement.undecided;
  report.notes = reader.notes();
  report.filtered = !arguments.rules.empty();
  report.strict = arguments.strict;
  for (const Rule* rule : selection->rules)
    report.rules.push_back(judged_rule(*rule, judgement, report.undecided));
  report.not_tested = selection->not_claimed;
  report.not_tested.insert(report.not_tested.end(), selection->others.begin(),
                           selection->others.end());
  report.findings =
      told(to_tell(judgement, arguments.rules), file, passed.start.value_or(Instant{}));
  return tell_report(report, arguments);
}

}  // namespace assay::cli
