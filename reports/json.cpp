#include "reports/json.h"

#include <nlohmann/json.hpp>

#include "harness/contract/profile_json.h"
#include "reports/picture.h"

namespace assay {

using Json = nlohmann::ordered_json;

static Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

static Json json_of(const RuleReport& rule) {
  const Rule* known = find_rule(rule.id);
  return Json{
      {"id", rule.id},
      {"promise", known ? Json(known->promise) : Json()},
      {"verdict", name_of(rule.verdict)},
      {"reason", text_or_null(rule.reason)},
      {"triggered", rule.triggered},
      {"cases", rule.cases},
      {"story", text_or_null(rule.story)},
      {"witness", rule.witness},
      {"lanes",
       rule.history ? Json::parse(picture_json(lanes_of(*rule.history, rule.witness))) : Json()},
      {"token", text_or_null(rule.token)},
      {"tier", text_or_null(rule.tier)},
      {"history", text_or_null(rule.history_file)}};
}

static Json json_of(std::span<const FaultTally> faults) {
  Json all = Json::array();
  for (const FaultTally& tally : faults)
    all.push_back({{"fault", tally.fault},
                   {"planned", tally.planned},
                   {"begun", tally.begun},
                   {"proven", tally.proven},
                   {"unmet", tally.unmet},
                   {"in_flight", tally.in_flight},
                   {"proof", tally.proof},
                   {"why_not", tally.why_not}});
  return all;
}

std::string faults_json(std::span<const FaultTally> faults) { return json_of(faults).dump(); }

static Json json_of(const DurabilityReport& durability) {
  Json outages = Json::array();
  for (const OutageTally& outage : durability.outages)
    outages.push_back({{"fault", outage.fault},
                       {"what", outage.one},
                       {"times", outage.times},
                       {"lost", outage.lost},
                       {"why_none", text_or_null(outage.why_none)}});
  return Json{{"claimed", name_of(durability.claimed)},
              {"lost", durability.lost},
              {"shown", shown(durability)},
              {"not_shown", not_shown(durability)},
              {"outages", std::move(outages)}};
}

static Json json_of(const Report& report) {
  Json rules = Json::array();
  for (const RuleReport& rule : report.rules) rules.push_back(json_of(rule));
  Json not_tested = Json::array();
  for (const NotTested& other : report.not_tested)
    not_tested.push_back({{"id", other.id}, {"reason", other.reason}});
  return Json{{"schema", report_schema},
              {"assay_version", report.assay_version},
              {"driver", report.driver},
              {"engine", text_or_null(report.engine)},
              {"backend", text_or_null(report.backend)},
              {"network", text_or_null(report.network)},
              {"profile", title(report.profile)},
              {"level", name_of(report.level)},
              {"seed", report.seed},
              {"certified", report.certified},
              {"exit_status", report.exit_status},
              {"partial", report.partial},
              {"canary", {{"convicted", report.canary_convicted}}},
              {"scenarios", report.scenarios},
              {"generated", report.generated},
              {"operations", report.operations},
              {"seconds", report.seconds},
              {"troubles", report.troubles},
              {"driver_troubles", report.driver_troubles},
              {"remarks", report.remarks},
              {"faults", json_of(report.faults)},
              {"durability", report.durability ? json_of(*report.durability) : Json()},
              {"rules", std::move(rules)},
              {"not_tested", std::move(not_tested)},
              {"claims", Json::parse(to_json(report.profile))}};
}

static Json json_of(const LikenessReport& report) {
  Json rule = json_of(report.rule);
  rule["drivers"] = report.drivers;
  rule["plans"] = report.plans;
  rule["answers"] = report.answers;
  rule["parted"] = report.parted;
  rule["unknown"] = report.unknown;
  rule["seconds"] = report.seconds;
  rule["partial"] = report.partial;
  rule["troubles"] = report.troubles;
  rule["driver_troubles"] = report.driver_troubles;
  return rule;
}

// What a driver answers may be any bytes; a report is always UTF-8.
static std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

static Json json_of(const AuditCell& cell) {
  Json rules = Json::object();
  for (const auto& [id, rule] : cell.rules)
    rules[id] = {{"triggered", rule.triggered},
                 {"convicted", rule.convicted},
                 {"story", text_or_null(rule.story)}};
  return Json{{"group", cell.group},
              {"setting", cell.setting},
              {"default", cell.is_default},
              {"fault", name_of(cell.fault)},
              {"not_tried", cell.not_tried ? Json(*cell.not_tried) : Json()},
              {"cases", cell.cases},
              {"in_flight", cell.in_flight},
              {"operations", cell.operations},
              {"repeated", cell.refused},
              {"rules", std::move(rules)}};
}

static Json json_of(const AuditReport& report) {
  Json cells = Json::array(), weakest = Json::array();
  for (const AuditCell& cell : report.cells) cells.push_back(json_of(cell));
  for (const AuditWeakest& entry : report.weakest)
    weakest.push_back({{"rule", entry.rule},
                       {"group", entry.group},
                       {"fault", name_of(entry.fault)},
                       {"setting", entry.setting ? Json(*entry.setting) : Json()}});
  return Json{{"cells", std::move(cells)},
              {"weakest", std::move(weakest)},
              {"kept_by_all", report.kept_by_all},
              {"troubles", report.troubles},
              {"seconds", report.seconds}};
}

std::string report_json(const Report& report, const AuditReport* audit) {
  Json all = json_of(report);
  if (audit) all["audit"] = json_of(*audit);
  return text_of(all);
}

std::string report_json(const AllReport& report) {
  Json drivers = Json::array();
  for (const Report& driver : report.drivers) drivers.push_back(json_of(driver));
  Json skipped = Json::array();
  for (const SkippedDriver& one : report.skipped)
    skipped.push_back({{"driver", one.driver}, {"reason", one.reason}});
  return text_of(Json{{"schema", report_schema},
                      {"assay_version", report.assay_version},
                      {"driver", "all"},
                      {"profile", title(report.profile)},
                      {"level", name_of(report.level)},
                      {"seed", report.seed},
                      {"certified", report.certified},
                      {"exit_status", report.exit_status},
                      {"seconds", report.seconds},
                      {"troubles", report.troubles},
                      {"alike", report.likeness ? json_of(*report.likeness) : Json()},
                      {"drivers", std::move(drivers)},
                      {"skipped", std::move(skipped)}});
}

}  // namespace assay
