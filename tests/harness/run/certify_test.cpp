#include "harness/run/certify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/harness/run/fakes.h"

namespace assay {
namespace {

Report run(const fakes::Faults& faults, const CertifyOptions& options = fakes::options(),
           const Parts& parts = fakes::parts()) {
  CertifyListener silent;
  return certify(fakes::driver(faults), options, parts, silent);
}

bool mentions(const std::vector<std::string>& lines, std::string_view text) {
  return std::ranges::any_of(lines, [&](const auto& l) { return l.find(text) != l.npos; });
}

TEST(Certify, CertifiesADriverThatKeepsItsPromises) {
  const Report report = run({});
  EXPECT_EQ(fakes::verdict_of(report, "ENQ-1"), Verdict::pass) << fakes::text_of(report);
  EXPECT_EQ(fakes::verdict_of(report, "CLAIM-6"), Verdict::pass);
  EXPECT_EQ(report.rules.size(), 2u);
  EXPECT_TRUE(report.canary_convicted);
  EXPECT_TRUE(report.certified);
  EXPECT_EQ(report.exit_status, 0);
  EXPECT_EQ(report.generated, 5u);
  EXPECT_GE(fakes::find(report, "ENQ-1")->triggered, fakes::find(report, "ENQ-1")->cases);
  EXPECT_GT(report.operations, 4u);
}

TEST(Certify, RunsOnlyScenariosThatTouchTheSelection) {
  CertifyOptions options = fakes::options();
  EXPECT_EQ(run({}, options).scenarios, 2u);
  options.rules = {"CLAIM-6"};
  EXPECT_EQ(run({}, options).scenarios, 0u);
  options.rules = {};
  EXPECT_EQ(run({}, options).scenarios, 2u);
}

TEST(Certify, TellsVacuousMissingAndPassedRulesApart) {
  CertifyOptions options = fakes::options();
  options.rules = {"ENQ-1", "ACK-1", "FENCE-2"};
  const Report report = run({}, options);
  EXPECT_EQ(fakes::verdict_of(report, "ENQ-1"), Verdict::pass);
  EXPECT_EQ(fakes::verdict_of(report, "ACK-1"), Verdict::vacuous);
  EXPECT_EQ(fakes::verdict_of(report, "FENCE-2"), Verdict::missing);
  EXPECT_EQ(report.exit_status, 2);
  EXPECT_FALSE(report.certified);
}

TEST(Certify, ListsUnclaimedRulesAsNotApplicable) {
  CertifyOptions options = fakes::options();
  options.rules = {};
  options.profile.capabilities.erase("pause");
  const Report report = run({}, options);
  const auto unclaimed =
      std::ranges::find(report.rules, Verdict::not_applicable, &RuleReport::verdict);
  ASSERT_NE(unclaimed, report.rules.end());
  EXPECT_TRUE(unclaimed->reason.starts_with("not claimed: needs ")) << unclaimed->reason;
  EXPECT_TRUE(std::ranges::is_sorted(report.rules, {},
                                     [](const RuleReport& rule) { return find_rule(rule.id); }));
}

TEST(Certify, ConvictsWithAStoryATokenAndASmallPlan) {
  const Report report = run({.lies_from = 2});
  const RuleReport* rule = fakes::find(report, "ENQ-1");
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->verdict, Verdict::fail);
  EXPECT_EQ(report.exit_status, 1);
  EXPECT_NE(rule->story.find("That id is a lie."), std::string::npos) << rule->story;
  ASSERT_TRUE(rule->plan && rule->history);
  EXPECT_EQ(rule->plan->steps.size(), 2u);
  EXPECT_EQ(rule->reason.find("not"), std::string::npos) << rule->reason;
  const auto token = decode_token(rule->token);
  ASSERT_TRUE(token.ok()) << rule->token;
  EXPECT_EQ(token.value().rule, "ENQ-1");
  EXPECT_EQ(token.value().plan, rule->plan);
  EXPECT_NE(token.value().history_hash, 0u);
  EXPECT_EQ(fakes::verdict_of(report, "CLAIM-6"), Verdict::pass);
}

TEST(Certify, MentionsConvictionsOutsideTheSelection) {
  CertifyOptions options = fakes::options();
  options.rules = {"CLAIM-6"};
  const Report report = run({.lies_from = 1}, options);
  EXPECT_EQ(report.exit_status, 0);
  const auto other = std::ranges::find(report.not_tested, "ENQ-1", &NotTested::id);
  ASSERT_NE(other, report.not_tested.end());
  EXPECT_EQ(other->reason, "not selected; yet convicted in passing");
}

TEST(Certify, SaysWhenTheShrinkingBudgetWasNotEnough) {
  CertifyOptions options = fakes::options();
  options.cases = 30;
  options.shrink_runs = 1;
  Parts parts = fakes::parts();
  parts.scenarios = {};
  const Report report = run({.lies_from = 4}, options, parts);
  const RuleReport* rule = fakes::find(report, "ENQ-1");
  ASSERT_EQ(rule->verdict, Verdict::fail);
  EXPECT_NE(rule->reason.find("not minimal"), std::string::npos) << rule->reason;
}

TEST(Certify, ShrinksWithinTheGivenRuns) {
  auto traffic = std::make_shared<fakes::Traffic>();
  CertifyOptions options = fakes::options();
  options.shrink_runs = 10;
  CertifyListener silent;
  const Report report =
      certify(fakes::driver({.lies_from = 4}, traffic), options, fakes::parts(), silent);
  ASSERT_EQ(fakes::verdict_of(report, "ENQ-1"), Verdict::fail);
  const int cases = static_cast<int>(report.scenarios + report.generated);
  EXPECT_LE(traffic->setups, cases + 10 + 3);  // once before shrinking, twice after
}

TEST(Certify, SaysWhenADriverIsNotDeterministic) {
  const Report report = run({.restless = true, .lies_from = 3});
  const RuleReport* rule = fakes::find(report, "ENQ-1");
  ASSERT_EQ(rule->verdict, Verdict::fail);
  EXPECT_NE(rule->reason.find("not deterministic"), std::string::npos) << rule->reason;
}

TEST(Certify, IsVoidWhereTheCanaryLives) {
  const DriverInfo honest = fakes::driver({});
  Parts parts = fakes::parts();
  parts.canary = &honest;
  const Report report = run({}, fakes::options(), parts);
  EXPECT_EQ(report.exit_status, 3);
  EXPECT_FALSE(report.canary_convicted);
  EXPECT_TRUE(mentions(report.troubles, "canary"));
  EXPECT_EQ(report.scenarios + report.generated, 0u);
  EXPECT_EQ(fakes::verdict_of(report, "ENQ-1"), Verdict::missing);
}

TEST(Certify, IsVoidWithoutACanary) {
  Parts parts = fakes::parts();
  parts.canary = nullptr;
  EXPECT_EQ(run({}, fakes::options(), parts).exit_status, 3);
}

TEST(Certify, HoldsScenariosToTheTriggersTheyName) {
  Parts parts = fakes::parts();
  parts.scenarios = fakes::idle_scenarios();
  CertifyOptions options = fakes::options();
  options.rules = {"ENQ-1"};
  const Report report = run({}, options, parts);
  EXPECT_TRUE(mentions(report.troubles, "scenario idle did not trigger ACK-1"));
  EXPECT_FALSE(mentions(report.troubles, "elsewhere"));
  EXPECT_EQ(report.exit_status, 3);
}

TEST(Certify, ExcusesAScenarioInWhichTheDriverMisbehaved) {
  Parts parts = fakes::parts();
  parts.scenarios = fakes::idle_scenarios();
  CertifyOptions options = fakes::options();
  options.rules = {"ENQ-1"};
  EXPECT_TRUE(run({.lies_from = 1}, options, parts).troubles.empty());
  EXPECT_TRUE(run({.unreachable = true}, options, parts).troubles.empty());
  EXPECT_TRUE(run({.no_setup = true}, options, parts).troubles.empty());
}

TEST(Certify, ReportsAWrongSelectionAsTrouble) {
  CertifyOptions options = fakes::options();
  options.rules = {"NOPE-*"};
  const Report report = run({}, options);
  EXPECT_EQ(report.exit_status, 3);
  EXPECT_TRUE(mentions(report.troubles, "NOPE-*"));
}

TEST(Certify, GivesTheSameReportForTheSameSeedWhateverTheJobs) {
  CertifyOptions options = fakes::options();
  options.cases = 40;
  for (const fakes::Faults& faults : {fakes::Faults{}, fakes::Faults{.lies_from = 3}}) {
    options.jobs = 1;
    const std::string alone = fakes::text_of(run(faults, options));
    options.jobs = 4;
    EXPECT_EQ(fakes::text_of(run(faults, options)), alone);
  }
}

TEST(Certify, FailsFastTheSameWayWhateverTheJobs) {
  CertifyOptions options = fakes::options();
  options.cases = 40;
  options.fail_fast = true;
  options.jobs = 1;
  const Report alone = run({.lies_from = 3}, options);
  EXPECT_TRUE(alone.partial);
  EXPECT_EQ(alone.exit_status, 1);
  EXPECT_EQ(alone.scenarios + alone.generated, 2u);  // three_jobs is the second
  EXPECT_NE(fakes::find(alone, "ENQ-1")->token, "");
  options.jobs = 3;
  EXPECT_EQ(fakes::text_of(run({.lies_from = 3}, options)), fakes::text_of(alone));
}

TEST(Certify, RunsNothingGeneratedWithoutBudget) {
  CertifyOptions options = fakes::options();
  options.cases = std::nullopt;
  options.budget_seconds = 0;
  const Report report = run({}, options);
  EXPECT_EQ(report.scenarios, 2u);
  EXPECT_EQ(report.generated, 0u);
}

TEST(Certify, EndsAtTheFirstOfCasesAndBudget) {
  CertifyOptions options = fakes::options();
  options.cases = 3;
  options.budget_seconds = 1e9;
  EXPECT_EQ(run({}, options).generated, 3u);
  options.cases = 1'000'000'000;
  options.budget_seconds = 0;
  const Report report = run({}, options);
  EXPECT_EQ(report.scenarios, 2u);
  EXPECT_EQ(report.generated, 0u);
  EXPECT_FALSE(report.partial);
}

// Writes down what it is told; asks for a stop when the given case begins.
struct Diary final : CertifyListener {
  void case_begins(const Plan& plan, const std::string& token) override {
    entries.push_back("begins " + plan.name);
    tokens.push_back(token);
    if (tokens.size() == stop_at) stop.request_stop();
  }
  void case_ends(const Plan& plan, const History&, const Judgement&) override {
    entries.push_back("ends " + plan.name);
  }
  void shrinking(const std::string& rule) override { entries.push_back("shrinking " + rule); }
  void convicted(const RuleReport& rule) override { entries.push_back("convicted " + rule.id); }

