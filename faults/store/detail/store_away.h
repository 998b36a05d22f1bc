// StoreAway: what the faults share that take the whole store away and let it come back on the data
// that it has then. Where the store is a file, its processes are its clients.
#pragma once

#include <string>

#include "harness/fault/fault.h"

namespace assay::faults {

class StoreAway : public Fault {
 public:
  Status begin() final;
  Result<std::string> proof() final { return proof_; }
  // The server is started again; the error: it does not come back.
  Status end() final;

 protected:
  explicit StoreAway(Surroundings& around) : around_(around) {}
  // Who overrides anything ends it in its own destructor.

  // Each gives the proof that it is gone.
  virtual Result<std::string> stop(Backend& server) = 0;
  virtual Result<std::string> stop_openers() = 0;

  Surroundings& around_;

 private:
  Result<std::string> proof_ = unsupported("the store was never taken away");
  Backend* server_ = nullptr;  // while it is away
};

// For a FaultInfo of the kind: all but what makes it.
FaultInfo store_away(std::string_view name, std::string_view summary, std::string_view needs,
                     Outage outage);

}  // namespace assay::faults
