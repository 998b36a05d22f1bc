// Toxiproxy's HTTP API, 2.12, on top of our own proxies: a function of a request.
#pragma once

#include "faults/detail/http.h"
#include "harness/proxy/shaping_proxy.h"

namespace assay::toxiproxy {

// What other people's clients are told that this is.
inline constexpr const char* spoken_version = "2.12.0";

// `id` goes into the header by which a request is found in a log.
http::Answer answer(proxy::ShapingProxy& proxies, const http::Request& request, std::string id);

}  // namespace assay::toxiproxy
