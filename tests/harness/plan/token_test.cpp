#include "harness/plan/token.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/contract/version.h"
#include "harness/plan/json.h"
#include "tests/fakes/arbitrary.h"

namespace assay {
namespace {

ReplayToken token_of(Plan plan) {
  ReplayToken token;
  token.assay_version = version();
  token.driver = "mutant:ack_takes_stale_token";
  token.profile = *built_in_profile("trace");
  token.profile.durability = Durability::crash;
  token.driver_seed = 0xfedcba9876543210;
  token.plan = std::move(plan);
  token.rule = "FENCE-10";
  token.history_hash = 0x0123456789abcdef;
  token.history_trace = "a1b2c3";
  return token;
}

// Two workers, one job, a late settle: the size that a shrunk plan has.
Plan ten_steps() {
  Plan plan{"shrunk/seed/42/17", {{"w1", Role::worker}, {"w2", Role::worker}}, {}};
  auto& steps = plan.steps;
  steps.push_back({.kind = StepKind::enqueue, .slot = 0, .queues = {"q"}, .type = "t"});
  steps.push_back({.kind = StepKind::reserve, .slot = 0, .queues = {"q"}, .lease = Duration(700)});
  steps.push_back({.when = When{.base = When::Base::expiry, .claim = {0, 0}}});
  steps.push_back({.kind = StepKind::reserve, .client = 1, .slot = 1, .queues = {"q"}});
  steps.push_back({.kind = StepKind::ack, .job = {.kind = JobRef::Kind::made}});
  steps.push_back({.kind = StepKind::retry,
                   .client = 1,
                   .job = {.kind = JobRef::Kind::made},
                   .token = {.claim = {1, 0}},
                   .when = When{.offset = Duration(1'234)},
                   .error = "boom"});
  steps.push_back(
      {.when = When{
           .base = When::Base::due, .job = {.kind = JobRef::Kind::made}, .offset = Duration(-1)}});
  steps.push_back({.kind = StepKind::reserve, .client = 1, .slot = 2, .queues = {"q", "r"}});
  steps.push_back({.kind = StepKind::list, .queues = {"q"}, .limit = 3});
  steps.push_back({.kind = StepKind::get, .job = {.kind = JobRef::Kind::made}});
  return plan;
}

Plan long_plan() {
  Plan plan = ten_steps();
  for (int i = 0; i < 400; ++i)
    plan.steps.push_back({.kind = StepKind::enqueue,
                          .slot = i,
                          .queues = {"queue" + std::to_string(i * 7919)},
                          .type = std::to_string(i * 104'729)});
  return plan;
}

std::string error_of(const std::string& text) {
  const auto token = decode_token(text);
  return token.ok() ? "read" : token.error().message;
}

// One a test and process; removed with everything in it.
struct Folder {
  std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) /
      fmt::format("assay_{}_{}", testing::UnitTest::GetInstance()->current_test_info()->name(),
                  getpid());
  Folder() { std::filesystem::remove_all(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

RC_GTEST_PROP(Token, ReadsBackWhatItWrote, ()) {
  ReplayToken token = token_of(fakes::any_plan());
  token.driver = *fakes::any_text();
  token.driver_seed = *rc::gen::arbitrary<std::uint64_t>();
  if (fakes::any_flag()) token.replica = "async";
  if (fakes::any_flag()) token.plan.reset();
  if (fakes::any_flag() || !token.plan) token.plan_seed = *rc::gen::arbitrary<std::uint64_t>();
  token.profile = *built_in_profile(*rc::gen::elementOf(
      std::vector<std::string_view>(profile_names().begin(), profile_names().end())));
  const auto back = decode_token(encode(token));
  if (!back.ok()) RC_FAIL(back.error().message);
  RC_ASSERT(*back == token);
}

TEST(Token, OfTenStepsFitsInAMessage) {
  const std::string text = encode(token_of(ten_steps()));
  EXPECT_TRUE(text.starts_with("assay1-"));
  EXPECT_LE(text.size(), 500U);
  EXPECT_EQ(*decode_token("  " + text + "\n"), token_of(ten_steps()));
}

TEST(Token, IsNeverTakenForAnotherWhenACharacterIsAltered) {
  const std::string text = encode(token_of(ten_steps()));
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char other : {'A', 'b', '9', '-', '_', '=', ' ', '\xff', '\0'}) {
      if (text[i] == other) continue;
      std::string wrong = text;
      wrong[i] = other;
      const auto token = decode_token(wrong);
      EXPECT_TRUE(!token.ok() || *token == token_of(ten_steps())) << i << ' ' << other;
    }
  }
}

TEST(Token, SaysWhatIsWrongWithIt) {
  const std::string text = encode(token_of(ten_steps()));
  EXPECT_EQ(error_of("certify"), "this is not an assay token: one begins with \"assay1-\"");
  EXPECT_EQ(error_of(""), "this is not an assay token: one begins with \"assay1-\"");
  EXPECT_EQ(error_of("assay2-" + text.substr(7)),
            "this is an assay token of format 2; this version reads format 1 only");
  std::string altered = text;
  altered[text.size() - 20] = altered[text.size() - 20] == 'A' ? 'B' : 'A';
  EXPECT_EQ(error_of(altered),
            "this assay token was altered: its checksum does not fit its content");
  EXPECT_EQ(error_of(text + "AAAA"),
            "this assay token was altered: its checksum does not fit its content");
}

TEST(Token, SaysThatItIsCutShortWhereverItIsCut) {
  const std::string text = encode(token_of(ten_steps()));
  for (std::size_t length = 7; length < text.size(); ++length)
    EXPECT_EQ(error_of(text.substr(0, length)), "this assay token is cut short") << length;
}

TEST(Token, OfAnotherVersionSaysBoth) {
  ReplayToken token = token_of(ten_steps());
  token.assay_version = "9.8.7";
  EXPECT_EQ(error_of(encode(token)),
            "this assay token cannot be used: assay_version: made by Assay 9.8.7, this is Assay " +
                std::string(version()));
}

TEST(Token, GoesToAFileWhereItIsTooLong) {
  const Folder folder;
  const auto small = store_token(encode(token_of(ten_steps())), folder.path.string());
  ASSERT_TRUE(small.ok());
  EXPECT_TRUE(small->starts_with("assay1-"));
  EXPECT_FALSE(std::filesystem::exists(folder.path));
  EXPECT_EQ(*load_token(*small), token_of(ten_steps()));

  const auto large = store_token(encode(token_of(long_plan())), folder.path.string());
  ASSERT_TRUE(large.ok());
  EXPECT_TRUE(large->ends_with(".plan.json"));
  EXPECT_EQ(*load_token(*large), token_of(long_plan()));
  const auto files = std::filesystem::directory_iterator(folder.path);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(Token, SaysWhatIsWrongWithAPlanFile) {
  const Folder folder;
  EXPECT_NE(load_token("/nowhere/x.plan.json").error().message.find("neither an assay token"),
            std::string::npos);
  std::filesystem::create_directories(folder.path);
  const std::string path = (folder.path / "x.plan.json").string();
  std::string text = plan_file_text(token_of(ten_steps()));
  text.replace(text.find("\"do\":\"list\""), 11, "\"do\":\"look\"");
  std::ofstream(path) << text;
  EXPECT_EQ(load_token(path).error().message, path + ": plan.steps[8].do: is not a kind of step");
}

TEST(Token, IsStoredOnlyWhereItIsOne) {
  const Folder folder;
  std::string altered = encode(token_of(long_plan()));
  altered[altered.size() / 2] = altered[altered.size() / 2] == 'A' ? 'B' : 'A';
  for (const std::string& text : {altered, std::string(2 * token_max_length, 'x')}) {
    const auto stored = store_token(text, folder.path.string());
    ASSERT_FALSE(stored.ok());
    EXPECT_EQ(stored.error().code, ErrorCode::invalid);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path));
}

TEST(Token, SaysThatItCannotBeWritten) {
  EXPECT_FALSE(store_token(encode(token_of(long_plan())), "/dev/null/folder").ok());
}

TEST(Token, CarriesTheSchedule) {
  for (const Schedule& schedule :
       {Schedule{.kind = Schedule::Kind::random_walk, .seed = 0xfedcba9876543210},
        Schedule{.kind = Schedule::Kind::pct, .seed = 7, .depth = 4, .moves = 90},
        Schedule{.kind = Schedule::Kind::choices, .choices = {0, 0, 1, 2, -1, 1}}}) {
    ReplayToken of_plan = token_of(ten_steps());
    of_plan.plan->schedule = schedule;
    const auto back = decode_token(encode(of_plan));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->plan->schedule, schedule);

    ReplayToken of_seed = token_of(ten_steps());
    of_seed.plan.reset();
    of_seed.plan_seed = 3;
    of_seed.plan_free = true;
    of_seed.schedule = schedule;
    const auto drawn = decode_token(encode(of_seed));
    ASSERT_TRUE(drawn.ok()) << drawn.error().message;
    EXPECT_EQ(drawn->schedule, schedule);
  }
}

TEST(PlanFile, SaysWhatIsWrongWithASchedule) {
  const auto wrong = [](const std::string& schedule) {
    const auto read = plan_from_json(
        R"({"name": "p", "clients": [{"name": "w"}], "steps": [], "schedule": )" + schedule + "}");
    return read.ok() ? "nothing" : read.error().message;
  };
  EXPECT_EQ(wrong(R"({"by": "choices", "choices": "0*2 1"})"), "nothing");
  EXPECT_NE(wrong(R"({"by": "luck"})").find("schedule.by"), std::string::npos);
  EXPECT_NE(wrong(R"({"by": "choices", "choices": "0*"})").find("schedule.choices"),
            std::string::npos);
  EXPECT_NE(wrong(R"({"by": "pct", "seed": "1", "depth": 0, "moves": 9})").find("schedule.depth"),
            std::string::npos);
  EXPECT_NE(wrong(R"({"by": "choices", "choices": "9"})").find("a choice of client 9"),
            std::string::npos);
}

}  // namespace
}  // namespace assay
