// The redis driver with one bug in its scripts is convicted of it.
#include <algorithm>

#include "drivers/redis/detail/driver.h"
#include "harness/run/parts.h"
#include "tests/drivers/redis_fixture.h"

namespace assay::redis_test {
namespace {

using rds::Op;

struct Change {
  Op op;
  std::string_view before, now;
};
struct Planted {
  std::string_view name;
  std::string_view rule;
  std::vector<Change> changes;
};

void PrintTo(const Planted& bug, std::ostream* out) { *out << bug.name; }

const Planted bugs[] = {
    {"ack_unfenced",
     "FENCE-1",
     {{Op::ack, "token == ARGV[4] and", ""}, {Op::ack, "not fits and not UNFENCED", "false"}}},
    {"ack_after_expiry",
     "FENCE-3",
     {{Op::ack, "tonumber(expires) > tonumber(ARGV[2]) - EDGE", "true"},
      {Op::ack, "(kind == 'extend' or not LATE)", "false"}}},
    {"ack_keeps_lease",
     "ACK-3",
     {{Op::ack, "call('ZREM', KEYS[1] .. ':leases:'", "call('ZREM', KEYS[1] .. ':other:'"}}},
    {"claim_before_run_time",
     "SCHED-1",
     {{Op::reserve, "line, '-inf', ARGV[2], 'LIMIT'", "line, '-inf', '+inf', 'LIMIT'"}}},
    {"claim_while_paused",
     "PAUSE-1",
     {{Op::reserve, "if not flags or is_paused(flags) then", "if not flags then"}}},
    {"claim_leaves_it_in_line", "LEASE-3", {{Op::reserve, "call('ZREM', line, unpack(due))", ""}}},
    {"extend_after_expiry",
     "LEASE-6",
     {{Op::extend, "(kind == 'extend' or not LATE)", "(kind ~= 'extend')"}}},
    {"dead_without_reason", "DLQ-3", {{Op::fail, "'reason', reason", "'reason', ''"}}},
    {"key_forgotten",
     "IDEMP-1",
     {{Op::enqueue, "call('HSET', root .. ':keys', key, id)", "call('HGET', root, 'x')"}}},
};

DriverInfo driver_with(const Planted& bug) {
  DriverInfo info = redis();
  info.make = [bug](const DriverOptions& options) {
    return rds::RedisDriver::make(options, [&](std::string_view call, std::string& text) {
      for (const Change& change : bug.changes) {
        if (name_of(change.op) != call) continue;
        const std::size_t at = text.find(change.before);
        CHECK(at != std::string::npos);
        text.replace(at, change.before.size(), change.now);
      }
    });
  };
  return info;
}

class RedisWith : public Redis, public ::testing::WithParamInterface<Planted> {};

TEST_P(RedisWith, IsConvicted) {
  CertifyOptions options;
  options.driver = "redis";
  options.driver_url = server()->url();
  options.profile = reference();
  options.seed = 20'300'101;
  options.rules = {std::string(GetParam().rule)};
  options.cases = 20;
  options.budget_seconds = 1e9;
  options.shrink_runs = 100;
  CertifyListener silent;
  const Report report = certify(driver_with(GetParam()), options, built_in_parts(), silent);
  EXPECT_EQ(report.exit_status, 1);
  const auto entry = std::ranges::find(report.rules, GetParam().rule, &RuleReport::id);
  ASSERT_TRUE(entry != report.rules.end());
  EXPECT_EQ(name_of(entry->verdict), "FAIL") << entry->reason;
  EXPECT_NE(entry->story.find("1. "), std::string::npos) << entry->story;
}

INSTANTIATE_TEST_SUITE_P(Bugs, RedisWith, ::testing::ValuesIn(bugs),
                         [](const auto& bug) { return std::string(bug.param.name); });

}  // namespace
}  // namespace assay::redis_test
