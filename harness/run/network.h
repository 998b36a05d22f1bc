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
#include "harness/proxy/lines.h"

namespace assay {

class Network {
 public:
  // To the store that the url leads to, over lines that `make_lines` makes; where that is empty,
  // over our own. An error where the store is not reached by TCP, or there are no lines.
  static Result<std::unique_ptr<Network>> make(const std::string& url, std::uint64_t seed,
                                               const proxy::MakeLines& make_lines = {});

  // The url of the client of this number, the same for life.
  Result<std::string> url_of(int client);

  proxy::Lines& lines() { return *lines_; }
  // As the client's line is called there.
  static std::string line_of(int client);

 private:
  Network() = default;

  std::string url_, upstream_;
  std::unique_ptr<proxy::Lines> lines_;
  std::mutex mutex_;
  std::map<int, std::string> urls_;
};

}  // namespace assay
