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

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/contract/result.h"
#include "harness/proxy/lines.h"
#include "harness/proxy/toxics.h"

namespace assay::proxy {

class LineWatcher;  // harness/proxy/line_watcher.h

class ShapingProxy final : public Lines {
 public:
  static Result<std::unique_ptr<ShapingProxy>> start(std::uint64_t seed);
  ~ShapingProxy() override;
  ShapingProxy(const ShapingProxy&) = delete;
  ShapingProxy& operator=(const ShapingProxy&) = delete;

  std::uint64_t seed() const;
  std::chrono::microseconds now() const;  // since it began, as its watchers are told

  // Listens, unless it is not enabled; `listen` comes back as it is then. Its upstream need not be
  // there. Toxics of the spec are not read. Conflict: there is one of that name. Unavailable: it
  // cannot listen there.
  Result<ProxySpec> add(const ProxySpec& proxy) override;
  // The watcher, which is borrowed until the proxy goes, is told what it carries.
  Result<ProxySpec> add(const ProxySpec& proxy, LineWatcher& watcher);

  // A new place to listen or another upstream closes its connections. Not enabled: nobody listens
  // any more, and its connections are closed. Invalid: the place to listen cannot be read.
  // Unavailable: it cannot listen there, and is not enabled now.
  Result<ProxySpec> change(const std::string& name, const ProxyChange& change) override;

  // Its connections are closed.
  Status remove(const std::string& name) override;

  Result<ProxySpec> get(const std::string& name) const;
  std::vector<ProxySpec> all() const;  // by name

  // Adds it, or, where there is one that listens elsewhere or has another upstream, puts this one
  // in its place; else that one stays as it is.
  Result<ProxySpec> put(const ProxySpec& proxy);

  // From now on, for connections that are there too; behind the other toxics of its stream. The
  // name is filled in. Invalid: its stream or type. Conflict: there is one of that name.
  Result<ToxicSpec> add_toxic(const std::string& proxy, const ToxicSpec& toxic) override;
  Result<ToxicSpec> change_toxic(const std::string& proxy, const std::string& name,
                                 const ToxicChange& change);
  Status remove_toxic(const std::string& proxy, const std::string& name) override;
  Result<ToxicSpec> get_toxic(const std::string& proxy, const std::string& name) const;

  Result<std::size_t> forsake(const std::string& name) override;

  // Every proxy is enabled, and no toxic is left.
  Status reset();

  Result<ProxyCounters> counters(const std::string& name) const override;

 private:
  class Core;
  explicit ShapingProxy(std::unique_ptr<Core> core);

  const std::unique_ptr<Core> core_;
};

}  // namespace assay::proxy
