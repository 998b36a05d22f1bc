// StoreGates: a carrier for drivers that talk to a real Postgres or Redis and know nothing of us.
// Each request of each client to the store is a gate.
//
// A client is known by the way it takes: the url that it is given leads through a proxy
// (harness/proxy) that holds its requests while a run is on. One that waits in the store for
// another one, for a lock say, is recognised by asking the store, and others go on; where the
// server is one of this machine, its processes that wait are stopped, so that they wake up one at a
// time.
//
// Not thread-safe, like any carrier.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/schedule/call_cuts.h"
#include "harness/schedule/carrier.h"

namespace assay {

// A request that was let through, and so came to the store or was cut on its way.
struct Trip {
  int client = 0;
  std::string what;  // one short line for people
  bool operator==(const Trip&) const = default;
};

// Between begin_call and end_call a client's requests are held outside of runs, too, and pass at
// once.
class StoreGates : public Carrier, public CallCuts {
 public:
  // The url that the client of this number is to be given, the same for life.
  virtual Result<std::string> url_of(int client) = 0;

  // The requests that were let through since it was last asked: those of runs, and of calls that
  // were begun.
  virtual std::vector<Trip> take_trips() = 0;

  // What a client wanted that cannot be carried through a gate (TLS, COPY), the first since the
  // last call: a sentence. Empty: nothing.
  virtual std::string take_refusal() = 0;
};

// The url of a store that answers. An error where its protocol cannot be read on the way (TLS, a
// socket that is a file), or where the store cannot be asked who waits.
Result<std::unique_ptr<StoreGates>> store_gates(const std::string& url);

}  // namespace assay
