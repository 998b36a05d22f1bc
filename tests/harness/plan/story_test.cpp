#include "harness/plan/story.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/history/payload.h"
#include "tests/fakes/arbitrary.h"

namespace assay {
namespace {

class Tale {
 public:
  Tale() { history_.clients = {"w1", "w2"}; }

  Tale& call(int client, Request request, Response response) {
    begin(client, std::move(request));
    history_.events.push_back(ReturnEvent{op_++, OutcomeKind::ok, std::move(response), {}});
    return *this;
  }
  Tale& refused(int client, Request request, Error error) {
    begin(client, std::move(request));
    const auto outcome = is_definite(error) ? OutcomeKind::refused : OutcomeKind::unknown;
    history_.events.push_back(ReturnEvent{op_++, outcome, Done{}, std::move(error)});
    return *this;
  }
  Tale& begin(int client, Request request) {
    history_.events.push_back(CallEvent{op_, client, now_, std::move(request)});
    return *this;
  }
  Tale& clock(Duration since) {
    now_ = run_epoch + since;
    history_.events.push_back(ClockEvent{now_});
    return *this;
  }

  void next() { ++op_; }

  std::vector<std::string> told() const { return tell(history_); }
  History history() const { return history_; }

 private:
  History history_;
  Instant now_ = run_epoch;
  OpId op_ = 0;
};

Claims claim_of(const char* job, const char* token, Duration until) {
  return {{Claim{.job = {.id = job}, .token = token, .expires_at = run_epoch + until}}};
}

TEST(Story, SaysWhichCallsWereMadeAtOnce) {
  Tale tale;
  for (int client = 0; client < 6; ++client) tale.begin(client % 2, Pause{"q"}).next();
  const auto told = tale.told();
  ASSERT_EQ(told.size(), 6U);
  EXPECT_EQ(told[0], "1. w1 pauses \"q\": no answer");
  EXPECT_EQ(told[1], "2. w2, at once with 1, pauses \"q\": no answer");
  EXPECT_EQ(told[3], "4. w2, at once with 1, 2 and 3, pauses \"q\": no answer");
  EXPECT_EQ(told[5], "6. w2, at once with 1, 2, 3, 4 and others, pauses \"q\": no answer");
}

TEST(Story, SaysAtWhichStepItShowsWhereThatIsNotTheLast) {
  const History history = Tale().call(0, Pause{"q"}, Done{}).call(1, Pause{"q"}, Done{}).history();
  EXPECT_EQ(tell(history, Finding{"R", "it cannot be.", {0, 1}, 0}), "step 1: it cannot be.");
  EXPECT_EQ(tell(history, Finding{"R", "it cannot be.", {0, 1}, {}}), "step 2: it cannot be.");
}

TEST(Story, TellsALateAck) {
  const Reserve reserve{{"q"}, Duration(30'000), "w1", 1, std::nullopt};
  const auto told =
      Tale()
          .call(0, Enqueue{{.queue = "q", .type = "t", .payload = "hello"}},
                Enqueued{"job-1", false})
          .call(0, reserve, claim_of("job-1", "tok-1", Duration(30'000)))
          .clock(Duration(30'000))
          .call(1, reserve, claim_of("job-1", "tok-2", Duration(60'000)))
          .refused(0, Ack{{"job-1", "tok-1", std::nullopt}},
                   lease_lost(LeaseReason::mismatch, "another holds it"))
          .refused(1, Ack{{"job-1", "tok-2", std::nullopt}}, {ErrorCode::unavailable, "gone"})
          .told();
  const std::vector<std::string> expected{
      R"(1. w1 enqueues a job of type "t" into "q", 5 bytes: makes job A ("job-1"))",
      R"(2. w1 reserves from "q" for 30 s: gets job A with token T1 ("tok-1"), until +30.000 s)",
      R"(   the clock moves to +30.000 s)",
      R"(3. w2 reserves from "q" for 30 s: gets job A with token T2 ("tok-2"), until +60.000 s)",
      R"(4. w1 acks job A with token T1: refused as lease_lost (mismatch), "another holds it")",
      R"(5. w2 acks job A with token T2: outcome unknown: unavailable, "gone")"};
  EXPECT_EQ(told, expected);
}

TEST(Story, CallsMadeUpThingsWhatTheyAre) {
  const auto told =
      Tale().refused(0, Ack{{"nope", "forged", 3}}, not_found("")).begin(1, Get{"nope"}).told();
  EXPECT_EQ(
      told[0],
      R"(1. w1 acks job "nope" with the made-up token "forged", attempt 3: refused as not_found)");
  EXPECT_EQ(told[1], R"(2. w2 looks at job "nope": no answer)");
}

TEST(Story, TellsPayloadsBySizeAndLongTextsByTheirBeginning) {
  const auto told = Tale()
                        .begin(0, Enqueue{{.queue = std::string(100, 'x'),
                                           .type = "\xff\n",
                                           .payload = compact_payload(std::string(5'000, 'p'))}})
                        .told();
  EXPECT_EQ(told[0], R"(1. w1 enqueues a job of type "\xff\x0a" into ")" + std::string(60, 'x') +
                         R"("... (100 bytes), 5000 bytes: no answer)");
}

TEST(Story, ShowsWhatInspectionShows) {
  JobView view;
  view.job = {.id = "a",
              .max_attempts = 3,
              .key = "k",
              .attempts = 2,
              .last_error = "boom",
              .created_at = run_epoch + Duration(200),
              .state = JobState::leased};
  view.lease = LeaseView{"tok", run_epoch + Duration(1'500), "w2"};
  const auto told = Tale()
                        .call(0, Get{"a"}, view)
                        .call(0, List{"q", JobState::ready, 2, std::nullopt},
                              JobPage{{{.id = "b"}, {.id = "a"}}, "c1"})
                        .call(0, Dead{"q", 5, "c0"}, DeadPage{})
                        .told();
  EXPECT_EQ(
      told[0],
      R"(1. w1 looks at job "a": job A ("a") is leased, counter 2, last error "boom", )"
      R"(limit 3, key "k", made at +0.200 s, held with token T1 ("tok") by w2 until +1.500 s)");
  EXPECT_EQ(told[1],
            R"(2. w1 lists the ready jobs of "q", 2 a page: sees job B ("b") ready, counter 0; )"
            R"(job A ready, counter 0; more behind cursor "c1")");
  EXPECT_EQ(told[2],
            R"(3. w1 lists the dead letters of "q", 5 a page, from cursor "c0": sees none)");
}

TEST(Story, CallsThingsInAFindingAsItDoesInTheSteps) {
  const std::string long_id(60, 'x');
  const History history =
      Tale()
          .call(0, Enqueue{{.queue = "q", .type = "t"}}, Enqueued{"a", false})
          .call(0, Enqueue{{.queue = "q", .type = "t"}}, Enqueued{"a-1", false})
          .call(0, Enqueue{{.queue = "q", .type = "t"}}, Enqueued{long_id, false})
          .call(0, Reserve{{"q"}}, claim_of("a-1", "a", Duration(1)))
          .history();
  const Finding finding{"FENCE-2",
                        "job a-1 is held with token a, job a (a job a-12) is not; job " +
                            long_id.substr(0, 40) + "... waits, and a token b is made up.",
                        {1, 3}};
  EXPECT_EQ(tell(history, finding),
            "step 4: job B is held with token T1, job A (a job a-12) is not; job C waits, and a "
            "token b is made up.");
}

TEST(Story, DoesNotGuessWhichOfTwoLongNamesWasCutShort) {
  const std::string one = std::string(45, 'x') + "1";
  const std::string two = std::string(45, 'x') + "2";
  const History history = Tale()
                              .call(0, Enqueue{{.queue = "q", .type = "t"}}, Enqueued{one, false})
                              .call(0, Enqueue{{.queue = "q", .type = "t"}}, Enqueued{two, false})
                              .history();
  const std::string text = "job " + std::string(40, 'x') + "... is lost";
  EXPECT_EQ(tell(history, Finding{"DUR-2", text, {}}), text);
  EXPECT_EQ(tell(history, Finding{"DUR-2", "job " + two + " is lost", {}}), "job B is lost");
}

RC_GTEST_PROP(Story, TellsAnythingInOneLineAnOperation, ()) {
  const History history = fakes::any_history();
  std::size_t lines = 0;
  for (const auto& event : history.events) lines += !std::holds_alternative<ReturnEvent>(event);
  const auto told = tell(history);
  RC_ASSERT(told.size() == lines);
  for (const auto& line : told) RC_ASSERT(line.find('\n') == std::string::npos);
}

}  // namespace
}  // namespace assay
