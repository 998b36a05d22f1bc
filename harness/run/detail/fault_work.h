// FaultWork: the faults of one run: begins them when their step's turn comes, asks for proof, and
// ends them, all of them, on every way out.
//
// Not thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/fault/fault.h"
#include "harness/fault/journal.h"
#include "harness/fault/record.h"

namespace assay::detail {

class FaultWork {
 public:
  using Tell = std::function<void(FaultEvent)>;

  // Everything is borrowed for life.
  // The journal may be null.
  FaultWork(std::span<const FaultInfo> known, Surroundings& around, Journal* journal, Tell tell)
      : known_(known), around_(around), journal_(journal), tell_(std::move(tell)) {}
  ~FaultWork() { end_all(); }
  FaultWork(const FaultWork&) = delete;
  FaultWork& operator=(const FaultWork&) = delete;

  // False: it could not be begun, so that the run is void.
  bool begin(const Step& step, std::vector<OpId> in_flight);
  void end(int slot);
  void end_all();

  bool is_any_going() const { return count_ > 0; }
  // So far in the run; or is about to.
  bool has_any_begun() const { return has_begun_; }

  // Something was taken away that did not come back: the run cannot go on, and it is not ours.
  const std::optional<Error>& not_back() const { return not_back_; }

  // In the order in which they began.
  const std::vector<FaultRecord>& records() const { return records_; }

 private:
  struct Going {
    std::unique_ptr<Fault> fault;
    std::size_t record = 0;
    FaultEvent said;  // of it so far
    bool shows_at_end = false;
    bool is_outage = false;
    std::optional<Journal::Number> written = std::nullopt;
  };

  void ask_for_proof(Going& going);
  void end(Going& going);

  std::span<const FaultInfo> known_;
  Surroundings& around_;
  Journal* journal_;
  Tell tell_;
  std::map<int, Going> going_;  // by slot
  std::atomic<int> count_ = 0;  // of those, for clients that move meanwhile
  std::atomic<bool> has_begun_ = false;
  std::vector<FaultRecord> records_;
  std::optional<Error> not_back_;
};

}  // namespace assay::detail
