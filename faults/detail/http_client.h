// A request to an HTTP server, on a connection of its own.
#pragma once

#include "faults/detail/http.h"

namespace assay::http {

// "http://HOST:PORT" with nothing behind it; without a port it is `usual_port`.
Result<Endpoint> endpoint_from(const std::string& url, int usual_port);

// Waits ten seconds at most. Unavailable: there was no answer; definite where nobody was reached.
Result<Answer> ask(const Endpoint& whom, const Request& request);

}  // namespace assay::http