  std::vector<std::string> entries;
  std::vector<std::string> tokens;
  std::size_t stop_at = 0;
  std::stop_source stop;
};

TEST(Certify, TellsItsListenerEachTokenBeforeTheCaseRuns) {
  Diary diary;
  CertifyOptions options = fakes::options();
  options.cases = 1;
  certify(fakes::driver({.lies_from = 1}), options, fakes::parts(), diary);
  ASSERT_EQ(diary.entries.size(), 8u);
  EXPECT_EQ(diary.entries[0], "begins scenario/one_job");
  EXPECT_EQ(diary.entries[1], "ends scenario/one_job");
  EXPECT_EQ(diary.entries[6], "shrinking ENQ-1");
  EXPECT_EQ(diary.entries[7], "convicted ENQ-1");
  ASSERT_EQ(diary.tokens.size(), 3u);
  const auto scenario = decode_token(diary.tokens[0]);
  const auto generated = decode_token(diary.tokens[2]);
  ASSERT_TRUE(scenario.ok() && generated.ok());
  EXPECT_TRUE(scenario.value().plan && !scenario.value().plan_seed);
  EXPECT_TRUE(generated.value().plan_seed && !generated.value().plan);
  EXPECT_EQ(scenario.value().driver, "fake");
}

TEST(Certify, LetsClientsMoveAtOnceInThreeOfFourPlansWhereTheLevelIsConcurrency) {
  for (const Level level : {Level::contract, Level::concurrency}) {
    Diary diary;
    CertifyOptions options = fakes::options();
    options.cases = 4;
    options.level = level;
    certify(fakes::driver({}), options, fakes::parts(), diary);
    std::size_t free = 0, scheduled = 0;
    for (const std::string& text : diary.tokens) {
      const auto token = decode_token(text);
      ASSERT_TRUE(token.ok());
      free += token->plan_free ? 1 : 0;
      scheduled += token->schedule ? 1 : 0;
    }
    EXPECT_EQ(free, level == Level::contract ? 0u : 3u);
    EXPECT_EQ(scheduled, level == Level::contract ? 0u : 2u);
  }
}

// Fails at its own work, in a way of its choice.
struct Clumsy final : CertifyListener {
  explicit Clumsy(bool decently) : decently_(decently) {}
  void case_ends(const Plan&, const History&, const Judgement&) override {
    if (decently_) throw std::runtime_error("disk full");
    throw 7;
  }
  bool decently_;
};

TEST(Certify, TakesWhatOurOwnCodeThrowsForTroubleOfOurOwn) {
  for (int jobs : {1, 3}) {
    CertifyOptions options = fakes::options();
    options.jobs = jobs;
    Clumsy decent(true);
    const Report told = certify(fakes::driver({}), options, fakes::parts(), decent);
    EXPECT_EQ(told.exit_status, 3);
    EXPECT_TRUE(mentions(told.troubles, "disk full"));
    Clumsy rude(false);
    const Report untold = certify(fakes::driver({}), options, fakes::parts(), rude);
    EXPECT_EQ(untold.exit_status, 3);
  }
}

TEST(Certify, FinishesTheCurrentCaseWhenStopped) {
  Diary diary;
  diary.stop_at = 3;
  const Report report =
      certify(fakes::driver({}), fakes::options(), fakes::parts(), diary, diary.stop.get_token());
  EXPECT_TRUE(report.partial);
  EXPECT_EQ(report.scenarios + report.generated, 3u);
  EXPECT_EQ(report.exit_status, 2);
  EXPECT_FALSE(report.certified);
}

}  // namespace
}  // namespace assay
