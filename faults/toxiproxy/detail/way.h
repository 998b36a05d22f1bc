// Way: by which addresses we and a server reach each other.
#pragma once

#include <string>

#include "faults/detail/http.h"
#include "harness/contract/result.h"

namespace assay::toxiproxy {

// As a place to listen begins: "127.0.0.1", "[::1]".
struct Way {
  std::string ours, theirs;
};

// Unavailable: it cannot be reached.
Result<Way> way_to(const http::Endpoint& server);

}  // namespace assay::toxiproxy
