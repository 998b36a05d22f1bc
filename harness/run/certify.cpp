#include "harness/run/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <mutex>

#include "harness/contract/version.h"
#include "harness/fault/fault.h"
#include "harness/plan/account.h"
#include "harness/proxy/upstream.h"
#include "harness/run/detail/canary.h"
#include "harness/run/detail/crew.h"
#include "harness/run/detail/exhibit.h"
#include "harness/run/detail/ledger.h"
#include "harness/run/detail/needs.h"
#include "harness/run/engine.h"
#include "harness/run/sweep.h"

namespace assay {
namespace {

using namespace detail;

// Shrinking all convictions takes at most this long, or three times the budget if that is more.
constexpr double shrink_seconds = 30;

// A driver that broke in several cases by then gets no more of them.
constexpr double patience_seconds = 60;

class Certification {
 public:
  Certification(const DriverInfo& driver, const CertifyOptions& options, const Parts& parts,
                CertifyListener& listener, std::stop_token stop)
      : options_(options), parts_(parts), listener_(listener), stop_(std::move(stop)) {
    spec_ = {&driver,
             options.driver,
             options.profile,
             driver_seed(options.seed),
             options.driver_url,
             options.scratch,
             options.log_folder,
             parts.properties,
             0,
             parts.faults,
             options.server,
             options.disk,
             options.why_no_disk,
             [this](const FaultEvent& event) {
               const std::lock_guard lock(telling_);
               listener_.fault(event);
             },
             options.make_lines,
             options.engine,
             options.worker_program};
    report_.assay_version = version();
    report_.driver = options.driver;
    if (options.engine) report_.engine = options.engine->name;
    report_.backend = options.backend;
    report_.profile = options.profile;
    report_.level = options.level;
    report_.seed = options.seed;
  }

  Report run() {
    try {
      certify();
    } catch (const std::exception& thrown) {
      failed_ourselves(thrown.what());
    } catch (...) {
      failed_ourselves("something was thrown that is no exception");
    }
    report_.seconds = watch_.seconds();
    report_.exit_status = exit_status_of(report_);
    report_.certified = report_.exit_status == 0;
    return std::move(report_);
  }

 private:
  void certify() {
    auto void_because = canary_trouble(parts_, options_.seed, options_.scratch,
                                       options_.engine ? parts_.engine_canary : nullptr);
    report_.canary_convicted = !void_because;
    if (void_because) report_.troubles.push_back(std::move(*void_because));

    Subject first(spec_);
    const auto claimed = options_.unusable
                             ? Result<Profile>({ErrorCode::unavailable, *options_.unusable})
                             : first.claims();
    const Status ended = first.end();
    // From here on the driver is made as it will be made for a replay: with what it claims.
    if (claimed.ok()) report_.profile = spec_.profile = *claimed;
    if (!options_.jobs) options_.jobs = cases_at_a_time();
    const auto bad_clock = claimed.ok() ? clock_trouble() : std::nullopt;
    const Profile judged =
        options_.engine ? with_engine(spec_.profile, *options_.engine) : spec_.profile;
    auto selection = select_rules(judged, options_.level, options_.rules,
                                  options_.engine ? Certifies::engine : Certifies::driver);
    if (!selection.ok() && !claimed.ok()) return cannot_be_made(claimed.error());
    if (!selection.ok()) return report_.troubles.push_back(selection.error().message);
    report_.not_tested = selection->others;

    Ledger ledger(judged, *selection, parts_.properties);
    const CaseSource source(spec_.profile, options_, parts_, *selection);
    for (const FaultInfo* fault : source.mix()) options_.faults.emplace_back(fault->name);
    if (!uses_lines()) options_.network.clear();
    report_.network = options_.network;
    listener_.begins(options_, selection->rules.size(), source.scenarios());
    if (!claimed.ok()) {
      ledger.circumstances.unusable = "the driver cannot be made: " + claimed.error().message;
      ledger.driver_troubles.push_back(*ledger.circumstances.unusable);
      report_.unusable = true;
    } else if (!ended.ok()) {
      ledger.driver_broke("the driver would not end: " + ended.error().message);
    }
    if (bad_clock) {
      ledger.circumstances.unusable = *bad_clock;
      ledger.driver_troubles.push_back(*bad_clock);
      report_.unusable = true;
    }
    if (claimed.ok() && !bad_clock && report_.canary_convicted) {
      run_cases(ledger, source);
      if (spec_.profile.in_real_time()) once_more(ledger, source);
      if (options_.level >= Level::chaos && !options_.engine) sweep_scenarios(ledger, source);
    }
    conclude(ledger, source, *selection);
  }

