#include "harness/cli/usage.h"

#include "tests/cli/cli_test.h"

namespace assay::cli {
namespace {

TEST(EditDistance, CountsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("memory", "memory"), 0u);
  EXPECT_EQ(edit_distance("memroy", "memory"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("FENCE-2", "fence-2"), 0u);
}

TEST(Nearest, NamesOnlyWhatIsNear) {
  const std::vector<std::string> known{"memory", "sqlite", "postgres"};
  EXPECT_EQ(nearest("memroy", known), std::vector<std::string>{"memory"});
  EXPECT_EQ(nearest("xyzzy", known), std::vector<std::string>{});
  EXPECT_EQ(nearest("post", known), std::vector<std::string>{"postgres"});
}

TEST(SecondsFrom, ReadsUnitsAndRefusesTheRest) {
  EXPECT_EQ(seconds_from("10s").value(), 10);
  EXPECT_EQ(seconds_from("500ms").value(), 0.5);
  EXPECT_EQ(seconds_from("5m").value(), 300);
  EXPECT_EQ(seconds_from("1h").value(), 3600);
  EXPECT_EQ(seconds_from("2.5").value(), 2.5);
  for (const char* wrong : {"", "0", "0s", "-1s", "abc", "10x", "s", "inf", "nan", "1e9h", "10 s"})
    EXPECT_FALSE(seconds_from(wrong).ok()) << wrong;
}

using UsageTest = tests::CliTest;

TEST_F(UsageTest, WithoutACommandIsHelpAndExit64) {
  const tests::Ended ended = assay({});
  EXPECT_EQ(ended.status, 64);
  EXPECT_NE(ended.err.find("Subcommands:"), std::string::npos);
}

TEST_F(UsageTest, HelpHasExamplesInEveryCommand) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{},
                                                                                     {"certify"},
                                                                                     {"replay"},
                                                                                     {"run"},
                                                                                     {"judge"},
                                                                                     {"proxy"},
                                                                                     {"driver"},
                                                                                     {"list"},
                                                                                     {"explain"},
                                                                                     {"print"}}) {
    std::vector<std::string> arguments = words;
    arguments.push_back("--help");
    const tests::Ended ended = assay(arguments);
    EXPECT_EQ(ended.status, 0);
    EXPECT_NE(ended.out.find("Examples:\n  assay "), std::string::npos) << ended.out;
  }
}

TEST_F(UsageTest, VersionIsTheProjects) {
  const tests::Ended ended = assay({"--version"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.out.find("assay 0."), 0u);
}

TEST_F(UsageTest, UnknownNamesGetTheNearestOnes) {
  expect_usage({"certfy"}, "did you mean `certify`?");
  expect_usage({"certify", "memroy"}, "did you mean `memory`?");
  expect_usage({"certify", "memory", "--sede", "1"}, "did you mean `--seed`?");
  expect_usage({"certify", "memory", "--profile", "weeve"}, "did you mean `weave`?");
  expect_usage({"certify", "memory", "--level", "contrat"}, "did you mean `contract`?");
  expect_usage({"certify", "mutant:nothing_like_it"}, "assay list mutants");
  expect_usage({"list", "rule"}, "did you mean `rules`?");
  expect_usage({"explain", "FENCE-222"}, "`FENCE-2`");
  expect_usage({"print", "contrakt"}, "did you mean `contract`?");
  expect_usage({"print", "xyzzy"},
               "the pages are contract, history-schema, protocol, protocol-schema");
}

TEST_F(UsageTest, WhatCannotBeExplainedGetsTheNearestNamesOfItsKind) {
  expect_usage({"explain", "profile:weeve"}, "no profile `weeve`; did you mean `weave`?");
  expect_usage({"explain", "profile:x"}, "there is reference, taskharbor, trace, upnext, weave");
  expect_usage({"explain", "knob:late_setle"}, "no knob `late_setle`; did you mean `late_settle`?");
  expect_usage({"explain", "knob:foo"}, "`assay list knobs` lists them");
  expect_usage({"explain", "mutant:cannary"}, "did you mean `canary`?");
  expect_usage({"explain", "scenario:foo"}, "`assay list scenarios` lists them");
  expect_usage({"explain", "capability:puase"}, "did you mean `pause`?");
  expect_usage({"explain", "verdict:VACOUS"}, "did you mean `VACUOUS`?");
  expect_usage({"explain", "rule:FENCE-222"}, "no rule `FENCE-222`; did you mean `FENCE-2`");
  expect_usage({"explain", "weeve"}, "did you mean `weave`?");
}

TEST_F(UsageTest, AStoreInTheNameOfADriverIsShownItsPlace) {
  const auto hint = [](const std::string& url) {
    return "`assay certify sqlite --driver-url " + url + "`";
  };
  expect_usage({"certify", "sqlite:queue.db"}, hint("queue.db"));
  expect_usage({"certify", "sqlite::memory:"}, hint(":memory:"));
  expect_usage({"certify", "sqlite:///tmp/queue.db"}, hint("/tmp/queue.db"));
  expect_usage({"certify", "sqlite:my queue.db"}, hint("'my queue.db'"));
  expect_usage({"certify", "sqlite:"}, "did you mean `sqlite`?");
  expect_usage({"certify", "sqlit:queue.db"}, "assay list drivers");
}

TEST_F(UsageTest, WrongValuesAreNamed) {
  expect_usage({"certify"}, "needs a driver");
  expect_usage({"certify", "memory", "--budget", "0"}, "--budget");
  expect_usage({"certify", "memory", "--budget", "-3s"}, "--budget");
  expect_usage({"certify", "memory", "--budget", "soon"}, "`soon`");
  expect_usage({"certify", "memory", "--seed", "x"}, "--seed");
  expect_usage({"certify", "memory", "--seed", "-1"}, "--seed");
  expect_usage({"certify", "memory", "--seed", "18446744073709551616"}, "--seed");
  expect_usage({"certify", "memory", "--jobs", "0"}, "--jobs");
  expect_usage({"certify", "memory", "--seed"}, "--seed");
  expect_usage({"certify", "memory", "sqlite"}, "`sqlite` is one argument too many");
  expect_usage({"certify", "memory", "--profile", "nowhere.json"}, "nowhere.json");
}

TEST_F(UsageTest, SaysThatItsOutputCannotBeWritten) {
  environment_.out_file = "/dev/full";
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"list", "rules"},
                                             {"list", "drivers"},
                                             {"explain", "FENCE-2"},
                                             {"print", "contract"},
                                             {"certify", "memory", "--list"},
                                             {"--version"},
                                             {"--help"}}) {
    const tests::Ended ended = assay(words);
    EXPECT_EQ(ended.status, 3) << words.front();
    EXPECT_TRUE(tests::is_one_line(ended.err)) << ended.err;
    EXPECT_NE(ended.err.find("cannot write all of the output: No space left"), std::string::npos)
        << ended.err;
  }
}

TEST_F(UsageTest, AFilterThatSelectsNothingIsWrongUsage) {
  expect_usage({"certify", "memory", "--rules", "NOSUCH-*"}, "NOSUCH-*");
  expect_usage({"certify", "memory", "--rules", "FENCE-7"}, "FENCE-7");
}

TEST_F(UsageTest, ATokenThatIsNoneIsWrongUsage) {
  expect_usage({"replay"}, "needs a token");
  expect_usage({"replay", "nonsense"}, "nonsense");
  expect_usage({"replay", "assay1-AAAA"}, "");
  expect_usage({"replay", "assay9-AAAA"}, "");
}

}  // namespace
}  // namespace assay::cli
