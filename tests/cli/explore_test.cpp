#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/cli/cli_test.h"

namespace assay::tests {
namespace {

class Explore : public CliTest {};

std::string token_in(const std::string& out) {
  const std::string line = last_line(out);
  return line.substr(line.find("assay1-"));
}

TEST_F(Explore, ShowsARaceAndHowToSeeItAgain) {
  const Ended ended = assay({"explore", "mutant:settle_checked_then_written", "--plan",
                             "two_settles_of_one_claim_meet", "--seed", "42"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  for (const char* part : {"seed     42", "bound    ", "FAIL FENCE-2", "at once with 3",
                           "switches between clients to 2", "schedule ", "replay   exact"})
    EXPECT_NE(ended.out.find(part), std::string::npos) << part << "\n" << ended.out;
  EXPECT_EQ(ended.err, "");

  const std::string token = token_in(ended.out);
  const Ended again = assay({"replay", token, "--check-determinism"});
  EXPECT_EQ(again.status, 1);
  EXPECT_NE(again.out.find("MATCH: history "), std::string::npos) << again.out;
  EXPECT_EQ(last_line(again.out), "DETERMINISTIC: a second run gave the same history");
}

TEST_F(Explore, SaysThatThereIsNoOtherSchedule) {
  const Ended found = assay({"explore", "mutant:claims_at_once_share_a_job", "--plan",
                             "one_job_has_one_claimer", "--seed", "1"});
  ASSERT_EQ(found.status, 1) << found.out;
  // What is left of the race is small enough for every order of it; the driver is right this time.
  const Ended ended =
      assay({"explore", "memory", "--plan", token_in(found.out), "--strategy", "exhaustive"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("these are all there are: no violation within this scope"),
            std::string::npos)
      << ended.out;
}

TEST_F(Explore, TellsAProgramWhatItFound) {
  const Ended ended =
      assay({"explore", "mutant:key_looked_up_then_taken", "--plan", "one_key_makes_one_job",
             "--seed", "3", "--all", "--schedules", "50", "--json"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json["schedules"], 50);
  EXPECT_GT(json["violations"], 0);
  EXPECT_EQ(json["rules"][0]["tier"], "exact");
}

TEST_F(Explore, RefusesWhatMakesNoSense) {
  const std::string race = "one_job_has_one_claimer";
  expect_usage({"explore"}, "needs a driver");
  expect_usage({"explore", "memory"}, "needs a plan: --plan ");
  expect_usage({"explore", "memory", "--plan", "one_job_has_one_claimr"},
               "did you mean `one_job_has_one_claimer`");
  expect_usage({"explore", "memory", "--plan", race, "--strategy", "exhaustiv"},
               "did you mean `exhaustive`");
  expect_usage({"explore", "memory", "--plan", race, "--schedules", "0"}, "--schedules");
  expect_usage({"explore", "memory", "--plan", race, "--strategy", "random", "--depth", "3"},
               "--depth is for pct");
  expect_usage({"explore", "memory", "--plan", "assay1-xx"}, "token");
  expect_usage({"explore", "memory", "--plan", "./nothing.json"}, "nothing.json");
}

TEST_F(Explore, EndsWithWhatItHasWhenInterrupted) {
  environment_.after = {"options "};
  const Ended ended = assay({"explore", "memory", "--plan", "one_job_has_one_claimer", "--strategy",
                             "exhaustive", "--schedules", "1000000000", "--budget", "1h"});
  EXPECT_EQ(ended.status, 2) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("no violation"), std::string::npos) << ended.out;
}

TEST_F(Explore, HoldsAReplayForWhoeverWantsToLook) {
  const Ended found = assay({"explore", "mutant:settle_checked_then_written", "--plan",
                             "two_settles_of_one_claim_meet", "--seed", "42"});
  const std::string token = token_in(found.out);
  const Ended held = assay({"replay", token, "--until", "2", "--hold"});
  EXPECT_EQ(held.status, 1);
  EXPECT_NE(held.out.find("held before step 2; the store is in this process"), std::string::npos)
      << held.out;
  const Ended alone = assay({"replay", token, "--until", "2"});
  EXPECT_EQ(alone.status, 64);
  EXPECT_NE(alone.err.find("needs --hold"), std::string::npos);
  const Ended trapped = assay({"replay", token, "--break"});
  EXPECT_EQ(trapped.status, 128 + SIGTRAP) << trapped.out;
}

}  // namespace
}  // namespace assay::tests
