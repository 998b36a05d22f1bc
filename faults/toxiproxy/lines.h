// Lines through a Toxiproxy that is not in this process.
//
// Toxiproxy itself counts what a connection carried when that is over, and tells of nothing that it
// swallowed, held up or closed. So each line has a relay of ours on both sides,
//
//     client -> front relay -> Toxiproxy -> back relay -> store
//
// and its counters are what the two saw (detail/crossing.h). The relays do nothing to the bytes,
// and the little that a real Toxiproxy cannot do: cut off (RST) connections that were there before
// its reset_peer, refuse clients of a line that is not enabled, and forsake. What neither does: who
// ends his half of a connection does not hear the rest of the other.
#pragma once

#include <memory>
#include <string>

#include "faults/toxiproxy/client.h"
#include "harness/proxy/lines.h"

namespace assay::toxiproxy {

struct LinesOptions {
  Client client;
  // Where a journal of the run is kept (harness/fault/journal.h): each proxy stands in it before it
  // is made. Empty: the server ends with us, and all its proxies do.
  std::string journal_folder = {};
  std::uint64_t seed = 0;  // of the relays
};

// Its proxies have names that nobody else's have. They are removed with it. Unavailable: what goes
// in there does not come back to us, or the server does not answer.
Result<std::unique_ptr<proxy::Lines>> lines_through(LinesOptions options);

}  // namespace assay::toxiproxy
