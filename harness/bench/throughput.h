// Throughput: how many jobs a second a driver takes and gives, with clients that do nothing else.
//
// One namespace, made by the constructor and dropped by the destructor. Used by one thread at a
// time; the clients are threads of its own.
#pragma once

#include <memory>
#include <vector>

#include "harness/bench/load.h"
#include "harness/contract/driver.h"

namespace assay {

class Throughput {
 public:
  // The driver is borrowed. Requires: it has no namespace.
  static Result<std::unique_ptr<Throughput>> make(Driver& driver, int clients);
  ~Throughput();
  Throughput(const Throughput&) = delete;
  Throughput& operator=(const Throughput&) = delete;

  // Jobs a second. The clients of the load are at most those that it was made with.
  Result<double> enqueue(const Load& load);
  Result<double> settle(const Load& load);  // claims and acks; less time where the queue runs dry

  // Adds jobs; claims and acks so many of them.
  Status fill(std::int64_t jobs);
  Status finish(std::int64_t jobs);

  // What one claim of one job and its ack take, in microseconds: the middle of several series,
  // which settle so many jobs in all.
  static constexpr int claims_of_a_cost = 450;
  Result<double> claim_cost_us();

 private:
  explicit Throughput(Driver& driver) : driver_(driver) {}

  Driver& driver_;
  std::vector<std::unique_ptr<Session>> sessions_;
};

}  // namespace assay
