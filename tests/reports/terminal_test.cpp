#include "reports/terminal.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/reports/golden.h"
#include "tests/reports/made_up_report.h"

namespace assay {
namespace {

struct Told {
  std::string out;
  std::string err;
};

Told told(const Report& report, const TerminalOptions& options) {
  std::ostringstream out, err;
  TerminalReport terminal(out, err, options);
  CertifyOptions run;
  run.driver = report.driver;
  run.profile = report.profile;
  run.seed = report.seed;
  run.network = report.network;
  terminal.begins(run, report.rules.size(), report.scenarios);
  for (int i = 0; i <= 40; ++i)
    terminal.progress(static_cast<std::uint64_t>(i) * 10, std::nullopt, i * 0.5, 0);
  for (const RuleReport& rule : report.rules)
    if (rule.verdict == Verdict::fail) {
      terminal.shrinking(rule.id);
      terminal.convicted(rule);
    }
  terminal.tell(report);
  return {out.str(), err.str()};
}

TerminalOptions plain() {
  TerminalOptions options;
  options.program = "./assay";
  options.folder = "runs/20300101-000000-memory";
  return options;
}

std::string last_line(std::string text) {
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

TEST(TerminalReport, OfAFailingRunIsTheGoldenFile) {
  const Told text = told(tests::made_up_report(), plain());
  tests::expect_golden("failing.txt", text.out);
  tests::expect_golden("failing.progress.txt", text.err);
}

TEST(TerminalReport, OfACertificateIsTheGoldenFile) {
  TerminalOptions options = plain();
  options.verbose = true;
  tests::expect_golden("certified_verbose.txt", told(tests::made_up_certificate(), options).out);
}

TEST(TerminalReport, OfADriverThatCannotBeMadeSaysWhyOnceAndNamesNoRule) {
  Report report = tests::made_up_certificate();
  for (RuleReport& rule : report.rules)
    rule = {.id = rule.id, .verdict = Verdict::error, .reason = "the driver cannot be made: gone"};
  report.driver_troubles = {"the driver cannot be made: gone"};
  report.unusable = true;
  report.certified = false;
  tests::expect_golden("unusable.txt", told(report, plain()).out);
}

TEST(TerminalReport, OnATerminalIsTheGoldenFile) {
  TerminalOptions options = plain();
  options.colour = options.live = true;
  options.width = 80;
  const Told text = told(tests::made_up_report(), options);
  tests::expect_golden("failing.colour.txt", text.out);
  tests::expect_golden("failing.live.txt", text.err);
}

TEST(TerminalReport, EndsWithTheCommandThatReplaysTheFailure) {
  const std::string command = "./assay replay assay1-eJyrVkrLz1eyUkpKLFKqBQA";
  TerminalOptions options = plain();
  EXPECT_EQ(last_line(told(tests::made_up_report(), options).out), command);
  options.quiet = true;
  EXPECT_EQ(last_line(told(tests::made_up_report(), options).out), command);
  options.colour = true;
  EXPECT_EQ(last_line(told(tests::made_up_report(), options).out), command);
}

TEST(TerminalReport, QuotesAPathForTheShell) {
  Report report = tests::made_up_report();
  report.rules[2].token = "my runs/it's.plan.json";
  EXPECT_EQ(last_line(told(report, plain()).out), "./assay replay 'my runs/it'\\''s.plan.json'");
}

TEST(TerminalReport, HasNoEscapeSequencesUnlessAskedFor) {
  const Told text = told(tests::made_up_report(), plain());
  EXPECT_EQ(text.out.find('\x1b'), text.out.npos);
  EXPECT_EQ(text.err.find('\x1b'), text.err.npos);
}

TEST(TerminalReport, SaysNothingOfProgressWhenQuietOrWithoutIt) {
  TerminalOptions options = plain();
  options.progress = false;
  EXPECT_EQ(told(tests::made_up_report(), options).err, "");
  options.progress = options.quiet = options.live = true;
  EXPECT_EQ(told(tests::made_up_report(), options).err, "");
}

TEST(TerminalReport, SaysWhyARunIsVoidOrPartial) {
  Report report = tests::made_up_certificate();
  report.certified = false;
  report.partial = true;
  report.canary_convicted = false;
  EXPECT_EQ(
      last_line(told(report, plain()).out),
      "NOT CERTIFIED: memory under reference at level contract: the canary was not convicted, "
      "so the run is void; stopped before the end");
}

TEST(TerminalReport, TellsStepsThatBreakSeveralRulesOnce) {
  Report report = tests::made_up_report();
  report.rules.clear();
  for (const char* id : {"FENCE-1", "FENCE-2", "LEASE-2"}) {
    RuleReport& rule = report.rules.emplace_back();
    rule.id = id;
    rule.verdict = Verdict::fail;
    const std::string last = rule.id == "LEASE-2" ? "2. w2 reserves: A" : "2. w1 acks A: ok";
    rule.story = "1. w1 reserves: A\n" + last + "\n\nbroken: " + rule.id;
  }
  const std::string out = told(report, plain()).out;
  EXPECT_NE(out.find("  1. w1 reserves: A\n  2. w1 acks A: ok\n\n  broken: FENCE-1\n"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("  the same steps as for FENCE-1\n\n  broken: FENCE-2\n"), std::string::npos)
      << out;
  EXPECT_NE(out.find("  1. w1 reserves: A\n  2. w2 reserves: A\n\n  broken: LEASE-2\n"),
            std::string::npos)
      << out;
}

}  // namespace
}  // namespace assay
