#include "harness/run/network.h"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/proxy/shaping_proxy.h"
#include "harness/proxy/upstream.h"

namespace assay {

static Result<std::unique_ptr<proxy::Lines>> own_lines(std::uint64_t seed) {
  auto made = proxy::ShapingProxy::start(seed);
  if (!made.ok()) return made.error();
  return std::unique_ptr<proxy::Lines>(std::move(*made));
}

Result<std::unique_ptr<Network>> Network::make(const std::string& url, std::uint64_t seed,
                                               const proxy::MakeLines& make_lines) {
  const auto upstream = proxy::upstream_of(url);
  if (!upstream.ok()) return upstream.error();
  auto lines = make_lines ? make_lines(seed) : own_lines(seed);
  if (!lines.ok()) return lines.error();
  std::unique_ptr<Network> network(new Network);
  network->url_ = url;
  network->upstream_ = fmt::format("{}:{}", upstream->host, upstream->port);
  network->lines_ = std::move(*lines);
  return network;
}

std::string Network::line_of(int client) { return fmt::format("client-{}", client); }

Result<std::string> Network::url_of(int client) {
  const std::lock_guard lock(mutex_);
  if (const auto known = urls_.find(client); known != urls_.end()) return known->second;
  const auto line = lines_->add({.name = line_of(client), .listen = "", .upstream = upstream_});
  if (!line.ok()) return line.error();
  const int port = std::atoi(line->listen.substr(line->listen.rfind(':') + 1).c_str());
  return urls_[client] = proxy::url_through(url_, port);
}

}  // namespace assay
