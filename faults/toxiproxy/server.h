// Server: proxies of our own that are told what to do as Toxiproxy's server is: by its HTTP API.
//
// Thread-safe. Its proxies may be used past the API, too.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/contract/result.h"
#include "harness/proxy/shaping_proxy.h"

namespace assay::toxiproxy {

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 8474;  // 0: any free one
  std::uint64_t seed = 0;
};

class Server {
 public:
  // Unavailable: it cannot listen there.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options);
  // Every proxy and connection goes.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string url() const;  // "http://127.0.0.1:8474"
  proxy::ShapingProxy& proxies();

 private:
  class Core;
  explicit Server(std::unique_ptr<Core> core);

  const std::unique_ptr<Core> core_;
};

}  // namespace assay::toxiproxy
