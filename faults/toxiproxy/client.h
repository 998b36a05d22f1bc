// Client: tells a Toxiproxy server, the real one (2.1 to 2.12) or ours, what to do.
//
// Each call is one request on a connection of its own. Thread-safe. What the server refuses is
// invalid, not_found or conflict, in its own words with the status behind them; what it cannot do
// (listen where somebody else does) is unavailable and definite; no answer is unavailable.
#pragma once

#include <string>
#include <vector>

#include "harness/contract/result.h"
#include "harness/proxy/toxics.h"

namespace assay::toxiproxy {

class Client {
 public:
  // "http://127.0.0.1:8474"; asks nobody yet. Invalid: it is no such url.
  static Result<Client> to(const std::string& url);

  const std::string& url() const { return url_; }

  // Unsupported: a version whose API is another. A server that was built by hand does not know its
  // own, and is taken: "git".
  Result<std::string> version() const;

  Result<std::vector<proxy::ProxySpec>> proxies() const;
  Result<proxy::ProxySpec> proxy(const std::string& name) const;
  // Toxics of the spec are not read; `listen` comes back as it is then.
  Result<proxy::ProxySpec> create(const proxy::ProxySpec& spec) const;
  Result<proxy::ProxySpec> update(const std::string& name, const proxy::ProxyChange& change) const;
  Result<proxy::ProxySpec> enable(const std::string& name) const;
  Result<proxy::ProxySpec> disable(const std::string& name) const;
  Status remove(const std::string& name) const;

  // Those that are there with the same places stay as they are.
  Result<std::vector<proxy::ProxySpec>> populate(const std::vector<proxy::ProxySpec>& specs) const;
  // Every proxy is enabled, and no toxic is left.
  Status reset() const;

  Result<std::vector<proxy::ToxicSpec>> toxics(const std::string& proxy) const;
  Result<proxy::ToxicSpec> toxic(const std::string& proxy, const std::string& name) const;
  Result<proxy::ToxicSpec> add_toxic(const std::string& proxy, const proxy::ToxicSpec& toxic) const;
  Result<proxy::ToxicSpec> update_toxic(const std::string& proxy, const std::string& name,
                                        const proxy::ToxicChange& change) const;
  Status remove_toxic(const std::string& proxy, const std::string& name) const;

 private:
  Client(std::string url, std::string host, int port)
      : url_(std::move(url)), host_(std::move(host)), port_(port) {}
  Result<std::string> ask(const std::string& method, const std::string& path,
                          const std::string& body = "") const;
  Result<proxy::ProxySpec> ask_proxy(const std::string& method, const std::string& path,
                                     const std::string& body = "") const;
  Result<proxy::ToxicSpec> ask_toxic(const std::string& method, const std::string& path,
                                     const std::string& body = "") const;

  std::string url_, host_;
  int port_;
};

}  // namespace assay::toxiproxy
