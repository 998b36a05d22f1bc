// Lines: many TCP lines with names, each of which can be made bad: ours (shaping_proxy.h), or those
// of a proxy that is not in this process.
//
// Thread-safe. Errors are sentences; those of a real Toxiproxy are in its own words.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/contract/result.h"
#include "harness/proxy/toxics.h"

namespace assay::proxy {

// What a line has done since it was made: the proof that a fault struck.
struct ProxyCounters {
  std::uint64_t accepted = 0;
  std::uint64_t unreached = 0;  // clients who were let in, and whose upstream did not answer
  std::uint64_t cut = 0;        // connections that were closed by a toxic, or with their proxy
  std::uint64_t reset = 0;      // connections that were cut off by a toxic
  std::uint64_t bytes_up = 0, bytes_down = 0;  // that went on
  std::uint64_t bytes_dropped = 0;             // by a toxic
  std::uint64_t chunks_delayed = 0;
  std::uint64_t chunks_split = 0;  // that came in pieces
  std::uint64_t ends_delayed = 0;  // of one side, which the other was told late
  std::uint64_t open = 0;          // connections, now

  bool operator==(const ProxyCounters&) const = default;
};

class Lines {
 public:
  virtual ~Lines() = default;

  // Listens at once; `listen` comes back as it is then. Toxics of the spec are not read. Conflict:
  // there is one of that name.
  virtual Result<ProxySpec> add(const ProxySpec& line) = 0;
  // Not enabled: nobody listens any more, and its connections are closed.
  virtual Result<ProxySpec> change(const std::string& name, const ProxyChange& change) = 0;
  // Its connections are closed.
  virtual Status remove(const std::string& name) = 0;

  // From now on, for connections that are there too; behind the other toxics of its stream.
  virtual Result<ToxicSpec> add_toxic(const std::string& line, const ToxicSpec& toxic) = 0;
  virtual Status remove_toxic(const std::string& line, const std::string& name) = 0;

  // The upstream sides of its connections are cut off, and the clients are not told: whatever they
  // say from now on has no listener. How many there were.
  virtual Result<std::size_t> forsake(const std::string& name) = 0;

  virtual Result<ProxyCounters> counters(const std::string& name) const = 0;
  // Waits, not for long, until the counters know what became of all that is under way.
  virtual void settle(const std::string& name) { static_cast<void>(name); }

  // The error: they do not do what they are told any more, and whoever uses them is not to blame
  // for what comes of it.
  virtual Status check() { return Done{}; }

  // Whether they held something up for long that nobody told them to, since this was last asked; a
  // sentence. Whoever gave up waiting for it is not to blame.
  virtual std::optional<std::string> hiccup() { return std::nullopt; }
};

// With a seed for all that they draw, where they can be told one.
using MakeLines = std::function<Result<std::unique_ptr<Lines>>(std::uint64_t seed)>;

}  // namespace assay::proxy
