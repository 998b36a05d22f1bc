// Places: "HOST:PORT" as the shaping proxy is told of them, with the words in which Toxiproxy (and
// Go, which it is written in) complains.
#pragma once

#include <string>
#include <vector>

#include "harness/contract/result.h"
#include "harness/proxy/detail/sockets.h"

namespace assay::proxy {

// Where to listen, with its host looked up: "127.0.0.1:1234". Without a host it is 127.0.0.1.
// Invalid: it cannot be read, or the host is not known.
Result<std::string> listening_place(const std::string& listen);

// Listens there. Unavailable: "listen tcp 127.0.0.1:80: bind: permission denied".
Result<Socket> listen_on(const std::string& listen);

// All addresses of a host and port, to be tried in turn; none where there are none. Asks the
// system, which may take its time.
std::vector<Address> addresses_of(const std::string& place);

}  // namespace assay::proxy
