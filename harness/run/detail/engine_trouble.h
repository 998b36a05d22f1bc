// EngineTrouble: what goes wrong between an engine and its store: it is away, for everybody or for
// one, or it answers and the answers are lost.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/run/detail/engine_stage.h"

namespace assay::detail {

class EngineTrouble {
 public:
  // The stage is borrowed for life.
  explicit EngineTrouble(EngineStage& stage) : stage_(stage) {}

  // What stands between the store and the book.
  Interception interception();

  void begin(const Step& step);
  void end(int slot);  // nothing, where it has ended or never began
  void end_all();
  // Of all that began, in that order.
  std::vector<FaultRecord> take_records() { return std::move(records_); }

 private:
  struct Open {
    FaultSpec spec;
    std::string worker;  // empty: everybody
    std::uint64_t number = 0;
    std::size_t record = 0;
    std::uint64_t met = 0;  // before
  };

  bool is_away(const SessionSpec& spec) const;
  std::string proof_of(const Open& fault) const;
  void say(const Open& fault, FaultEvent::Stage stage);

  EngineStage& stage_;
  bool away_ = false;
  std::set<std::string> away_for_, loses_answers_for_;
  std::uint64_t met_ = 0;  // calls that went without an answer
  std::uint64_t number_ = 0;
  std::map<int, Open> open_;  // by slot
  std::vector<FaultRecord> records_;
};

// What a call is answered with that goes nowhere.
Error no_answer();

}  // namespace assay::detail
