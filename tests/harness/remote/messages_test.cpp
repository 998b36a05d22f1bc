// What we write is what docs/protocol.md says, and what others write never throws anything unheard
// of.
#include "harness/remote/detail/messages.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/contract/detail/json_reader.h"
#include "harness/remote/problems.h"
#include "harness/remote/schema.h"

namespace assay::detail {
namespace {

std::string told(const std::vector<protocol::Problem>& problems) {
  std::string all;
  for (const auto& problem : problems) all += protocol::told(problem) + "\n";
  return all;
}

const Hold hold{"j", "t", 2};

const std::vector<Request>& requests() {
  static const std::vector<Request> all{
      Enqueue{{{}, "q", "t", std::string("\0\xff", 2)}},
      Enqueue{{"j", "q", "t", "", run_epoch, 3, Duration{1}, "k", -1, 0}},
      Reserve{{"a", "b"}, Duration{0}, "w", 1, "j"},
      Reserve{{}, Duration{-5}, "", 1, {}},
      Extend{hold, Duration{1}},
      Ack{{"j", "t", {}}},
      Retry{hold, run_epoch, 1, "e"},
      Fail{hold, 1, "r", "e"},
      Nack{hold, "e", true},
      Cancel{"j"},
      Pause{"q"},
      Resume{"q"},
      Get{"j"},
      List{"q", JobState::dead, 1, "c"},
      List{"q", {}, 1, {}},
      Dead{"q", 1, {}},
      Requeue{"j", run_epoch, true},
      Close{}};
  return all;
}

TEST(Messages, RequestsAreAsTheProtocolSays) {
  std::vector<std::string> lines{hello_line(1),
                                 setup_line(2, {"n", {}, true, UINT64_MAX}),
                                 setup_line(3, {"n", "u", false, 0}),
                                 teardown_line(4, "n"),
                                 open_line(5, "s", Role::admin),
                                 now_line(6),
                                 advance_line(7, Duration{5})};
  for (const Request& request : requests())
    lines.push_back(request_line(8, "s", run_epoch, request));
  for (const std::string& line : lines)
    EXPECT_EQ(told(protocol::problems_of_request(line)), "") << line;
}

TEST(Messages, AnswersAreAsTheProtocolSays) {
  const Job job{.id = "j",
                .queue = "q",
                .type = "t",
                .payload = "\xff",
                .run_at = run_epoch,
                .max_attempts = 3,
                .timeout = Duration{1},
                .key = "k",
                .last_error = "e"};
  const std::vector<std::pair<std::string, Response>> answers{
      {"ack", Done{}},
      {"enqueue", Enqueued{"j", true}},
      {"reserve", Claims{{Claim{job, "t", 1, 2, run_epoch}, Claim{Job{}, "", {}, {}, {}}}}},
      {"extend", Extended{run_epoch}},
      {"nack", Nacked{JobState::dead, {}}},
      {"cancel", Cancelled{}},
      {"get", JobView{job, LeaseView{"t", run_epoch, "w"}, DeadView{"r", {}, run_epoch}}},
      {"list", JobPage{{job, Job{}}, "c"}},
      {"dead", DeadPage{{DeadEntry{"j", job, "r", "e", run_epoch}}, {}}},
      {"requeue", Requeued{"j"}}};
  for (const auto& [op, response] : answers)
    EXPECT_EQ(told(protocol::problems_of_answer(op, ok_line(7, response), 7)), "") << op;
  const Error lost{ErrorCode::lease_lost, "m", LeaseReason::expired, false};
  EXPECT_EQ(told(protocol::problems_of_answer("ack", error_line(7, lost), 7)), "");
  EXPECT_EQ(told(protocol::problems_of_answer("ack", error_line(7, conflict("m")), 7)), "");
}

TEST(Messages, OddLinesAreMalformedAndNothingWorse) {
  const std::string deep(1'000'000, '[');
  for (const std::string& line :
       {std::string(), std::string("{"), std::string("{} {}"), std::string("\xff"),
        std::string(R"({"x":1e999,"id":7})"), deep,
        R"({"x":)" + deep + std::string(deep.size(), ']') + R"(,"id":7})"}) {
    EXPECT_THROW(parsed(line), Malformed) << line.substr(0, 40);
    EXPECT_FALSE(answered_id(line).ok()) << line.substr(0, 40);
  }
  EXPECT_EQ(answered_id(R"({"x":")" + deep + R"(","id":7})").value(), 7u);  // within a text
}

}  // namespace
}  // namespace assay::detail
