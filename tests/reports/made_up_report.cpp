#include "tests/reports/made_up_report.h"

namespace assay::tests {

static RuleReport rule(std::string id, Verdict verdict, std::string reason) {
  RuleReport report;
  report.id = std::move(id);
  report.verdict = verdict;
  report.reason = std::move(reason);
  return report;
}

static RuleReport passed(std::string id, std::uint64_t triggered) {
  RuleReport report = rule(std::move(id), Verdict::pass, "");
  report.triggered = triggered;
  report.cases = 12;
  return report;
}

static RuleReport failed() {
  RuleReport report = rule("FENCE-2", Verdict::fail, "worker-1's stale token was accepted");
  report.triggered = 31;
  report.cases = 7;
  report.story =
      "1. producer enqueues job A\n2. worker-1 reserves A until 00:00:30, token <t1> & \"more\"\n"
      "3. the clock moves to 00:00:31\n4. worker-2 reserves A until 00:01:01, token t2\n"
      "5. worker-1 acks A with t1: ok\x1b[2J\n"
      "t1 was replaced by t2 in step 4, so step 5 must be refused";
  report.token = "assay1-eJyrVkrLz1eyUkpKLFKqBQA";
  report.tier = "exact";
  report.history_file = "runs/20300101-000000-memory/histories/FENCE-2.jsonl";
  return report;
}

Report made_up_certificate() {
  Report report;
  report.assay_version = "0.1.0";
  report.driver = "memory";
  report.network = "the embedded proxy: no toxiproxy-server is on PATH";
  report.profile = *built_in_profile("reference");
  report.seed = 42;
  report.rules = {passed("FENCE-1", 1'234), passed("LEASE-2", 88)};
  report.not_tested = {{"DUR-1", "of level durability"}, {"FLOW-1", "of the engine"}};
  report.scenarios = 40;
  report.generated = 600;
  report.operations = 123'456;
  report.seconds = 5.25;
  report.canary_convicted = true;
  report.certified = true;
  report.exit_status = 0;
  return report;
}

Report made_up_durable_certificate() {
  Report report = made_up_certificate();
  report.level = Level::durability;
  report.profile.durability = Durability::crash;
  report.durability = DurabilityReport{
      Durability::crash,
      false,
      {{"crash_store", "crash of the process", "crashes of the process", 12, 0, ""},
       {"lose_power", "loss of power", "losses of power", 0, 0, "it needs root"},
       {"restart_store", "graceful restart", "graceful restarts", 1, 0, ""}}};
  return report;
}

Report made_up_report() {
  Report report = made_up_certificate();
  report.rules.push_back(failed());
  report.rules.push_back(rule("LEASE-3", Verdict::vacuous, "its trigger never occurred"));
  report.rules.push_back(rule("LEASE-4", Verdict::inconclusive, "3 calls ended nobody knows how"));
  report.rules.push_back(rule("ACK-1", Verdict::missing, "not run by this version"));
  report.rules.push_back(rule("ACK-2", Verdict::error, "the driver could not be set up"));
  report.rules.push_back(
      rule("FENCE-7", Verdict::not_applicable, "not claimed: needs fence=token_attempt"));
  report.driver_troubles = {"seed/42/17: setup: disk\x01 full"};
  report.certified = false;
  report.exit_status = 1;
  return report;
}

}  // namespace assay::tests
