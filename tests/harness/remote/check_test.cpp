#include "harness/remote/check.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

namespace assay {
namespace {

Command fake(const std::string& fault) {
  return {{"python3", ASSAY_SOURCE_DIR "/tests/fakes/fake_driver.py", fault}, {}, std::nullopt};
}

// Patient: a busy machine is no reason.
CheckReport check(const Connectable& to, double farewell_seconds = 60) {
  CheckOptions options{to, {}, std::nullopt, farewell_seconds};
  options.connection.answer_seconds = options.connection.start_seconds = 60;
  return check_driver(std::move(options));
}

std::string answer_to(const CheckReport& report, const std::string& what) {
  const auto found = std::ranges::find(report.trials, what, &Trial::what);
  return found == report.trials.end() ? "was not tried" : found->answer;
}

// "reserve: ok.claims[0].expires_at_ms: expected ..., found ..."
std::vector<std::string> told(const CheckReport& report) {
  std::vector<std::string> all;
  for (const CheckProblem& problem : report.problems)
    all.push_back(problem.what + ": " + protocol::told(problem.problem));
  return all;
}

using Told = std::vector<std::string>;

TEST(CheckDriver, TriesEveryOperationOfADriverThatSpeaksTheProtocol) {
  const CheckReport report = check(fake(""));
  EXPECT_EQ(told(report), Told{});
  EXPECT_EQ(report.driver, "fake 1, profile reference, altered: capabilities");
  for (const char* what : {"hello",
                           "setup",
                           "open a producer",
                           "open a worker",
                           "open an admin",
                           "now",
                           "advance",
                           "enqueue",
                           "enqueue with every field",
                           "reserve",
                           "extend",
                           "ack",
                           "retry",
                           "fail",
                           "get",
                           "cancel",
                           "list",
                           "list of the next page",
                           "dead",
                           "requeue",
                           "fields that nobody knows",
                           "two sessions at once",
                           "close",
                           "close again",
                           "teardown",
                           "setup of another namespace",
                           "end of input"})
    EXPECT_EQ(answer_to(report, what), "ok") << what;
  for (const char* what : {"pause", "resume", "nack", "an operation that nobody knows"})
    EXPECT_EQ(answer_to(report, what), "unsupported") << what;
  EXPECT_EQ(answer_to(report, "ack with a made-up token"), "refused: lease_lost");
}

TEST(CheckDriver, JudgesNoMeaning) { EXPECT_EQ(told(check(fake("nothing_to_claim"))), Told{}); }

TEST(CheckDriver, TakesAnswersInAnyOrder) { EXPECT_EQ(told(check(fake("slow_producer"))), Told{}); }

TEST(CheckDriver, TellsTheFieldThatIsWrongAndGoesOn) {
  const CheckReport report = check(fake("fraction"));
  ASSERT_EQ(report.problems.size(), 2u);  // the other one when two sessions speak at once
  EXPECT_EQ(told(report).front(),
            "reserve: ok.claims[0].expires_at_ms: expected an instant: whole Unix milliseconds, "
            "found 1.5");
  EXPECT_EQ(report.problems[0].sent.find("{\"id\":"), 0u);
  EXPECT_NE(report.problems[0].received.find("\"claims\""), std::string::npos);
  EXPECT_EQ(answer_to(report, "end of input"), "ok");
  EXPECT_EQ(told(check(fake("no_base64"))).size(), 4u);  // each get
}

TEST(CheckDriver, TellsOfNoiseAndStillHearsTheAnswer) {
  const CheckReport report = check(fake("noise"));
  ASSERT_FALSE(report.problems.empty());
  EXPECT_EQ(told(report).front(),
            "enqueue: line: expected JSON, found something else at offset 0: debug: enqueue");
  EXPECT_EQ(answer_to(report, "enqueue"), "ok");
}

TEST(CheckDriver, TellsOfIdsThatAreNone) {
  const CheckReport report = check(fake("text_ids"));
  EXPECT_EQ(told(report), Told{"hello: id: expected 1, the request's, found \"1\""});
}

TEST(CheckDriver, TellsOfSecondAnswersAndUnaskedLines) {
  EXPECT_EQ(told(check(fake("twice"))).front(),
            "ack with a made-up token: id: expected one answer a request, found another one to "
            "request 15");
  EXPECT_EQ(told(check(fake("chatty_at_the_end"))).size(), 2u);  // one a namespace
}

TEST(CheckDriver, TellsOfRefusalsThatCannotBe) {
  EXPECT_EQ(told(check(fake("strict"))),
            Told{"fields that nobody knows: error: expected `ok`, found invalid: unknown field"});
  EXPECT_EQ(told(check(fake("knows_all"))),
            Told{"an operation that nobody knows: ok: expected a refusal: `unsupported` or "
                 "`invalid`, found `ok`"});
  EXPECT_EQ(told(check(fake("false_claim"))).front(),
            "pause: error: expected an operation that every driver has, or that the profile "
            "claims, found unsupported: not here");
  EXPECT_EQ(told(check(fake("throws"))).front(),
            "list: error: expected `ok`, or a refusal that says why, found internal: KeyError: "
            "'state'");
  EXPECT_EQ(told(check(fake("closes_once"))).front(),
            "close again: error: expected `ok`, found closed");
}

TEST(CheckDriver, StopsWhereNothingCanFollow) {
  const CheckReport profile = check(fake("bad_profile"));
  EXPECT_EQ(profile.problems.size(), 1u);
  EXPECT_EQ(profile.problems[0].problem.path, "ok.profile");
  EXPECT_EQ(answer_to(profile, "setup"), "was not tried");
  EXPECT_EQ(answer_to(profile, "end of input"), "ok");
  EXPECT_EQ(told(check(fake("no_setup"))),
            Told{"setup: error: expected `ok`, found unavailable: no store"});
}

TEST(CheckDriver, TellsOfSilence) {
  CheckOptions options{fake("silent"), {}, std::nullopt};
  options.connection.answer_seconds = 2;
  const CheckReport report = check_driver(std::move(options));
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].what, "extend");
  EXPECT_EQ(report.problems[0].problem.found, "no answer within 2 s");
}

