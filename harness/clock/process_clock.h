// ProcessClock: a clock for processes that we start, a driver's say: a wrong one, a fast one, or
// one that stands still. It reaches every program that asks the C library for the time (not those
// that are linked statically, nor Go's), its threads, and whatever it starts.
//
// Waits and sleeps of a length keep to real time; waits until an instant to this clock.
//
// With ASSAY_CLOCK=libfaketime in our environment it is libfaketime's, where that is installed
// (harness/clock/faketime.h), in place of our own library.
//
// Thread-safe.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/clock/clock_file.h"
#include "harness/clock/library.h"
#include "harness/contract/result.h"
#include "harness/contract/time.h"

namespace assay {

class ProcessClock {
 public:
  // Keeps its file in `folder`, which exists and outlives the processes. At first it is as the
  // machine's. Unsupported: libfaketime is asked for, and is not there. Invalid: ASSAY_CLOCK names
  // another.
  static Result<std::unique_ptr<ProcessClock>> make(const std::string& folder);

  // For Command::environment. One clock may have many processes.
  const std::vector<std::pair<std::string, std::string>>& environment() const {
    return environment_;
  }

  // Off the machine's by so much from now on, and then `rate` times as fast. Unsupported where the
  // clock is libfaketime's: another rate.
  Status skew(Duration offset, double rate = 1);
  void follow_machine();
  // Requires: it is our own.
  void stand_at(Instant at) { file_->stand_at(at); }

  // What it is made of, for people: "libfaketime"; empty: our own.
  std::string source() const { return faketime_.empty() ? "" : "libfaketime"; }

  // The proof that a process lives by it, as far as that can be seen from outside: it has the file,
  // or libfaketime, in its memory. Not before the process has begun to say something.
  Status is_in(pid_t process) const;

 private:
  ProcessClock() = default;

  Status use_faketime();

  std::string path_;
  std::string faketime_;  // the library; empty: ours is used
  std::unique_ptr<ClockLibrary> library_;
  std::unique_ptr<ClockFile> file_;
  std::vector<std::pair<std::string, std::string>> environment_;
};

}  // namespace assay
