// Subject: the driver under test, made when it is needed and made anew once it broke, with the
// clock it lives by.
//
// Not thread-safe: one a thread. Nothing that the driver throws leaves it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "harness/fault/journal.h"
#include "harness/judge/judge.h"
#include "harness/plan/plan.h"
#include "harness/proxy/lines.h"
#include "harness/run/detail/patience.h"
#include "harness/run/detail/threads.h"
#include "harness/run/run.h"
#include "harness/schedule/gate_cuts.h"
#include "harness/schedule/store_gates.h"

namespace assay {
struct EngineInfo;  // harness/run/engine.h
struct KeptDriver;
}  // namespace assay

namespace assay::detail {

// What a driver is made with, again and again; a case depends on this and its plan alone.
struct SubjectSpec {
  const DriverInfo* info = nullptr;
  std::string name;  // as histories and tokens say it
  Profile profile;
  std::uint64_t seed = 0;
  std::optional<std::string> url;
  std::string scratch;
  std::string log_folder;
  std::span<const Property> properties;
  int place = 0;  // Stage::place of its runs
  std::span<const FaultInfo> faults = {};
  Backend* backend = nullptr;  // borrowed
  Disk* disk = nullptr;        // that the store's data are on, or a private store's are to be
  std::string why_no_disk = {};
  std::function<void(const FaultEvent&)> on_fault = {};  // Stage::on_fault of its runs
  proxy::MakeLines make_lines = {};              // for clients to their store; empty: our own
  const EngineInfo* engine = nullptr;            // that plans with workers are run on
  std::vector<std::string> worker_program = {};  // where they are processes
};

struct CaseResult {
  History history;
  Judgement judgement;
  std::vector<int> moves;          // where the plan has a schedule: the choices that repeat them
  bool lost_sight = false;         // not all of them were the schedule's
  std::vector<Trip> trips;         // to the store, where we stood before it
  std::vector<int> gates_of_step;  // where they were counted
  std::size_t cuts = 0;            // clients that were cut off
  std::vector<FaultRecord> faults;
  std::optional<std::string> void_because;  // nothing is concluded from it
  bool was_held_up = false;                 // by lines, or for clients, that nobody told to
  int tried_again = 0;                      // for that reason
  std::optional<std::string> driver_trouble;
  std::optional<std::string> own_trouble;
};

bool convicts(const Judgement& judgement, std::string_view rule);

// The plan with the choices that were made when it ran, where it has a schedule.
Plan as_it_went(Plan plan, const CaseResult& result);

class Subject {
 public:
  explicit Subject(SubjectSpec spec);
  ~Subject();

  // What the driver claims; an error where it cannot even be made.
  Result<Profile> claims();

  // Ends the driver in good order, if there is one; the error says how it would not end.
  Status end();

  const SubjectSpec& spec() const { return spec_; }
  const Profile& profile() const { return spec_.profile; }

  // Runs the plan and judges what happened. After trouble the driver is made anew. The strategy, if
  // any, decides instead of the plan's schedule.
  CaseResult run(const Plan& plan, Strategy* strategy = nullptr);

  // The same with the gates of each step counted.
  CaseResult run_counted(const Plan& plan);

  // How closely clients of a plan with a schedule are interleaved; where that is at calls alone,
  // and a store is used, `why_not_closer` says why.
  Interleaving interleaving();
  // A run of this plan is decided by the order of its requests to the store.
  bool goes_by_trips(const Plan& plan) {
    return plan.schedule && is_free(plan) && interleaving() == Interleaving::trips;
  }
  const std::string& why_not_closer() const { return why_no_gates_; }

  // Stage::before_call of the runs that follow.
  void before_call(std::function<void(OpId)> hook) { before_call_ = std::move(hook); }

 private:
  Status make();
  void forget_lost_disk();
  StoreGates* way_to_store();
  void warm_up(const Plan& plan, StoreGates* store);
  CaseResult run(const Plan& plan, Stage stage);
  CaseResult run_once(const Plan& plan, Stage stage);
  CaseResult run_engine(const Plan& plan);
  Result<KeptDriver> kept_for_engine();
  Result<RunResult> run_processes(const Plan& plan);
  Subject* in_processes(const Plan& plan);
  Result<Network*> lines_for(const Plan& plan);
  bool has_fault(const Plan& plan, bool (*is)(const FaultInfo&)) const;
  void drive(const Plan& plan, Stage stage, CaseResult& result);
  void carry_out(const Plan& plan, const Stage& stage, CaseResult& result);
  void fail_ourselves(const std::string& why, CaseResult& result);
  void blame_nobody(const std::string& why, CaseResult& result);
  void judge(CaseResult& result);
  void judge_engine(CaseResult& result, bool in_processes);
  void leave_behind();
  Status keep_journal();

  SubjectSpec spec_;
  std::vector<Property> engine_properties_;
  // The same driver in processes, for plans with faults; made when it is needed.
  std::unique_ptr<Subject> apart_;
  std::function<void(OpId)> before_call_;
  VirtualClock virtual_;
  RealClock real_;
  std::unique_ptr<Carrier> carrier_;  // outlives the driver, which may have its gates
  std::unique_ptr<GateCuts> cuts_;    // between the driver and the carrier, likewise
  std::unique_ptr<StoreGates> store_gates_;
  Patience patience_;  // of clients on its lines
  Threads threads_;    // of clients that move at once
  std::unique_ptr<Network> network_;
  std::optional<Journal> journal_;
  std::string why_no_gates_;
  std::size_t warm_clients_ = 0;  // so many have had a connection to the store
  std::unique_ptr<Driver> driver_;
  std::uint64_t losses_ = 0;    // of the disk, when the driver was made
  std::optional<Judge> judge_;  // kept between cases: making one costs as much as judging some
};

}  // namespace assay::detail
