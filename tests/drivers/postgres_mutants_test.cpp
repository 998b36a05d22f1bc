// The postgres driver with one bug in its statements is convicted of it.
#include <algorithm>

#include "harness/run/parts.h"
#include "tests/drivers/postgres_fixture.h"

namespace assay::pg_test {
namespace {

using Sql = std::string PostgresStatements::*;

struct Change {
  Sql sql;
  std::string_view before, now;
};
struct Planted {
  std::string_view name;
  std::string_view rule;
  std::vector<Change> changes;
};

void PrintTo(const Planted& bug, std::ostream* out) { *out << bug.name; }

constexpr std::string_view fence = "(unfenced_ OR (token = token_ AND attempt IS NOT DISTINCT";
constexpr std::string_view live = "(NOT strict_ OR expires_at > ";

// A call has a quick statement by the caller's clock, which the reference profile lives by, and a
// function: a bug is in both of them, or nobody would meet it.
const Planted bugs[] = {
    {"ack_unfenced",
     "FENCE-1",
     {{&PostgresStatements::ack, fence, "(true OR (token = token_ AND attempt IS NOT DISTINCT"},
      {&PostgresStatements::quick_ack_by_caller, fence,
       "(true OR (token = token_ AND attempt IS NOT DISTINCT"}}},
    {"ack_after_expiry",
     "FENCE-3",
     {{&PostgresStatements::ack, live, "(true OR expires_at > "},
      {&PostgresStatements::quick_ack_by_caller, live, "(true OR expires_at > "}}},
    {"extend_after_expiry",
     "LEASE-6",
     {{&PostgresStatements::extend, live, "(true OR expires_at > "}}},
    {"claim_before_run_time",
     "SCHED-1",
     {{&PostgresStatements::reserve, "AND rank = rank_ AND due <= now_ms ORDER BY",
       "AND rank = rank_ ORDER BY"}}},
    {"quick_claim_before_run_time",
     "SCHED-1",
     {{&PostgresStatements::quick_reserve_by_caller, "AND due <= $2", ""}}},
    {"quick_claim_while_paused",
     "PAUSE-1",
     {{&PostgresStatements::quick_reserve_by_caller, " AND NOT EXISTS (SELECT FROM paused)", ""},
      {&PostgresStatements::reserve, "WHERE b NOT IN (SELECT queue FROM paused)", ""}}},
    {"claim_of_any_queue",
     "CLAIM-6",
     {{&PostgresStatements::reserve, "WHERE queue = open_[1] AND state = 'w'\n        AND rank",
       "WHERE state = 'w'\n        AND rank"}}},
    {"dead_without_reason",
     "DLQ-3",
     {{&PostgresStatements::settle, "dead_reason = reason_", "dead_reason = ''"}}},
    {"key_forgotten",
     "IDEMP-1",
     {{&PostgresStatements::enqueue, "CASE WHEN keyed_ AND", "CASE WHEN false AND"},
      {&PostgresStatements::quick_enqueue, "CASE WHEN keyed_ AND", "CASE WHEN false AND"}}},
    {"list_loses_one", "ADMIN-2", {{&PostgresStatements::list, "> $5 OR", "> $5 + 1 OR"}}},
};

DriverInfo driver_with(const Planted& bug) {
  PostgresStatements statements = postgres_statements();
  for (const Change& change : bug.changes) {
    std::string& text = statements.*change.sql;
    std::size_t at = text.find(change.before);
    CHECK(at != std::string::npos);
    for (; at != std::string::npos; at = text.find(change.before, at + change.now.size()))
      text.replace(at, change.before.size(), change.now);
  }
  return postgres_with("postgres", "with a bug", std::move(statements));
}

class PostgresWith : public Postgres, public ::testing::WithParamInterface<Planted> {};

TEST_P(PostgresWith, IsConvicted) {
  CertifyOptions options;
  options.driver = "postgres";
  options.driver_url = server()->url();
  options.profile = reference();
  options.seed = 20'300'101;
  options.rules = {std::string(GetParam().rule)};
  options.cases = 20;
  options.budget_seconds = 1e9;
  options.shrink_runs = 20;
  CertifyListener silent;
  const Report report = certify(driver_with(GetParam()), options, built_in_parts(), silent);
  EXPECT_EQ(report.exit_status, 1);
  const auto entry = std::ranges::find(report.rules, GetParam().rule, &RuleReport::id);
  ASSERT_TRUE(entry != report.rules.end());
  EXPECT_EQ(name_of(entry->verdict), "FAIL") << entry->reason;
  EXPECT_NE(entry->story.find("1. "), std::string::npos) << entry->story;
}

INSTANTIATE_TEST_SUITE_P(Bugs, PostgresWith, ::testing::ValuesIn(bugs),
                         [](const auto& bug) { return std::string(bug.param.name); });

}  // namespace
}  // namespace assay::pg_test
