#include "faults/toxiproxy/server.h"

#include <fmt/format.h>

#include "faults/detail/http_server.h"
#include "faults/toxiproxy/detail/api.h"
#include "harness/contract/random.h"

namespace assay::toxiproxy {

class Server::Core {
 public:
  Core(std::unique_ptr<proxy::ShapingProxy> made)
      : proxies(std::move(made)), ids_(Random(proxies->seed()).fork("requests")) {}

  Status listen(const ServerOptions& options) {
    // One thread calls it.
    auto started = http::Server::start(
        {options.host, options.port},
        [this](const http::Request& request) { return answer(*proxies, request, ids_.hex(20)); });
    if (!started.ok()) return started.error();
    http = std::move(*started);
    return Done{};
  }

  const std::unique_ptr<proxy::ShapingProxy> proxies;
  std::unique_ptr<http::Server> http;

 private:
  Random ids_;
};

Server::Server(std::unique_ptr<Core> core) : core_(std::move(core)) {}

// First nobody may ask any more.
Server::~Server() { core_->http.reset(); }

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options) {
  auto proxies = proxy::ShapingProxy::start(options.seed);
  if (!proxies.ok()) return proxies.error();
  auto core = std::make_unique<Core>(std::move(*proxies));
  if (Status listens = core->listen(options); !listens.ok()) return listens.error();
  return std::unique_ptr<Server>(new Server(std::move(core)));
}

std::string Server::url() const {
  const http::Endpoint at = core_->http->endpoint();
  const bool is_v6 = at.host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}", is_v6 ? "[" : "", at.host, is_v6 ? "]" : "", at.port);
}

proxy::ShapingProxy& Server::proxies() { return *core_->proxies; }

}  // namespace assay::toxiproxy
