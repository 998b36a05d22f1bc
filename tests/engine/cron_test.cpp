// Cron expressions: what they mean, by the calendar and by brute force; and what they may not say.
#include "engine/cron.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

namespace assay::engine {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::sys_days;

Instant at(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
  return Instant(
             sys_days(std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(day))) +
         std::chrono::hours(hour) + std::chrono::minutes(minute);
}

Cron cron(const std::string& text) {
  auto parsed = Cron::parse(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.error().message;
  return parsed.value();
}

std::string objection(const std::string& text) {
  const auto parsed = Cron::parse(text);
  if (parsed.ok()) return "";
  EXPECT_EQ(parsed.error().code, ErrorCode::invalid) << text;
  return parsed.error().message;
}

TEST(CronTest, FiresStrictlyLaterThanAsked) {
  const Cron minutely = cron("* * * * *");
  EXPECT_EQ(minutely.next_after(at(2030, 1, 1)), at(2030, 1, 1, 0, 1));
  EXPECT_EQ(minutely.next_after(at(2030, 1, 1) - 1ms), at(2030, 1, 1));
  EXPECT_EQ(minutely.next_after(at(2030, 1, 1) + 59'999ms), at(2030, 1, 1, 0, 1));
}

TEST(CronTest, KnowsTheEndsOfMonths) {
  const Cron last = cron("30 23 31 * *");
  EXPECT_EQ(last.next_after(at(2030, 1, 31, 23, 30)), at(2030, 3, 31, 23, 30));
  EXPECT_EQ(last.next_after(at(2030, 12, 31, 23, 29)), at(2030, 12, 31, 23, 30));
  EXPECT_EQ(last.next_after(at(2030, 12, 31, 23, 30)), at(2031, 1, 31, 23, 30));
  EXPECT_EQ(cron("0 0 1 * *").next_after(at(2030, 2, 28, 12)), at(2030, 3, 1));
}

TEST(CronTest, KnowsLeapYears) {
  const Cron leap = cron("0 12 29 2 *");
  EXPECT_EQ(leap.next_after(at(2030, 1, 1)), at(2032, 2, 29, 12));
  EXPECT_EQ(leap.next_after(at(2032, 2, 29, 12)), at(2036, 2, 29, 12));
  EXPECT_EQ(leap.next_after(at(2096, 3, 1)), at(2104, 2, 29, 12)) << "2100 is none";
  EXPECT_EQ(leap.next_after(at(2396, 3, 1)), at(2400, 2, 29, 12)) << "2400 is one";
  EXPECT_EQ(leap.last_until(at(2103, 1, 1)), at(2096, 2, 29, 12));
}

TEST(CronTest, KnowsTheDaysOfTheWeek) {
  // 2030-01-01 is a Tuesday.
  EXPECT_EQ(cron("0 9 * * MON-FRI").next_after(at(2030, 1, 4, 9)), at(2030, 1, 7, 9));
  EXPECT_EQ(cron("0 0 * * 0").next_after(at(2030, 1, 1)), at(2030, 1, 6));
  EXPECT_EQ(cron("0 0 * * 7"), cron("0 0 * * sun"));
  EXPECT_EQ(cron("0 0 * * FRI-SUN"), cron("0 0 * * 0,5,6"));
  EXPECT_EQ(cron("0 0 * * 5-7"), cron("0 0 * * 0,5,6"));
  EXPECT_EQ(cron("0 0 * * */2"), cron("0 0 * * */2"));
  EXPECT_EQ(cron("0 0 * * */2").next_after(at(2030, 1, 5, 1)), at(2030, 1, 6));
}

TEST(CronTest, NeedsOneOfTwoDaysAndBothWhereOneIsAStar) {
  const Cron either = cron("0 0 13 * FRI");
  EXPECT_EQ(either.next_after(at(2030, 1, 1)), at(2030, 1, 4));
  EXPECT_EQ(either.next_after(at(2030, 1, 11)), at(2030, 1, 13));
  const Cron both = cron("0 0 */2 * FRI");
  EXPECT_EQ(both.next_after(at(2030, 1, 1)), at(2030, 1, 11));
}

TEST(CronTest, ReadsListsRangesStepsAndNames) {
  const std::vector<std::pair<std::string, std::string>> same{
      {"*/15 * * * *", "0,15,30,45 * * * *"},
      {"1-9/4 * * * *", "1,5,9 * * * *"},
      {"0 0-4,22 * * *", "0 0,1,2,3,4,22 * * *"},
      {"0 0 1 jan,JUL,Dec *", "0 0 1 1,7,12 *"},
      {"0 0 1 MAR-MAY *", "0 0 1 3-5 *"},
      {"  0\t0 1   1 *  ", "0 0 1 1 *"},
      {"@hourly", "0 * * * *"},
      {"@daily", "0 0 * * *"},
      {"@midnight", "0 0 * * *"},
      {"@weekly", "0 0 * * SUN"},
      {"@monthly", "0 0 1 * *"},
      {"@yearly", "0 0 1 1 *"},
      {"@Annually", "0 0 1 1 *"}};
  for (const auto& [one, other] : same) EXPECT_EQ(cron(one), cron(other)) << one;
}

TEST(CronTest, RefusesGarbageWithASentenceThatNamesTheField) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"", "five fields"},
      {"* * * *", "five fields"},
      {"* * * * * *", "five fields"},
      {"@never", "no shorthand '@never'"},
      {"@", "no shorthand"},
      {"60 * * * *", "the minute field, '60': '60' is not between 0 and 59"},
      {"-1 * * * *", "the minute field"},
      {"* 24 * * *", "the hour field, '24'"},
      {"* * 0 * *", "the day-of-month field, '0'"},
      {"* * 32 * *", "the day-of-month field, '32'"},
      {"* * * 13 *", "the month field, '13': '13' is not between 1 and 12, and no name"},
      {"* * * FEBR *", "the month field, 'FEBR'"},
      {"* * * * 8", "the day-of-week field, '8'"},
      {"* * * * MO", "the day-of-week field, 'MO'"},
      {"5-1 * * * *", "the minute field, '5-1': the range '5-1' ends before it begins"},
      {"* * * * SAT-MON", "ends before it begins"},
      {"1,,2 * * * *", "the minute field, '1,,2': a value is missing"},
      {", * * * *", "a value is missing"},
      {"1- * * * *", "the minute field"},
      {"1-2-3 * * * *", "the minute field"},
      {"*/0 * * * *", "the step '0' is not between 1 and 59"},
      {"*/60 * * * *", "the step"},
      {"*/ * * * *", "the step"},
      {"5/10 * * * *", "a step needs a range"},
      {"* */x * * *", "the hour field"},
      {"1e1 * * * *", "the minute field"},
      {"99999999999999999999 * * * *", "the minute field"},
      {"\x01\xff * * * *", "the minute field, '?"},
      {"* * 30 2 *", "would never fire"},
      {"0 0 31 4,6,9,11 *", "would never fire"},
      {"0 0 31 FEB */2", "would never fire"},
      {std::string(300, '*'), "300 bytes"}};
  for (const auto& [text, part] : wrong)
    EXPECT_NE(objection(text).find(part), std::string::npos) << text << ": " << objection(text);
  EXPECT_EQ(objection("0 0 31 2 FRI"), "") << "Fridays come";
  EXPECT_EQ(objection("0 0 29 2 */6"), "");
}

TEST(CronTest, EndsWithTime) {
  EXPECT_EQ(cron("* * * * *").next_after(end_of_time), std::nullopt);
  EXPECT_EQ(cron("0 0 1 1 *").next_after(at(9999, 1, 1)), std::nullopt);
  EXPECT_EQ(cron("59 23 31 12 *").next_after(at(9999, 12, 31)), at(9999, 12, 31, 23, 59));
  EXPECT_EQ(cron("* * * * *").next_after(Instant::min()), Instant{});
  EXPECT_EQ(cron("* * * * *").last_until(Instant{} - 1ms), std::nullopt);
  EXPECT_EQ(cron("0 0 1 2 *").last_until(at(1970, 1, 31)), std::nullopt);
  EXPECT_EQ(cron("* * * * *").last_until(Instant::max()), at(9999, 12, 31, 23, 59));
}

// A field as text and as the set of what fits, each made for itself.
struct Drawn {
  std::string text;
  std::set<unsigned> values;
  bool is_star = false;
};

// Values that are named are those that every month has.
Drawn drawn_field(unsigned lowest, unsigned highest, unsigned of_star = 0) {
  const auto number = [&] { return *rc::gen::inRange(lowest, highest + 1); };
  Drawn drawn;
  if (*rc::gen::inRange(0, 3) == 0) {
    const unsigned step = *rc::gen::inRange(1U, 8U);
    drawn.text = step == 1 ? "*" : fmt::format("*/{}", step);
    for (unsigned value = lowest; value <= std::max(highest, of_star); value += step)
      drawn.values.insert(value);
    drawn.is_star = true;
    return drawn;
  }
  for (int parts = *rc::gen::inRange(1, 4); parts > 0; --parts) {
    const unsigned a = number(), b = number(), step = *rc::gen::inRange(1U, 5U);
    const unsigned first = std::min(a, b), last = std::max(a, b);
    if (!drawn.text.empty()) drawn.text += ",";
    drawn.text +=
        step == 1 ? fmt::format("{}-{}", first, last) : fmt::format("{}-{}/{}", first, last, step);
    for (unsigned value = first; value <= last; value += step) drawn.values.insert(value);
  }
  return drawn;
}

RC_GTEST_PROP(CronTest, AgreesWithTheTrialOfEveryMinute, ()) {
  const Drawn minute = drawn_field(0, 59), hour = drawn_field(0, 23), day = drawn_field(1, 28, 31),
              month = drawn_field(1, 12), weekday = drawn_field(0, 6);
  const Cron parsed = cron(
      fmt::format("{} {} {} {} {}", minute.text, hour.text, day.text, month.text, weekday.text));
  const auto fits = [&](Instant when) {
    const auto that_day = std::chrono::floor<days>(when);
    const std::chrono::year_month_day date(that_day);
    const auto of_day = static_cast<unsigned>((when - that_day) / 1min);
    const bool by_date = day.values.contains(static_cast<unsigned>(date.day()));
    const bool by_week = weekday.values.contains(std::chrono::weekday(that_day).c_encoding());
    return minute.values.contains(of_day % 60) && hour.values.contains(of_day / 60) &&
           month.values.contains(static_cast<unsigned>(date.month())) &&
           (day.is_star || weekday.is_star ? by_date && by_week : by_date || by_week);
  };
  const Instant start = run_epoch + 1ms * *rc::gen::inRange<std::int64_t>(0, 40'000'000'000);
  // Some days: what lies behind them is left to the cases above.
  Instant next = std::chrono::floor<std::chrono::minutes>(start) + 1min;
  const Instant end = start + 20 * 24h;
  while (next < end && !fits(next)) next += 1min;
  const auto found = parsed.next_after(start);
  RC_ASSERT(found.has_value());
  if (next < end)
    RC_ASSERT(*found == next);
  else
    RC_ASSERT(*found >= next);
  // There and back again.
  RC_ASSERT(fits(*found));
  RC_ASSERT(parsed.last_until(*found) == found);
  const auto before = parsed.last_until(*found - 1ms);
  RC_ASSERT(before.has_value());
  RC_ASSERT(*before <= start);
  RC_ASSERT(parsed.next_after(*before) == found);
}

}  // namespace
}  // namespace assay::engine
