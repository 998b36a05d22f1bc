// GateProxy: stands between clients and their store, and lets each request of each client through
// when it is told to; sees where its answer ends; cuts connections at exact points.
//
// Each client has a port of its own, so that it is known by where it connects: the driver need not
// know of us. A client may have many connections; each has its own order of requests and answers.
//
// At first everything passes. Of a client that is held each request waits for `release` or `cut`;
// its answer goes to the client when all of it is here. One request of a connection is on its way
// at a time. Logins, cancellations and the end of a connection are not requests, and always pass.
//
// What is held: for Postgres a simple query, a function call, or a group of messages up to a Sync
// or Flush; for Redis one command, also one of many that came at once. COPY is refused to clients
// that are held, and passes otherwise; TLS is refused always. What merely prepares a connection (a
// setting, a statement to be prepared, a script to be loaded) is not held: nobody else sees it.
//
// Thread-safe. A thread of its own moves the bytes and calls the listener; no lock is held
// meanwhile, so that the listener may call back, and other threads may call at the same time. What
// a call does to a socket is done when it returns; what it makes happen is told later, by that
// thread.
#pragma once

#include <memory>
#include <string>

#include "harness/contract/result.h"
#include "harness/proxy/gate.h"
#include "harness/proxy/upstream.h"

namespace assay::proxy {

// What a store knows a connection by.
struct StoreSession {
  int backend_pid = 0;  // of Postgres, once the login is over
  std::string address;  // ours: "127.0.0.1:41234"

  bool operator==(const StoreSession&) const = default;
};

class GateProxy {
 public:
  // The listener is borrowed for life.
  static Result<std::unique_ptr<GateProxy>> start(Upstream upstream, ProxyListener& listener);

  // Closes every connection. The listener is not called any more once this returns. Requires: not
  // called by the listener.
  ~GateProxy();
  GateProxy(const GateProxy&) = delete;
  GateProxy& operator=(const GateProxy&) = delete;

  // The port of 127.0.0.1 that this client is to connect to. Conflict: it has one.
  Result<int> add_client(int client);

  // Its port and its connections are closed.
  Status remove_client(int client);

  // From now on its requests wait, or pass; those that wait pass then. Not found: no such client.
  Status hold(int client, bool holds);
  // All clients, also those to come.
  void hold(bool holds);

  // The held request of this connection goes to the store, or the kept answer to the client.
  // Conflict: there is none. Not found: no such connection any more.
  Status release(ConnectionId connection);

  // The answer to the request that was let through last is kept back until the next release: for a
  // client that waits in the store, and is to wake up when it is told to. Conflict: it has none
  // under way.
  Status keep_answer(ConnectionId connection);

  // At the held request of this connection, or, where none is held: after_delivery closes it now,
  // and after_effect keeps the answer back that it waits for. Conflict: it is too late for that.
  Status cut(ConnectionId connection, Cut where);

  // Not found: no such connection any more.
  Result<StoreSession> session(ConnectionId connection) const;

 private:
  class Core;
  explicit GateProxy(std::unique_ptr<Core> core);

  const std::unique_ptr<Core> core_;
};

}  // namespace assay::proxy
