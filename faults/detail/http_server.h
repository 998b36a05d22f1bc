// HttpServer: takes HTTP/1.1 requests and answers each by a function.
//
// One thread serves all clients, so that requests are answered one after the other, and a client
// that is slow keeps nobody else waiting: it has ten seconds for a request. Connections are kept,
// requests may come before the last one was answered, bodies in chunks. Requests of more than a
// mebibyte, headers of more than 16 kibibytes and what is no HTTP are refused.
#pragma once

#include <memory>

#include "faults/detail/http.h"

namespace assay::http {

class Server {
 public:
  using Handler = std::function<Answer(const Request&)>;

  // Listens; port 0: any free one. Unavailable: it cannot listen there.
  static Result<std::unique_ptr<Server>> start(const Endpoint& at, Handler handler);
  // Connections are closed.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Where it listens.
  Endpoint endpoint() const;

 private:
  class Core;
  explicit Server(std::unique_ptr<Core> core);

  const std::unique_ptr<Core> core_;
};

}  // namespace assay::http
