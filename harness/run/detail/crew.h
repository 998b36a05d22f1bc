// Crew: runs numbered cases on one or more threads and hands the results on in the order of the
// numbers, so that what they add up to does not depend on how many threads there were. Each thread
// has a subject, and a place, of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "harness/run/detail/cases.h"
#include "harness/run/detail/subject.h"

namespace assay::detail {

// All but `make` are called by one thread at a time.
struct CrewOrders {
  std::function<bool(std::uint64_t)> wanted;  // whether the case of this number is to be run
  std::function<Case(std::uint64_t)> make;    // by any thread
  std::function<void(const Case&)> begins;    // in no order where there are several threads
  std::function<bool(const Case&, const CaseResult&)> ends;  // in order; false: enough
};

class Crew {
 public:
  explicit Crew(CrewOrders orders) : orders_(std::move(orders)) {}

  // Returns when no case is wanted any more. What our own code threw, if anything, comes back: the
  // cases after it were not run.
  std::optional<std::string> run(const SubjectSpec& spec, int jobs);
  // The subject is there already: this thread works on it.
  std::optional<std::string> run(Subject& subject, int jobs);

 private:
  struct Finished {
    Case one;
    CaseResult result;
  };

  void work(Subject& subject);
  std::optional<std::uint64_t> take();
  void hand_on(std::uint64_t number, Finished finished);
  CaseResult run_one(Subject& subject, const Plan& plan);
  void give_up(std::string why);

  CrewOrders orders_;
  std::mutex mutex_;
  std::shared_mutex store_;  // held alone by a case that something befalls the store in
  bool enough_ = false;
  std::uint64_t next_ = 0;
  std::uint64_t handed_on_ = 0;
  std::map<std::uint64_t, Finished> waiting_;
  std::optional<std::string> trouble_;
};

}  // namespace assay::detail
