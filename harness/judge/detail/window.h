// Window: the operations that are under way, and those that have ended but may still have to be
// read together with others: those that overlapped them.
//
// They leave in the order of their ends, and only once every call that began before they ended has
// ended too.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/judge/facts.h"
#include "harness/judge/ring.h"

namespace assay::judging {

struct Operation;

// One job that an operation is about. An operation may be about many: a claim of several, a page.
struct Part {
  std::string_view id;  // as the operation's events have it
  std::size_t hash = 0;
  std::optional<JobIndex> index = {};  // once it was looked for: perhaps this one
  Operation* of = nullptr;
  Part* next = nullptr;  // that shares its place in the window's index
  bool judged = false;   // with the operations that it overlapped
};

struct Operation {
  const CallEvent* call = nullptr;
  const ReturnEvent* end = nullptr;
  CallEvent kept_call = {};  // where nobody else keeps them
  ReturnEvent kept_end = {};
  Place began = 0;
  Place ended = 0;
  std::vector<Part> parts = {};
  std::string key = {};  // that it takes, as Facts tells keys apart; empty: none
  bool unknown = false;
  bool judged = false;  // as a whole

  Instant now() const { return call->now; }
  Part* part(std::string_view id);
  // The enqueue that made the job, or the replay.
  bool makes(std::string_view id) const;
  // Nobody knows how it ended.
  void lose();
};

class Window {
 public:
  // --- under way ---

  // The events that it is given are the caller's affair.
  Operation& begin(OpId op, Place place);
  // The one of that number that began last, no longer under way; null if there is none.
  Operation* end(OpId op);
  // The one that began first.
  Operation* end_oldest();
  bool nothing_open() const { return open_.empty(); }
  bool is_open_since(Place place) const { return !open_.empty() && open_.front().began < place; }
  // For another operation. Requires: neither under way nor taken in.
  void recycle(Operation& operation);

  // --- ended ---

  // Takes it in. The parts are worked out here; `facts` tells the keys.
  void add(Operation& added, const Facts& facts);

  bool empty() const { return ended_.empty(); }
  std::size_t size() const { return ended_.size(); }
  Operation& front() { return *ended_.front(); }
  void pop();
  // Brings what is known of those that are the front soon into the processor's caches.
  void fetch_ahead(const Facts& facts) const;

  // Where the first of all that are in it began; `otherwise` where there is none.
  Place begins_at(Place otherwise) const {
    if (!open_.empty()) otherwise = std::min(otherwise, open_.front().began);
    if (!first_begun_.empty()) otherwise = std::min(otherwise, first_begun_.front()->began);
    return otherwise;
  }

  // Whether one of the others began before this one ended. Requires: it is the front.
  bool overlaps_front() const;

  // Whether one of the others that are about the same job began before this one ended.
  // Requires: it is of the front.
  bool is_met(const Part& part) const;
  // The operations in it that are about the job, in the order of their ends.
  std::vector<Operation*> about(std::string_view id) const;
  // Those of them that overlap, directly or through others, from the first that is not judged yet;
  // nothing where one of them overlaps a call that has not ended yet.
  std::optional<std::vector<Operation*>> together(std::string_view id) const;
  std::vector<Operation*> with_key(const std::string& key) const;
  // Whether a claim on one of these queues began before that place.
  bool claims_before(const Operation& but, const std::vector<std::string>& queues,
                     Place place) const;
  // How many of them pause or resume a queue.
  std::size_t switches() const { return switches_; }

 private:
  struct Open {
    OpId op;
    Place began;
    Operation* operation;
  };
  Operation* take(std::vector<Open>::iterator at);
  Part*& chain(std::size_t hash) { return by_job_[hash & (by_job_.size() - 1)]; }
  const Part* chain(std::size_t hash) const { return by_job_[hash & (by_job_.size() - 1)]; }
  void claim(Operation& claim, const Reserve& reserve);
  void forget_claim();
  void enter(Part& part);
  void leave(Part& part);
  void grow();

  std::deque<Operation> made_;
  std::vector<Open> open_;  // by their beginnings
  Ring<Operation*> ended_;  // by their ends
  std::vector<Operation*> unused_;
  Ring<Operation*> first_begun_;  // by their ends: those that began before all after them
  // With a few bits of the names of its queues: where no bit is common, no queue is.
  Ring<std::pair<Operation*, std::uint64_t>> claims_;
  std::vector<Part*> by_job_ = std::vector<Part*>(256);  // by hash: lists by their ends
  std::size_t parts_ = 0;
  std::unordered_multimap<std::string, Operation*> by_key_;
  std::size_t switches_ = 0;
  std::array<std::uint32_t, 256> claims_on_{};  // by the hash of a queue's name: how many
};

}  // namespace assay::judging
