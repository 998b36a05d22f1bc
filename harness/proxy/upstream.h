// Upstream: the store behind the proxy, and how a driver finds the way there through it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/result.h"

namespace assay::proxy {

enum class StoreProtocol { postgres, redis };

// A socket address as the system has it.
struct Address {
  int family = 0;
  std::string bytes;
};

struct Upstream {
  StoreProtocol protocol = StoreProtocol::postgres;
  std::string host;
  int port = 0;
  Address address;
};

// Reads "postgresql://USER:PASSWORD@HOST:PORT/DATABASE", "host=... port=..." or "redis://...", and
// looks the host up. An error where the store is not reached by TCP, or by TLS alone.
Result<Upstream> upstream_of(const std::string& url);

// The same url, but for the way: to this port of 127.0.0.1.
std::string url_through(const std::string& url, int port);

}  // namespace assay::proxy
