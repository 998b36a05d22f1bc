// certify: the main job. Runs scenarios and generated plans against a driver, judges them, shrinks
// what it convicts, and gives one verdict a rule.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/contract/rules.h"
#include "harness/judge/judge.h"
#include "harness/plan/scenario.h"
#include "harness/plan/token.h"
#include "harness/proxy/lines.h"
#include "harness/schedule/store_gates.h"

namespace assay {

struct EngineInfo;  // harness/run/engine.h
struct FaultInfo;   // harness/fault/fault.h
class Backend;      // harness/backend/backend.h
class Disk;         // harness/backend/disk.h

enum class Verdict { pass, missing, vacuous, inconclusive, error, fail, not_applicable, waived };
std::string_view name_of(Verdict verdict);  // "PASS", "N/A", ...

// What the harness is put together from; borrowed for as long as anything made with it lives.
struct Parts {
  std::span<const Property> properties;
  std::span<const Scenario> scenarios;
  std::span<const FaultInfo> faults = {};
  const DriverInfo* canary = nullptr;  // a mutant that every run must convict, of canary_rule
  std::string_view canary_rule;
  std::span<const Scenario> engine_scenarios = {};  // whose plans have workers
  std::span<const EngineInfo> engines = {};         // the reference first, then its mutants
  const EngineInfo* engine_canary = nullptr;        // one of those, where an engine is certified
};
// Of the reference where there is no name; null: there is none.
const EngineInfo* find_engine(std::span<const EngineInfo> engines, std::string_view name);

struct CertifyOptions {
  std::string driver;  // as the person named it
  Profile profile;
  Level level = Level::contract;
  const EngineInfo* engine = nullptr;  // is certified, on the driver; null: the driver is
  // That is a worker of it when it is told so (harness/run/worker_order.h): its words. Without it
  // no worker is a process.
  std::vector<std::string> worker_program = {};
  std::uint64_t seed = 0;
  std::vector<std::string> rules;  // ids or globs; empty: all
  // Where both are given, plans are generated until the first is reached.
  std::optional<std::uint64_t> cases;    // generated plans; absent: as many as the budget allows
  std::optional<double> budget_seconds;  // absent: 5, or as long as `cases` take
  std::optional<int> jobs;  // cases at a time; absent: 1, more where most of a case is waiting
  bool fail_fast = false;
  int shrink_runs = 2000;
  std::optional<std::string> driver_url;
  std::string backend;              // the server behind that url, for people; empty: nothing to say
  std::vector<std::string> faults;  // filled in by the run: those of its drawn plans
  Backend* server = nullptr;        // that server, where we started it; borrowed for the call
  Disk* disk = nullptr;             // its data are on it, or a private store's are to be; borrowed
  proxy::MakeLines make_lines = {};  // of clients to their store; empty: our own
  std::string network = {};          // what those are, for people; emptied where none are used
  std::string why_no_disk;           // where there is none: a sentence
  std::string scratch;               // a folder for the drivers' private stores
  std::string log_folder;  // a folder for the logs of the drivers' processes; empty: none are kept
  std::optional<std::string> unusable;  // the driver was tried before and cannot be made: why
};

// For how long plans are generated; without end where `cases` alone decides.
double time_limit_seconds(const CertifyOptions& options);

struct RuleReport {
  std::string id;
  Verdict verdict = Verdict::missing;
  std::string reason;              // why not PASS, in a sentence
  std::uint64_t triggered = 0;     // how often its trigger occurred
  std::uint64_t cases = 0;         // in how many plans
  std::string story;               // FAIL: numbered steps in words, then why that cannot be
  std::vector<OpId> witness;       // FAIL: the steps that cannot be, the last where it shows
  std::string token;               // FAIL: replays it
  std::string tier;                // FAIL: how: "exact", "round-trip exact" or "statistical"
  std::string history_file;        // FAIL: set by the report that stored it
  std::optional<History> history;  // FAIL: of the shrunk plan
  std::optional<Plan> plan;        // FAIL: the shrunk plan
};

struct NotTested {
  std::string id;
  std::string reason;
};

// What became of the faults of one name.
struct FaultTally {
  std::string fault;
  std::uint64_t planned = 0;
  std::uint64_t begun = 0;
  std::uint64_t proven = 0;
  std::uint64_t unmet = 0;      // whom they befell made no call meanwhile
  std::uint64_t in_flight = 0;  // calls under way when they struck
  std::string proof;            // of one of them
  std::string why_not;          // one was not begun or proven
};

// What stands behind the verdicts on durability (DUR-1, DUR-4, DUR-6): in how many outages of each
// kind they were judged.
inline constexpr std::string_view durability_rules[] = {"DUR-1", "DUR-4", "DUR-6"};
struct OutageTally {
  std::string fault;  // "crash_store"
  std::string one, many;
  std::uint64_t times = 0;
  std::uint64_t lost = 0;  // of them: in cases that convicted one of those rules
  std::string why_none;    // in a sentence
};
struct DurabilityReport {
  Durability claimed = Durability::none;
  bool lost = false;  // one of those rules was convicted, in an outage or not
  std::vector<OutageTally> outages;
};
std::string_view name_of(Durability durability);  // "none", "restart", "crash"
// "crash, shown by 12 crashes of the process and 6 losses of power", or "crash is claimed, and was
// lost in 2 failovers; 12 crashes of the process lost nothing".
std::string shown(const DurabilityReport& report);
// What it was not shown under, a sentence each: "not shown under loss of power: it needs root".
std::vector<std::string> not_shown(const DurabilityReport& report);

struct Report {
  std::string assay_version;
  std::string driver;
  std::string engine;   // that was certified on it; empty: the driver itself was
  std::string backend;  // the server that it ran on; empty: nothing is known of one
  std::string network;  // what carried the lines of clients; empty: they had none of their own
  Profile profile;
  Level level = Level::contract;
  std::uint64_t seed = 0;
  std::vector<RuleReport> rules;  // in the table's order: those of this level, layer and selection
  std::vector<NotTested> not_tested;  // the others
  std::uint64_t scenarios = 0;
  std::uint64_t generated = 0;
  std::uint64_t operations = 0;
  double seconds = 0;
  bool canary_convicted = false;
  bool partial = false;                        // stopped by hand, or by fail-fast
  std::vector<std::string> troubles;           // ours: nothing that was found can be relied on
  std::vector<std::string> driver_troubles;    // where the driver broke: a case each, a few of them
  std::vector<FaultTally> faults;              // in the order of their names
  std::optional<DurabilityReport> durability;  // from level durability on
  std::vector<std::string> remarks;  // what a reader should know, and nothing was decided by
  bool unusable = false;             // the driver could not be made, so that no rule was tested
  bool certified = false;
  int exit_status = 3;
};

// Told of what happens, in order, from one thread at a time.
class CertifyListener {
 public:
  virtual ~CertifyListener() = default;
  virtual void begins(const CertifyOptions&, std::size_t /*rules*/, std::size_t /*scenarios*/) {}
  // A case is about to run; its token can be written before it does.
  virtual void case_begins(const Plan&, const std::string& /*token*/) {}
  virtual void case_ends(const Plan&, const History&, const Judgement&) {}
  virtual void progress(std::uint64_t /*cases_done*/, std::optional<std::uint64_t> /*of*/,
                        double /*seconds*/, std::size_t /*convicted*/) {}
  // One began, was proven or ended, in the middle of a case; the thread may be another than that of
  // other calls, never at once with `progress`.
  virtual void fault(const FaultEvent&) {}
  virtual void shrinking(const std::string& /*rule*/) {}
  virtual void convicted(const RuleReport&) {}
};

// The rules that a certification of this profile, level and selection speaks of, and the others
// with the reason. Globs (* and ?) know no case. An error where one of them matches no rule, or all
// together none that can be tested.
struct Selection {
  std::vector<const Rule*> rules;      // claimed: each gets a verdict from what is run
  std::vector<NotTested> not_claimed;  // of this level, layer and selection: N/A
  std::vector<NotTested> others;
  Certifies layer = Certifies::driver;
};
Result<Selection> select_rules(const Profile& profile, Level level,
                               std::span<const std::string> globs,
                               Certifies layer = Certifies::driver);

// Whether the rule is among those that the globs mean; without any, every rule is.
bool selects(std::span<const std::string> globs, std::string_view rule);
// An error where one of them matches no rule at all.
Status check_globs(std::span<const std::string> globs);

// Prints nothing and throws nothing, whatever the driver does. With `cases` the report, but for its
// seconds, depends on driver, options and parts alone, not on `jobs`.
Report certify(const DriverInfo& driver, const CertifyOptions& options, const Parts& parts,
               CertifyListener& listener, std::stop_token stop = {});

// 0 certified, 1 a FAIL, 3 trouble of our own, 2 anything else that is not a PASS: a driver that
// broke, something inconclusive, vacuous or missing, a run that was stopped.
int exit_status_of(const Report& report);

// Where free steps make runs differ, a token is replayed until the rule is convicted again and then
// on, to tell how often it is.
struct ReplayResult {
  History history;
  Judgement judgement;
  std::uint64_t hash = 0;
  bool match = false;
  bool convicted = false;  // of the token's rule, again
  bool free = false;       // who is faster decides: histories differ, and are not compared
  bool by_trips = false;   // the order of requests to a store is what was repeated, and compared
  std::vector<Trip> trips;
  std::vector<int> moves;  // by the plan's schedule
  int runs = 1;            // free: so many,
  int convictions = 0;     // and in so many the rule was convicted
  int undecided = 0;       // and in so many others some job's calls had too many orders
  std::string divergence;  // where and how it differs; empty where it matches
  std::string unsteady;    // how a second run differed from the first; empty: not, or not asked
  std::optional<std::string> trouble;
};
// Runs the token's plan again.
struct ReplayOptions {
  std::optional<std::string> driver_url;
  std::string scratch;
  Backend* server = nullptr;  // as in CertifyOptions
  Disk* disk = nullptr;
  std::string why_no_disk = {};
  proxy::MakeLines make_lines = {};
  bool twice = false;  // and compare the two
  // Before each call of a last run, once it is known which call is convicted, if any is.
  std::function<void(OpId, std::optional<OpId> convicted)> before_call = {};
  std::vector<std::string> worker_program = {};  // as in CertifyOptions
};
ReplayResult replay(const ReplayToken& token, const DriverInfo& driver, const Parts& parts,
                    const ReplayOptions& options);

}  // namespace assay
