// ShapingProxy: many TCP proxies with names, each with its toxics: things that are wrong with the
// line. What Toxiproxy does, in this process, and the same again for the same seed.
//
// It moves bytes as GateProxy does, by the same code; where that holds requests until it is told,
// this does something to the stream by the clock.
//
// Better than the original: who ends his side of a connection still hears the other; reset_peer
// cuts connections off that were there before it; whom a toxic befalls is drawn from the seed, the
// proxy's name, the number of the connection and the toxic's name, and stays so.
//
// Thread-safe. A thread of its own moves the bytes. What a call does is done when it returns.
// Errors are in the words of Toxiproxy's server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/contract/result.h"
#include "harness/proxy/toxics.h"

namespace assay::proxy {

// What a proxy has done since it was made: the proof that a fault struck.
struct ProxyCounters {
  std::uint64_t accepted = 0;
  std::uint64_t unreached = 0;  // clients who were let in, and whose upstream did not answer
  std::uint64_t cut = 0;        // connections that were closed by a toxic, or with their proxy
  std::uint64_t reset = 0;      // connections that were cut off by a toxic
  std::uint64_t bytes_up = 0, bytes_down = 0;  // that went on
  std::uint64_t bytes_dropped = 0;             // by a toxic
  std::uint64_t chunks_delayed = 0;
  std::uint64_t open = 0;  // connections, now

  bool operator==(const ProxyCounters&) const = default;
};

class ShapingProxy {
 public:
  static Result<std::unique_ptr<ShapingProxy>> start(std::uint64_t seed);
  ~ShapingProxy();
  ShapingProxy(const ShapingProxy&) = delete;
  ShapingProxy& operator=(const ShapingProxy&) = delete;

  std::uint64_t seed() const;

  // Listens, unless it is not enabled; `listen` comes back as it is then. Its upstream need not be
  // there. Toxics of the spec are not read. Conflict: there is one of that name. Unavailable: it
  // cannot listen there.
  Result<ProxySpec> add(const ProxySpec& proxy);

  // A new place to listen or another upstream closes its connections. Not enabled: nobody listens
  // any more, and its connections are closed. Invalid: the place to listen cannot be read.
  // Unavailable: it cannot listen there, and is not enabled now.
  Result<ProxySpec> change(const std::string& name, const ProxyChange& change);

  // Its connections are closed.
  Status remove(const std::string& name);

  Result<ProxySpec> get(const std::string& name) const;
  std::vector<ProxySpec> all() const;  // by name

  // Adds it, or, where there is one that listens elsewhere or has another upstream, puts this one
  // in its place; else that one stays as it is.
  Result<ProxySpec> put(const ProxySpec& proxy);

  // From now on, for connections that are there too; behind the other toxics of its stream. The
  // name is filled in. Invalid: its stream or type. Conflict: there is one of that name.
  Result<ToxicSpec> add_toxic(const std::string& proxy, const ToxicSpec& toxic);
  Result<ToxicSpec> change_toxic(const std::string& proxy, const std::string& name,
                                 const ToxicChange& change);
  Status remove_toxic(const std::string& proxy, const std::string& name);
  Result<ToxicSpec> get_toxic(const std::string& proxy, const std::string& name) const;

  // The upstream sides of its connections are cut off, and the clients are not told: whatever they
  // say from now on has no listener. How many there were.
  Result<std::size_t> forsake(const std::string& name);

  // Every proxy is enabled, and no toxic is left.
  Status reset();

  Result<ProxyCounters> counters(const std::string& name) const;

 private:
  class Core;
  explicit ShapingProxy(std::unique_ptr<Core> core);

  const std::unique_ptr<Core> core_;
};

}  // namespace assay::proxy
