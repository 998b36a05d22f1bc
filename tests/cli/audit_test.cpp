// `assay certify --audit`: what each setting of a store is worth, on real servers.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/cli/cli_test.h"

namespace assay::tests {
namespace {

using Json = nlohmann::json;

class Audit : public CliTest {
 protected:
  static bool can(const char* what) { return std::system(what) == 0; }

  // The report's audit; also the exit status must be 0: no default setting loses anything.
  Json audit(const std::string& driver) {
    const Ended ended = assay({"certify", driver, "--audit", "--cases", "3", "--seed", "5",
                               "--rules", "ACK-1", "--json"});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_TRUE(scratch_is_empty());
    const Json report = Json::parse(ended.out);
    EXPECT_TRUE(report.contains("audit")) << report;
    return report["audit"];
  }

  static Json cell(const Json& audit, const std::string& setting, const std::string& fault) {
    for (const Json& cell : audit["cells"])
      if (cell["setting"] == setting && cell["fault"] == fault) return cell;
    ADD_FAILURE() << "there is no " << setting << " under " << fault;
    return {};
  }

  // Whether the rule was lost; nothing that was not triggered counts as kept.
  static bool lost(const Json& cell, const std::string& rule) {
    EXPECT_TRUE(cell["not_tried"].is_null()) << cell;
    EXPECT_TRUE(cell["rules"].contains(rule)) << cell;
    EXPECT_GT(cell["rules"][rule]["triggered"], 0) << cell;
    return cell["rules"][rule]["convicted"] > 0;
  }

  static std::string weakest(const Json& audit, const std::string& rule, const std::string& fault) {
    for (const Json& entry : audit["weakest"])
      if (entry["rule"] == rule && entry["fault"] == fault)
        return entry["setting"].is_null() ? "none" : entry["setting"];
    return "not told";
  }
};

TEST_F(Audit, TellsWhatRedisLosesWithoutAnAppendOnlyFile) {
  if (!can("command -v redis-server >/dev/null")) GTEST_SKIP() << "no redis-server here";
  const Json found = audit("redis");
  for (const std::string rule : {"DUR-1", "DUR-6"}) {
    EXPECT_TRUE(lost(cell(found, "no persistence", "process crash"), rule));
    EXPECT_TRUE(lost(cell(found, "snapshots (save 60 1)", "process crash"), rule));
    EXPECT_FALSE(lost(cell(found, "appendfsync=no", "process crash"), rule));
    EXPECT_FALSE(lost(cell(found, "appendfsync=always", "process crash"), rule));
    EXPECT_EQ(weakest(found, rule, "process crash"), "appendfsync=no");
  }
  if (!cell(found, "appendfsync=no", "power loss")["not_tried"].is_null()) return;
  EXPECT_TRUE(lost(cell(found, "appendfsync=no", "power loss"), "DUR-1"));
  EXPECT_FALSE(lost(cell(found, "appendfsync=always", "power loss"), "DUR-1"));
}

TEST_F(Audit, TellsWhatPostgresLosesWithoutSynchronousCommits) {
  if (!can("ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1"))
    GTEST_SKIP() << "no PostgreSQL server programs here";
  const Json found = audit("postgres");
  const std::string safe = "fsync=on, synchronous_commit=on";
  EXPECT_TRUE(lost(cell(found, "synchronous_commit=off", "process crash"), "DUR-6"));
  EXPECT_FALSE(lost(cell(found, "fsync=off", "process crash"), "DUR-6"));
  EXPECT_FALSE(lost(cell(found, safe, "process crash"), "DUR-6"));
  for (const std::string level : {"read committed", "repeatable read", "serializable"})
    for (const std::string rule : {"CLAIM-1", "IDEMP-10", "XLEASE-3"})
      EXPECT_FALSE(lost(cell(found, level, "races"), rule)) << level;
  EXPECT_EQ(weakest(found, "CLAIM-1", "races"), "read committed");
  if (!cell(found, safe, "power loss")["not_tried"].is_null()) return;
  EXPECT_TRUE(lost(cell(found, "fsync=off", "power loss"), "DUR-6"));
  EXPECT_FALSE(lost(cell(found, safe, "power loss"), "DUR-6"));
}

TEST_F(Audit, TellsWhatSqliteLosesWithoutSyncs) {
  const Json found = audit("sqlite");
  for (const std::string mode : {"off", "normal", "full"})
    EXPECT_FALSE(lost(cell(found, "synchronous=" + mode, "process crash"), "DUR-6")) << mode;
  const Json power = cell(found, "synchronous=full", "power loss");
  if (!power["not_tried"].is_null()) {
    EXPECT_NE(std::string(power["not_tried"]).find("cannot be staged here"), std::string::npos);
    return;
  }
  EXPECT_TRUE(lost(cell(found, "synchronous=off", "power loss"), "DUR-6"));
  EXPECT_FALSE(lost(power, "DUR-6"));
}

TEST_F(Audit, RefusesWhatMakesNoSense) {
  expect_usage({"certify", "memory", "--audit"}, "--audit makes no sense for memory");
  expect_usage({"certify", "mutant:canary", "--audit"}, "--audit makes no sense");
  expect_usage({"certify", "redis", "--audit", "--driver-url", "redis://x"}, "leave --driver-url");
  expect_usage({"certify", "all", "--audit"}, "--audit");
}

}  // namespace
}  // namespace assay::tests
