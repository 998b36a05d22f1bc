// The judge's reading of cron expressions beside the engine's: neither knows the other.
#include "properties/detail/cron_minutes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/cron.h"

namespace assay::properties {
namespace {

using namespace std::chrono_literals;

std::string part_of(int low, int high) {
  const int first = *rc::gen::inRange(low, high + 1);
  const int last = *rc::gen::inRange(first, high + 1);
  const int step = *rc::gen::inRange(1, high + 1);
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return "*";
    case 1:
      return fmt::format("*/{}", step);
    case 2:
      return fmt::format("{}-{}", first, last);
    case 3:
      return fmt::format("{}-{}/{}", first, last, step);
    default:
      return std::to_string(first);
  }
}

std::string field_of(int low, int high) {
  std::string field = part_of(low, high);
  for (int more = *rc::gen::inRange(0, 3); more > 0; --more) field += "," + part_of(low, high);
  return field;
}

std::string some_expression() {
  return fmt::format("{} {} {} {} {}", field_of(0, 59), field_of(0, 23), field_of(1, 31),
                     field_of(1, 12), field_of(0, 7));
}

// All that the engine means between the two.
std::vector<Instant> by_engine(const engine::Cron& cron, Instant from, Instant to) {
  std::vector<Instant> found;
  for (auto one = cron.next_after(from); one && *one <= to; one = cron.next_after(*one))
    found.push_back(*one);
  return found;
}

RC_GTEST_PROP(CronMinutes, AreThoseOfTheEngine, ()) {
  const std::string text = some_expression();
  const auto theirs = engine::Cron::parse(text);
  const auto ours = CronMinutes::read(text);
  RC_ASSERT(ours.has_value());
  // What never fires is refused by the engine alone.
  if (!theirs.ok()) RC_DISCARD("never fires");
  const Instant from = run_epoch + std::chrono::minutes(*rc::gen::inRange(0, 600'000)) +
                       std::chrono::seconds(*rc::gen::inRange(0, 60));
  RC_LOG() << text;
  RC_ASSERT(ours->between(from, from + 48h) == by_engine(*theirs, from, from + 48h));
}

TEST(CronMinutes, KnowNamesAndShortForms) {
  for (const char* text : {"@hourly", "@daily", "@weekly", "0 0 1 JAN,jun *", "30 3 * * MON-FRI",
                           "0 12 * * FRI-SUN", "0 12 13 * 5", "0 12 */2 * MON", "5 0 * * 7"}) {
    const auto ours = CronMinutes::read(text);
    ASSERT_TRUE(ours) << text;
    const auto theirs = engine::Cron::parse(text);
    ASSERT_TRUE(theirs.ok()) << text;
    const auto found = ours->between(run_epoch, run_epoch + 400 * 24h);
    EXPECT_EQ(found, by_engine(*theirs, run_epoch, run_epoch + 400 * 24h)) << text;
    EXPECT_FALSE(found.empty()) << text;
  }
}

TEST(CronMinutes, AreNoneOfWhatIsNoExpression) {
  for (const char* text : {"", "* * * *", "* * * * * *", "60 * * * *", "* * 0 * *", "* * * 13 *",
                           "5/2 * * * *", "* * * * 8", "9-3 * * * *", "*/0 * * * *", "1, * * * *"})
    EXPECT_FALSE(CronMinutes::read(text)) << text;
}

}  // namespace
}  // namespace assay::properties
