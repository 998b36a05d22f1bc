// Window: the operations that have ended but may still have to be read together with others: those
// that overlapped them.
//
// They leave in the order of their ends, and only once every call that began before they ended has
// ended too.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/judge/facts.h"

namespace assay::judging {

// One job that an operation is about. An operation may be about many: a claim of several, a page.
struct Part {
  JobId id;
  bool judged = false;  // with the operations that it overlapped
};

struct Operation {
  const CallEvent* call = nullptr;
  const ReturnEvent* end = nullptr;
  std::unique_ptr<CallEvent> kept_call;  // where nobody else keeps them
  std::unique_ptr<ReturnEvent> kept_end;
  Place began = 0;
  Place ended = 0;
  std::vector<Part> parts = {};
  std::string key = {};  // that it takes, as Facts tells keys apart; empty: none
  bool unknown = false;
  bool judged = false;  // as a whole

  Part* part(const JobId& id);
  // The enqueue that made the job, or the replay.
  bool makes(const JobId& id) const;
};

class Window {
 public:
  // Takes it in. The parts are worked out here; `facts` tells the keys.
  Operation& add(std::unique_ptr<Operation> operation, const Facts& facts);

  bool empty() const { return operations_.empty(); }
  std::size_t size() const { return operations_.size(); }
  Operation& front() { return *operations_.front(); }
  void pop();

  // Whether one of the others began before this one ended. Requires: it is the front.
  bool overlaps_front() const;

  // The operations in it that are about the job, in the order of their ends.
  std::vector<Operation*> about(const JobId& id) const;
  std::vector<Operation*> with_key(const std::string& key) const;
  // Whether a claim on one of these queues began before that place.
  bool claims_before(const Operation& but, const std::vector<std::string>& queues,
                     Place place) const;
  // How many of them pause or resume a queue.
  std::size_t switches() const { return switches_; }

 private:
  using Index = std::unordered_multimap<std::size_t, Operation*>;
  std::vector<Operation*> found(const Index& index, std::string_view text,
                                bool (*fits)(const Operation&, std::string_view)) const;

  std::deque<std::unique_ptr<Operation>> operations_;  // by their ends
  std::multiset<Place> begins_;
  Index by_job_, by_key_;
  std::size_t switches_ = 0;
};

}  // namespace assay::judging
