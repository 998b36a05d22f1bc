// Location: where a store is and how it is kept, as a url says it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/contract/profile.h"

namespace assay::lite {

enum class Synchronous { off, normal, full };

struct Location {
  std::string path;  // empty: in memory
  Synchronous synchronous = Synchronous::full;
  std::int64_t busy_timeout_ms = 5000;
  std::optional<std::int64_t> max_pages = {};  // the most that the file may grow to

  bool in_memory() const { return path.empty(); }

  // What such a store survives. Only a full sync outlives a loss of power.
  Durability durability() const;

  // For messages.
  std::string shown() const;
};

// `path`, `:memory:`, either with options behind a `?`: synchronous=full|normal|off,
// busy_timeout_ms=N, max_pages=N, joined by `&`. Refuses what it does not know.
Result<Location> parse_location(const std::string& url);

// A new private file in the folder. Refuses a folder that it cannot write.
Result<Location> private_location(const std::string& folder);

}  // namespace assay::lite
