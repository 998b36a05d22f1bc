// EngineTrouble: what goes wrong between an engine and its store: it is away, for everybody or for
// one, or it answers and the answers are lost; and what faults of the catalogue do to its wake-ups.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/run/detail/engine_stage.h"
#include "harness/run/detail/engine_surroundings.h"

namespace assay::detail {

class EngineTrouble {
 public:
  // The stage and the faults are borrowed for life.
  EngineTrouble(EngineStage& stage, std::span<const FaultInfo> faults)
      : stage_(stage), faults_(faults), around_(stage.post()) {}

  // What stands between the store and the book.
  Interception interception();

  void begin(const Step& step);
  void end(int slot);  // nothing, where it has ended or never began
  void end_all();
  // Whatever was enqueued and taken, whether or not anybody heard of it.
  const std::set<JobId>& jobs_made() const { return jobs_made_; }
  // Of all that began, in that order.
  std::vector<FaultRecord> take_records() { return std::move(records_); }

 private:
  struct Open {
    FaultSpec spec;
    std::string worker;  // empty: everybody
    std::uint64_t number = 0;
    std::size_t record = 0;
    std::uint64_t met = 0;                   // before
    std::unique_ptr<Fault> fault = nullptr;  // of the catalogue
  };

  bool begin_own(const std::string& name, const std::string& worker);
  void begin_listed(const Step& step);
  void end_own(const Open& fault);
  void end_listed(Open& fault);
  bool is_away(const SessionSpec& spec) const;
  bool loses_answers(const SessionSpec& spec) const;
  void note(const std::vector<Enqueued>& made);
  std::string proof_of(const Open& fault) const;
  void say(const Open& fault, FaultEvent::Stage stage, std::string proof = "");

  EngineStage& stage_;
  const std::span<const FaultInfo> faults_;
  EngineSurroundings around_;
  bool away_ = false, loses_answers_ = false;  // for everybody
  std::set<std::string> away_for_, loses_answers_for_;
  std::set<JobId> jobs_made_;
  std::uint64_t met_ = 0;  // calls that went without an answer
  std::uint64_t number_ = 0;
  std::map<int, Open> open_;  // by slot
  std::vector<FaultRecord> records_;
};

// What a call is answered with that goes nowhere.
Error no_answer();
// Sessions of a worker are named after it: "w1/keeper".
std::string worker_of(const SessionSpec& spec);

}  // namespace assay::detail
