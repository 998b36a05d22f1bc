// Location: where a Redis server is and how we log in, as a url says it.
#pragma once

#include <cstdint>
#include <string>

#include "harness/contract/result.h"

namespace assay::rds {

struct Location {
  std::string host = "127.0.0.1";
  std::int64_t port = 6379;
  std::string socket = {};  // a path; used instead of host and port
  std::string user = {};    // empty: the default one
  std::string password = {};
  std::int64_t database = 0;
  std::int64_t connect_timeout_ms = 5000;
  std::int64_t timeout_ms = 10'000;  // of a command

  // For messages: without user and password.
  std::string shown() const;
};

// redis://[user[:password]@]host[:port][/database] or unix://[user[:password]@]/path, either with
// options behind a `?`: db=N, connect_timeout_ms=N, timeout_ms=N, joined by `&`. User and password
// may be written with %XX. Refuses what it does not know, and never repeats a password.
Result<Location> parse_location(const std::string& url);

}  // namespace assay::rds
