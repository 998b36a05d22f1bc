#include "reports/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/file.h"
#include "tests/reports/golden.h"
#include "tests/reports/made_up_report.h"

namespace assay {
namespace {

using Json = nlohmann::json;

Json schema() {
  const auto text = files::read_whole(std::string(ASSAY_SOURCE_DIR) + "/docs/report.schema.json");
  return Json::parse(text.value());
}

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

// What of JSON Schema our schema uses: type, required, properties, items, enum, const.
std::string offence(const Json& value, const Json& rule, const std::string& at) {
  if (rule.contains("const") && value != rule["const"]) return at + " is another constant";
  if (rule.contains("enum") && std::ranges::find(rule["enum"], value) == rule["enum"].end())
    return at + " is none of the enum";
  if (rule.contains("type")) {
    const Json types = rule["type"].is_array() ? rule["type"] : Json::array({rule["type"]});
    bool fits = false;
    for (const Json& type : types) fits = fits || is_of_type(value, type);
    if (!fits) return at + " is of the wrong type";
  }
  if (rule.contains("required") && value.is_object())
    for (const std::string name : rule["required"])
      if (!value.contains(name)) return at + " has no " + name;
  if (rule.contains("properties") && value.is_object()) {
    for (const auto& [name, inner] : value.items()) {
      if (!rule["properties"].contains(name)) return at + "." + name + " is not in the schema";
      const std::string wrong = offence(inner, rule["properties"][name], at + "." + name);
      if (!wrong.empty()) return wrong;
    }
  }
  if (rule.contains("items"))
    for (const Json& item : value) {
      const std::string wrong = offence(item, rule["items"], at + "[]");
      if (!wrong.empty()) return wrong;
    }
  return "";
}

TEST(JsonReport, IsTheGoldenFile) {
  tests::expect_golden("report.json", report_json(tests::made_up_report()));
}

TEST(JsonReport, KeepsItsSchema) {
  for (const Report& report : {tests::made_up_report(), tests::made_up_certificate()})
    EXPECT_EQ(offence(Json::parse(report_json(report)), schema(), "report"), "");
}

TEST(JsonReport, TellsWhatDurabilityWasShownUnder) {
  const Report report = tests::made_up_durable_certificate();
  const Json json = Json::parse(report_json(report));
  EXPECT_EQ(offence(json, schema(), "report"), "");
  EXPECT_EQ(json["durability"]["claimed"], "crash");
  EXPECT_EQ(json["durability"]["outages"][0]["times"], 12);
  EXPECT_EQ(json["durability"]["outages"][1]["why_none"], "it needs root");
}

TEST(JsonReport, HasEveryFieldOfItsSchema) {
  AuditReport audit;
  audit.cells.emplace_back();
  audit.weakest.emplace_back();
  const Json report = Json::parse(report_json(tests::made_up_report(), &audit));
  EXPECT_EQ(offence(report, schema(), "report"), "");
  const Json rules = schema();
  for (const auto& [name, rule] : rules["properties"].items())
    EXPECT_TRUE(report.contains(name)) << name;
  for (const auto& [name, rule] : rules["properties"]["rules"]["items"]["properties"].items())
    EXPECT_TRUE(report["rules"][0].contains(name)) << name;
}

TEST(JsonReport, IsConvictedByItsSchemaWhenAFieldIsGoneOrWrong) {
  Json report = Json::parse(report_json(tests::made_up_report()));
  report["rules"][0].erase("verdict");
  EXPECT_EQ(offence(report, schema(), "report"), "report.rules[] has no verdict");
  report = Json::parse(report_json(tests::made_up_report()));
  report["seed"] = "42";
  EXPECT_EQ(offence(report, schema(), "report"), "report.seed is of the wrong type");
}

TEST(JsonReport, KeepsTheWholeSeed) {
  Report report = tests::made_up_certificate();
  report.seed = UINT64_MAX;
  EXPECT_EQ(Json::parse(report_json(report))["seed"].get<std::uint64_t>(), UINT64_MAX);
}

TEST(JsonReport, IsJsonWhateverADriverAnswered) {
  Report report = tests::made_up_report();
  report.rules[0].reason = "bytes \xff\xfe and \x01";
  EXPECT_TRUE(Json::accept(report_json(report)));
}

}  // namespace
}  // namespace assay
