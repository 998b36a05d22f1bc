#include "harness/plan/lanes.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Lines = std::vector<std::string>;

// A history told by hand: calls and answers in their order.
struct Tale {
  History history{"made up", *built_in_profile("reference"), "tale", {"p", "w1", "w2"}, {}};
  Instant now = run_epoch;

  void call(OpId op, int client, Request request) {
    history.events.emplace_back(CallEvent{op, client, now, std::move(request)});
  }
  void end(OpId op, Response response) {
    history.events.emplace_back(ReturnEvent{op, OutcomeKind::ok, std::move(response), {}});
  }
  void refuse(OpId op, ErrorCode code) {
    history.events.emplace_back(ReturnEvent{op, OutcomeKind::refused, Done{}, {code, "no"}});
  }
  void lose(OpId op) {
    history.events.emplace_back(ReturnEvent{op, OutcomeKind::unknown, Done{}, {}});
  }
  void clock(std::int64_t ms) {
    now = run_epoch + Duration{ms};
    history.events.emplace_back(ClockEvent{now});
  }
  Claims claim(const std::string& job, const std::string& token, std::int64_t until_ms) {
    return {{{.job = {.id = job}, .token = token, .expires_at = run_epoch + Duration{until_ms}}}};
  }
  void enqueue(OpId op, const std::string& job) {
    call(op, 0, Enqueue{{.queue = "q", .type = "t"}});
    end(op, Enqueued{job, false});
  }
  Lines drawn(const std::vector<OpId>& witness, std::size_t width = 60) const {
    return draw(lanes_of(history, witness), width);
  }
};

const Reserve reserve{{"q"}, Duration{1000}, "w", 1, {}};

TEST(Lanes, ShowACallThatNothingOverlapsInOneRow) {
  Tale tale;
  tale.enqueue(0, "j");
  tale.call(1, 1, reserve);
  tale.end(1, tale.claim("j", "t", 1000));
  tale.call(2, 1, Ack{{"j", "t", {}}});
  tale.end(2, Done{});
  EXPECT_EQ(tale.drawn({2}), (Lines{"  p                             w1", "  1 enqueue: A",
                                    "                              ┃ 2 reserve: A T1",
                                    "                              ┃*3 ack A T1: ok"}));
}

TEST(Lanes, ShowCallsThatOverlapFromBeginToEnd) {
  Tale tale;
  tale.enqueue(0, "j");
  tale.call(1, 1, reserve);
  tale.call(2, 2, reserve);
  tale.end(2, tale.claim("j", "u", 1000));
  tale.end(1, tale.claim("j", "t", 1000));
  EXPECT_EQ(tale.drawn({1, 2}), (Lines{"  p                   w1                  w2",
                                       "  1 enqueue: A", "                     *2 ┌ reserve",
                                       "                        │               ┃*3 reserve: A T2",
                                       "                    ┃*2 └ A T1          ┃"}));
}

TEST(Lanes, EndABarWhereTheLeaseDoes) {
  Tale tale;
  tale.enqueue(0, "j");
  tale.call(1, 1, reserve);
  tale.end(1, tale.claim("j", "t", 1000));
  tale.call(2, 1, Extend{{"j", "t", {}}, Duration{3000}});
  tale.end(2, Extended{run_epoch + Duration{3000}});
  tale.clock(2999);
  tale.call(3, 0, Get{"j"});
  tale.end(3, JobView{.job = {.id = "j", .state = JobState::leased}});
  tale.clock(3000);
  tale.call(4, 2, reserve);
  tale.lose(4);
  tale.call(5, 1, Ack{{"j", "t", {}}});
  tale.refuse(5, ErrorCode::lease_lost);
  EXPECT_EQ(
      tale.drawn({5}, 84),
      (Lines{"  p                           w1                          w2", "  1 enqueue: A",
             "                            ┃ 2 reserve: A T1",
             "                            ┃ 3 extend A T1: ok",
             "── +2.999 s ────────────────────────────────────────────────────────────────────────",
             "  4 get A: leased           ┃",
             "── +3.000 s ────────────────────────────────────────────────────────────────────────",
             "                                                          5 reserve: ?",
             "                             *6 ack A T1: refused: leas"}));
}

TEST(Lanes, LeaveOutOfALongHistoryWhatHasNothingToDoWithIt) {
  Tale tale;
  for (OpId op = 0; op < 40; ++op) tale.enqueue(op, "j" + std::to_string(op));
  tale.call(40, 1, reserve);
  tale.end(40, tale.claim("j7", "t", 1000));
  tale.call(41, 2, reserve);
  tale.end(41, tale.claim("j7", "u", 1000));
  const Lanes lanes = lanes_of(tale.history, std::vector<OpId>{40, 41});
  ASSERT_EQ(lanes.calls.size(), 3U);
  EXPECT_EQ(lanes.calls[0].op, 7U);
  EXPECT_EQ(lanes.left_out, 39U);
  EXPECT_EQ(draw(lanes, 90).back(), "(39 other calls are not shown)");
}

TEST(Lanes, LeaveOutWhoHasNoPartInItWhereManyClientsMove) {
  Tale tale;
  for (int client = 0; client < 12; ++client) tale.history.clients.push_back("c");
  tale.enqueue(0, "j");
  for (OpId op = 1; op < 12; ++op) tale.call(op, static_cast<int>(op), reserve);
  for (OpId op = 1; op < 12; ++op)
    tale.end(op, op == 3 || op == 7 ? tale.claim("j", "t" + std::to_string(op), 1000) : Claims{});
  const Lanes lanes = lanes_of(tale.history, std::vector<OpId>{3, 7});
  EXPECT_EQ(lanes.clients.size(), 2U);
  EXPECT_EQ(lanes.left_out, 10U);
  EXPECT_FALSE(draw(lanes, 100).empty());
}

TEST(Lanes, ShowACallThatNeverEnds) {
  Tale tale;
  tale.call(0, 1, reserve);
  tale.enqueue(1, "j");
  const Lanes lanes = lanes_of(tale.history, std::vector<OpId>{});
  EXPECT_FALSE(lanes.calls.at(0).ends);
  EXPECT_EQ(draw(lanes, 60), (Lines{"  w1                            p", "  1 ┌ reserve",
                                    "    │                           2 enqueue: A"}));
}

TEST(Lanes, AreNotDrawnWhereTheyDoNotFit) {
  Tale tale;
  tale.enqueue(0, "j");
  tale.call(1, 1, reserve);
  tale.end(1, Claims{});
  EXPECT_TRUE(tale.drawn({1}, 20).empty());
  EXPECT_TRUE(draw(lanes_of(History{}, std::vector<OpId>{}), 100).empty());
}

}  // namespace
}  // namespace assay