TEST(CheckDriver, TellsOfAProcessThatEnds) {
  const CheckReport report = check(fake("dies"));
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].what, "reserve");
  EXPECT_NE(report.problems[0].problem.found.find("ended with status 3"), std::string::npos);
  EXPECT_NE(report.log.find("boom"), std::string::npos);
}

TEST(CheckDriver, TellsOfAProcessThatDoesNotEndWell) {
  EXPECT_EQ(told(check(fake("stays"), 0.5)),
            Told{"end of input: line: expected that the process ends by itself, found it did not "
                 "end within 0.5 s of the end of its input"});
  EXPECT_EQ(told(check(fake("ends_badly"))),
            Told{"end of input: line: expected that the process ends with status 0, found it ended "
                 "with status 1"});
}

TEST(CheckDriver, TellsOfAProgramThatIsNotThere) {
  const CheckReport report = check(Command{{"/no/such/program"}, {}, std::nullopt});
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].what, "start");
  EXPECT_NE(report.problems[0].problem.found.find("/no/such/program"), std::string::npos);
}

TEST(CheckDriver, SpeaksTcpToo) {
  Command command = fake("");
  command.words.push_back("--listen");
  const auto server = Process::start(command);
  ASSERT_TRUE(server.ok());
  pollfd ready{(*server)->output(), POLLIN, 0};
  ASSERT_EQ(poll(&ready, 1, 20'000), 1);
  char port[16] = {};
  ASSERT_GT(read((*server)->output(), port, sizeof port - 1), 0);
  const CheckReport report =
      check(Address{"127.0.0.1", static_cast<std::uint16_t>(std::stoi(port))});
  EXPECT_EQ(told(report), Told{});
  EXPECT_EQ(answer_to(report, "end of input"), "was not tried");
}

}  // namespace
}  // namespace assay