  // Nobody knows what it would have claimed.
  void cannot_be_made(const Error& why) {
    report_.unusable = true;
    report_.driver_troubles.push_back("the driver cannot be made: " + why.message);
  }

  // Whether faults of the network can befall clients on their way to a store.
  bool uses_lines() const {
    const bool has_clients = !options_.engine || !options_.worker_program.empty();
    return has_clients && options_.level >= Level::chaos && options_.driver_url &&
           spec_.profile.has("shared_storage") && proxy::upstream_of(*options_.driver_url).ok() &&
           std::ranges::any_of(parts_.faults,
                               [](const FaultInfo& fault) { return fault.family == "network"; });
  }

  // What keeps us from living by the store's clock, where it cannot be moved.
  std::optional<std::string> clock_trouble() {
    if (options_.engine) return why_no_engine(*spec_.info, spec_.profile);
    if (!spec_.profile.in_real_time()) return std::nullopt;
    Plan plan{"clock", {{"w", Role::worker}}, {}};
    plan.steps.assign(4, {.kind = StepKind::advance, .when = When{.offset = Duration{1'000}}});
    Subject subject(spec_);
    std::optional<std::string> trouble = subject.run(plan).driver_trouble;
    static_cast<void>(subject.end());
    return trouble;
  }

  void run_cases(Ledger& ledger, const CaseSource& source) {
    CrewOrders orders;
    orders.wanted = [&](std::uint64_t number) { return wanted(number, source); };
    orders.make = [&](std::uint64_t number) { return source.at(number); };
    orders.begins = [&](const Case& one) {
      listener_.case_begins(one.plan, encode(source.token(one)));
    };
    orders.ends = [&](const Case& one, const CaseResult& result) {
      ledger.add(one, result);
      listener_.case_ends(one.plan, result.history, result.judgement);
      const std::lock_guard lock(telling_);
      listener_.progress(ledger.scenarios + ledger.generated, source.count(), watch_.seconds(),
                         ledger.convicted());
      const bool failed_fast = options_.fail_fast && ledger.convicted() > 0;
      // What we are in trouble with does not get better.
      report_.partial = report_.partial || failed_fast || result.own_trouble;
      return !failed_fast && !result.own_trouble && !ledger.hopeless() && !too_slow(ledger);
    };
    if (auto trouble = Crew(std::move(orders)).run(spec_, *options_.jobs))
      failed_ourselves(*trouble);
  }

  // Where time passes by itself, most of a case is waiting. No more, or the connections of a server
  // would not do.
  int cases_at_a_time() const { return spec_.profile.in_real_time() ? 16 : 1; }

  // A machine that is busy with many cases may be too late for a short lease: what was not seen is
  // looked for with nothing else going on, for a while: a driver that does nothing shows nothing.
  void once_more(Ledger& ledger, const CaseSource& source) {
    constexpr std::uint64_t tries = 3;
    constexpr double seconds = 20;
    const Stopwatch watch;
    Subject subject(spec_);
    for (std::uint64_t number = 0; number < tries * source.scenarios(); ++number) {
      const Case one = source.at(number % source.scenarios());
      const bool unseen = std::ranges::any_of(ledger.records, [&](const RuleRecord& record) {
        return record.seen.judged && record.seen.triggered == 0 &&
               std::ranges::find(one.scenario->triggers, record.rule->id) !=
                   one.scenario->triggers.end();
      });
      if (watch.seconds() > seconds || report_.partial || ledger.hopeless()) break;
      if (stop_.stop_requested()) break;
      if (!unseen) continue;
      listener_.case_begins(one.plan, encode(source.token(one)));
      const CaseResult result = subject.run(one.plan);
      ledger.add(one, result);
      listener_.case_ends(one.plan, result.history, result.judgement);
    }
    if (const Status ended = subject.end(); !ended.ok()) ledger.driver_broke(ended.error().message);
  }

  // Each client of a swept scenario is cut off at each of its gates, a case each. Where time passes
  // by itself, an account of every job would take as long as the leases: it is left out.
  void sweep_scenarios(Ledger& ledger, const CaseSource& source) {
    if (spec_.profile.in_real_time()) return;
    Subject subject(spec_);
    bool stopped = report_.partial;
    for (const Scenario& scenario : parts_.scenarios) {
      if (!scenario.swept || !meets(spec_.profile, scenario.needs)) continue;
      const Plan plan = scenario.plan(spec_.profile);
      const Plan whole = with_account(plan, spec_.profile);
      std::vector<int> gates = subject.run_counted(whole).gates_of_step;
      gates.resize(plan.steps.size());  // the account is left alone
      for (const Plan& cut : cuts_of(whole, gates, subject.interleaving())) {
        if (stop_.stop_requested()) report_.partial = stopped = true;
        if (stopped || ledger.hopeless() || too_slow(ledger)) return;
        const Case one{cut, nullptr, std::nullopt};
        listener_.case_begins(cut, encode(source.token(one)));
        const CaseResult result = subject.run(cut);
        // A cut that never came proves nothing.
        if (result.cuts == 0 && !result.driver_trouble) {
          report_.partial = true;
          ++ledger.missed_cuts;
        }
        if (result.cuts > 0 || result.driver_trouble) ledger.add(one, result);
        listener_.case_ends(cut, result.history, result.judgement);
      }
    }
    if (const Status ended = subject.end(); !ended.ok()) ledger.driver_broke(ended.error().message);
  }

  // A driver that falls silent again and again costs a deadline each time.
  bool too_slow(const Ledger& ledger) {
    const bool is =
        ledger.broken() >= 5 &&
        watch_.seconds() > std::max(patience_seconds, 3 * options_.budget_seconds.value_or(0));
    report_.partial = report_.partial || is;
    return is;
  }

  void failed_ourselves(const std::string& why) {
    report_.troubles.push_back("the harness itself failed: " + why);
  }

  // Where scenarios take long, since they have to wait or start processes, generated plans have
  // their time besides.
  double time_limit(std::uint64_t number, const CaseSource& source) {
    const bool is_slow = spec_.profile.in_real_time() || options_.level >= Level::chaos;
    if (is_slow && number == source.scenarios()) waited_ = watch_.seconds();
    return waited_ + time_limit_seconds(options_);
  }

  bool wanted(std::uint64_t number, const CaseSource& source) {
    const auto count = source.count();
    if (count && number >= *count) return false;
    if (number >= source.scenarios() && watch_.seconds() >= time_limit(number, source))
      return false;
    report_.partial = report_.partial || stop_.stop_requested();
    return !stop_.stop_requested();
  }

  void conclude(const Ledger& ledger, const CaseSource& source, const Selection& selection) {
    report_.scenarios = ledger.scenarios;
    report_.generated = ledger.generated;
    report_.operations = ledger.operations;
    std::ranges::copy(ledger.troubles, std::back_inserter(report_.troubles));
    report_.driver_troubles = ledger.driver_troubles;
    report_.remarks = source.left_out();
    std::ranges::copy(ledger.remarks(), std::back_inserter(report_.remarks));
    report_.faults = listed(ledger.faults);
    if (options_.level >= Level::durability && !options_.engine)
      report_.durability = durability(ledger);
    for (NotTested& rule : report_.not_tested)
      if (ledger.in_passing.contains(rule.id)) rule.reason += "; yet convicted in passing";
    for (const RuleRecord& record : ledger.records)
      report_.rules.push_back(verdict(ledger, record));
    for (const NotTested& rule : selection.not_claimed) {
      RuleReport entry;
      entry.id = rule.id;
      entry.verdict = Verdict::not_applicable;
      entry.reason = rule.reason;
      report_.rules.push_back(std::move(entry));
    }
    in_the_tables_order(report_.rules);
    exhibit_all(ledger, source);
  }

  DurabilityReport durability(const Ledger& ledger) const {
    DurabilityReport report;
    report.claimed = spec_.profile.durability;
    report.lost = std::ranges::any_of(ledger.records, [](const RuleRecord& record) {
      return record.seen.convicted &&
             std::ranges::find(durability_rules, record.rule->id) != std::end(durability_rules);
    });
    for (const FaultInfo& fault : parts_.faults) {
      if (!fault.outage) continue;
      const std::string name(fault.name);
      OutageTally tally{name, std::string(fault.outage->one), std::string(fault.outage->many), 0, 0,
                        ""};
      const auto outlived = ledger.outlived.find(name);
      if (outlived != ledger.outlived.end()) tally.times = outlived->second;
      if (const auto lost = ledger.lost_in.find(name); lost != ledger.lost_in.end())
        tally.lost = lost->second;
      // Nobody claims to outlive that: where it was not tried nothing is missing.
      if (tally.times == 0 && fault.needs_replica) continue;
      if (tally.times == 0) tally.why_none = why_no(fault, ledger);
      report.outages.push_back(std::move(tally));
    }
    return report;
  }

  std::string why_no(const FaultInfo& fault, const Ledger& ledger) const {
    if (!meets(spec_.profile, fault.needs))
      return fmt::format("the driver claims no more than {}", name_of(spec_.profile.durability));
    if (auto missing = why_not(fault, spec_.profile, grounds_of(options_))) return *missing;
    const auto tally = ledger.faults.find(std::string(fault.name));
    if (tally != ledger.faults.end() && !tally->second.why_not.empty())
      return tally->second.why_not;
    return "no case with it was judged";
  }

  RuleReport verdict(const Ledger& ledger, const RuleRecord& record) const {
    RuleReport entry;
    entry.id = record.rule->id;
    entry.triggered = record.seen.triggered;
    entry.cases = record.cases;
    Decision decision = decide(record.seen, ledger.circumstances);
    if (!report_.canary_convicted)
      decision = {Verdict::missing, "not run: the canary was not convicted"};
    entry.verdict = decision.verdict;
    entry.reason = std::move(decision.reason);
    return entry;
  }

  static void in_the_tables_order(std::vector<RuleReport>& entries) {
    std::ranges::sort(entries, {}, [](const RuleReport& entry) { return find_rule(entry.id); });
  }

  void exhibit_all(const Ledger& ledger, const CaseSource& source) {
    Subject subject(spec_);
    const Stopwatch watch;
    const double seconds = std::max(shrink_seconds, 3 * options_.budget_seconds.value_or(0));
    auto left = static_cast<double>(ledger.convicted());
    for (const RuleRecord& record : ledger.records) {
      if (!record.witness) continue;
      const auto id = record.rule->id;
      RuleReport& entry = *std::ranges::find(report_.rules, id, &RuleReport::id);
      listener_.shrinking(entry.id);
      const double share = std::max(0.0, seconds - watch.seconds()) / left--;
      exhibit(record, subject, source.token({}), {options_.shrink_runs, share, stop_}, entry);
      listener_.convicted(entry);
    }
  }

  CertifyOptions options_;
  const Parts& parts_;
  CertifyListener& listener_;
  std::mutex telling_;  // of progress and faults, which come from the threads of several cases
  std::stop_token stop_;
  SubjectSpec spec_;
  Stopwatch watch_;
  double waited_ = 0;  // for scenarios, where they take long
  Report report_;
};

}  // namespace

double time_limit_seconds(const CertifyOptions& options) {
  constexpr double default_seconds = 5;
  if (options.budget_seconds) return *options.budget_seconds;
  return options.cases ? std::numeric_limits<double>::infinity() : default_seconds;
}

Report certify(const DriverInfo& driver, const CertifyOptions& options, const Parts& parts,
               CertifyListener& listener, std::stop_token stop) {
  return Certification(driver, options, parts, listener, std::move(stop)).run();
}

}  // namespace assay
