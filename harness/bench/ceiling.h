// Ceiling: the most that a store itself can do: the smallest statements that still enqueue, claim
// under a lease, and ack with a fencing token, sent by the fastest client at hand. What a driver
// does is told as a part of it.
//
// Used by one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "harness/bench/load.h"
#include "harness/contract/result.h"

namespace assay {

class Ceiling {
 public:
  // What it made in the store is gone afterwards.
  virtual ~Ceiling() = default;

  // Who sends what, for people: "pgbench, prepared statements".
  virtual std::string method() const = 0;

  // Jobs a second.
  virtual Result<double> enqueue(const Load& load) = 0;
  virtual Result<double> settle(const Load& load) = 0;  // a claim and an ack
};

// The error says why there is none: the program that measures it is not installed, no server.
using MakeCeiling = std::function<Result<std::unique_ptr<Ceiling>>(const std::string& url)>;

}  // namespace assay
