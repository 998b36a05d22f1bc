// Conversation: what the proxy must know of a protocol: where a client's request ends, and where
// its answer does.
//
// It is given the bytes of both sides as they come, in pieces of any size, and keeps none of them:
// what is not whole yet costs a few counters, whatever length it claims. Not thread-safe; one a
// connection.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "harness/proxy/gate.h"

namespace assay::proxy {

enum class Seen {
  nothing,  // all bytes were taken; what they belong to goes on
  part,     // a message ended; the request or answer that it belongs to goes on
  pass,     // a message that is no part of any request or answer
  request,  // a client's request is whole
  answer,   // the answer of the oldest delivered request is whole
  push,     // the server said something that nobody asked for
  copy,     // the server begins a COPY, which is no request with one answer
  drop,     // a message that nobody else is to see
  reply,    // a message for the proxy itself, to be dropped; `reply` is its answer
  refused,  // this cannot be carried on; `why` says why
};

struct Reading {
  std::size_t size = 0;  // of the given bytes, up to the end of what was seen
  Seen seen = Seen::nothing;
};

class Conversation {
 public:
  virtual ~Conversation() = default;

  // Reads to the end of the first thing that is to be seen. What was taken is not given again.
  virtual Reading client(std::string_view bytes) = 0;
  virtual Reading server(std::string_view bytes) = 0;

  // The request that was seen last goes to the server; only now its answer is waited for. False
  // where none will come. A request of which this is not said was never made.
  virtual bool delivered() = 0;

  // Delivered requests that are not answered.
  virtual std::size_t outstanding() const = 0;

  // Of the request that was seen last.
  virtual RequestKind kind() const = 0;

  // Of the answer that was seen last: the server refused.
  virtual bool is_error() const = 0;

  // After Seen::reply and Seen::refused.
  virtual std::string_view reply() const { return {}; }
  const std::string& why() const { return why_; }

  // After Seen::copy, instead of letting it happen: what to tell both sides so that they go on.
  // The message itself is to be dropped.
  struct Refusal {
    std::string to_client, to_server;
    bool goes_on = false;  // otherwise the connection is to be closed
    std::string why = {};
  };
  virtual Refusal refuse_copy() { return {}; }

  // The client closed before it had asked for anything; empty: that is nothing special.
  virtual std::string left_early() const { return {}; }

  // The process that serves this connection; 0: not known.
  virtual int backend_pid() const { return 0; }

 protected:
  Reading refuse(std::size_t size, std::string why) {
    why_ = std::move(why);
    return {size, Seen::refused};
  }

 private:
  std::string why_;
};

std::unique_ptr<Conversation> postgres_conversation();
std::unique_ptr<Conversation> redis_conversation();

// A whole request, short and in one line, for people.
std::string describe_postgres(std::string_view request);
std::string describe_redis(std::string_view request);

// At most this many bytes of a text, with nothing in it that would break a line.
std::string shortened(std::string_view text, std::size_t most = 80);

}  // namespace assay::proxy
