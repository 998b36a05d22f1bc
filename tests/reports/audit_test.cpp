// An audit of settings, in every format.
#include "reports/audit.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/json.h"
#include "reports/junit.h"
#include "tests/reports/made_up_report.h"

namespace assay {
namespace {

AuditCell cell(std::string setting, AuditFault fault, std::uint64_t convicted) {
  AuditCell made;
  made.group = "durability";
  made.setting = std::move(setting);
  made.fault = fault;
  made.cases = 4;
  made.operations = 1'000;
  made.rules["DUR-1"] = {9, convicted, convicted > 0 ? "job a is gone" : ""};
  return made;
}

AuditReport made_up_audit() {
  AuditReport report;
  report.cells = {
      cell("sync=off", AuditFault::process_crash, 0), cell("sync=off", AuditFault::power_loss, 3),
      cell("sync=on", AuditFault::process_crash, 0), cell("sync=on", AuditFault::power_loss, 0)};
  report.cells[2].is_default = report.cells[3].is_default = true;
  report.weakest = {{"DUR-1", "durability", AuditFault::process_crash, "sync=off"},
                    {"DUR-1", "durability", AuditFault::power_loss, "sync=on"}};
  return report;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(AuditText, HasALineASettingAndAColumnAFault) {
  const std::string text = audit_text(made_up_audit(), {});
  EXPECT_TRUE(has(text, "process crash           power loss\n")) << text;
  EXPECT_TRUE(has(text, "kept 1 rule             LOST 1 rule\n")) << text;
  EXPECT_TRUE(has(text, "  sync=on (default) ")) << text;
  EXPECT_TRUE(has(text, "      process crash: sync=off\n      power loss:    sync=on\n")) << text;
  EXPECT_FALSE(has(text, "job a is gone")) << text;
  EXPECT_TRUE(has(audit_text(made_up_audit(), {.verbose = true}),
                  "sync=off under power loss loses DUR-1: job a is gone"));
}

TEST(AuditText, SaysWhatWasNotTriedAndWhy) {
  AuditReport report = made_up_audit();
  report.cells[1].not_tried = "it takes root";
  EXPECT_TRUE(
      has(audit_text(report, {}), "sync=off under power loss was not tried: it takes root"));
}

TEST(AuditExitStatus, IsOneOnlyWhereTheDefaultLoses) {
  AuditReport report = made_up_audit();
  EXPECT_EQ(report.exit_status(), 0);
  report.cells[3].rules["DUR-1"].convicted = 1;
  EXPECT_EQ(report.exit_status(), 1);
}

TEST(AuditExitStatus, IsTwoWhereTheDefaultWasNotCrashed) {
  AuditReport report = made_up_audit();
  report.cells[3].not_tried = "it takes root";  // a loss of power cannot be staged everywhere
  EXPECT_EQ(report.exit_status(), 0);
  report.cells[2].not_tried = "there is no server";
  EXPECT_EQ(report.exit_status(), 2);
  report.troubles.push_back("ours");
  EXPECT_EQ(report.exit_status(), 3);
}

TEST(AuditJson, StandsInTheReport) {
  using Json = nlohmann::json;
  const AuditReport audit = made_up_audit();
  const Json report = Json::parse(report_json(tests::made_up_certificate(), &audit));
  EXPECT_EQ(report["audit"]["cells"][1]["rules"]["DUR-1"]["convicted"], 3);
  EXPECT_EQ(report["audit"]["weakest"][1]["setting"], "sync=on");
  EXPECT_FALSE(Json::parse(report_json(tests::made_up_certificate())).contains("audit"));
}

TEST(AuditJunit, FailsOnlyWhatTheDefaultLoses) {
  AuditReport audit = made_up_audit();
  EXPECT_FALSE(has(junit_xml(tests::made_up_certificate(), &audit), "<failure"));
  audit.cells[2].rules["DUR-1"].convicted = 1;
  EXPECT_TRUE(has(junit_xml(tests::made_up_certificate(), &audit), "<failure"));
}

}  // namespace
}  // namespace assay
