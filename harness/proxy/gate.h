// The words of the gate proxy (proxy.h): who asks, what is held, how it ended, who is told.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace assay::proxy {

// One connection of a client. They are counted from 1, and no number is used twice.
struct ConnectionId {
  int client = 0;
  std::uint64_t number = 0;

  auto operator<=>(const ConnectionId&) const = default;
};

enum class RequestKind {
  plain,
  preparing,  // changes nothing but what its own connection is like; never held: SET, Parse, AUTH
  blocking,   // may wait for something to happen: BLPOP, WAIT, ...
  subscribe,  // SUBSCRIBE, MONITOR, ...: what the server says afterwards is pushed
};

struct HeldRequest {
  ConnectionId from;
  std::string what;               // one short line for people: "Q select 1", "BLPOP q 0"
  std::uint64_t fingerprint = 0;  // of all its bytes
  RequestKind kind = RequestKind::plain;
};

enum class Outcome {
  ok,
  error,      // the server refused
  none,       // the server has it, and never answers such a one
  broken,     // the server has it, and its connection ended before its answer did
  withdrawn,  // the server never gets it: it was cut, or its client went away
};

struct Answer {
  ConnectionId to;
  Outcome outcome = Outcome::ok;
  bool seen = true;  // by the client; false where the connection was cut
};

// What happens to the client where the connection is cut at its request.
enum class Cut {
  before_delivery,  // the server never gets the request
  after_delivery,   // the server gets it; the client's connection ends at once
  after_effect,     // the server has answered; the client's connection ends without the answer
};

// Told of everything, in the order in which it happened, by the proxy's own thread, which waits
// meanwhile: be quick. It may call the proxy.
class ProxyListener {
 public:
  virtual ~ProxyListener() = default;

  virtual void opened(ConnectionId) {}

  // It waits for GateProxy::release or cut. The next request of this connection is held when this
  // one was answered.
  virtual void held(const HeldRequest&) = 0;

  // Once for every held request. Nothing is said of requests that passed.
  virtual void answered(const Answer&) = 0;

  // Where GateProxy::keep_answer was called: the server has answered, and the client waits for
  // GateProxy::release once more.
  virtual void kept(ConnectionId) {}

  // The client is sent something that it did not ask for (a notification, a message of a channel).
  virtual void pushed(ConnectionId, const std::string& what) { (void)what; }

  // What the client wants cannot be carried through a gate (TLS, COPY); a sentence.
  virtual void refused(ConnectionId, const std::string& why) { (void)why; }

  // Both sides are closed. The server closed its side, where it did not die: whatever it did for
  // this connection is done, and its locks are free. A sentence says who closed first.
  virtual void closed(ConnectionId, const std::string& why) { (void)why; }
};

}  // namespace assay::proxy
