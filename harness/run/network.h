// Network: the lines of clients to their store, each through a proxy of its own (harness/proxy), so
// that each can be made bad for itself.
//
// Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "harness/contract/result.h"
#include "harness/proxy/shaping_proxy.h"

namespace assay {

class Network {
 public:
  // To the store that the url leads to. An error where it is not reached by TCP.
  static Result<std::unique_ptr<Network>> make(const std::string& url, std::uint64_t seed);

  // The url of the client of this number, the same for life.
  Result<std::string> url_of(int client);

  proxy::ShapingProxy& lines() { return *lines_; }
  // As the client's line is called there.
  static std::string line_of(int client);

 private:
  Network() = default;

  std::string url_, upstream_;
  std::unique_ptr<proxy::ShapingProxy> lines_;
  std::mutex mutex_;
  std::map<int, std::string> urls_;
};

}  // namespace assay
