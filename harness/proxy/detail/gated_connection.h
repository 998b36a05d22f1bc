// GatedConnection: a client's connection and its store's, and the gate between them.
//
// Not thread-safe: the proxy's lock guards it. What happens is told to a sink at once, in order.
#pragma once

#include <functional>
#include <optional>
#include <variant>

#include "harness/contract/result.h"
#include "harness/proxy/detail/conversation.h"
#include "harness/proxy/detail/peer.h"
#include "harness/proxy/detail/waiter.h"
#include "harness/proxy/gate.h"

namespace assay::proxy {

struct Opened {};
struct Kept {};
struct Pushed {
  std::string what;
};
struct Refused {
  std::string why;
};
struct Closed {
  std::string why;
};

struct Event {
  ConnectionId id;
  std::variant<Opened, HeldRequest, Answer, Kept, Pushed, Refused, Closed> what;
};

class GatedConnection {
 public:
  using Sink = std::function<void(Event)>;

  // The poller is borrowed.
  GatedConnection(ConnectionId id, StoreProtocol protocol, Socket client, Connecting server,
                  Poller& poller, Sink sink);

  void hold(bool holds);
  Status release();
  Status keep_answer();
  Status cut(Cut where);

  // Both sides are closed at once.
  void abandon(const std::string& why);

  bool is_over() const { return is_over_; }
  int backend_pid() const { return talk_->backend_pid(); }
  std::string store_address() const { return own_address(server_.socket()); }

 private:
  using End = WaiterOf<GatedConnection>;

  void client_ready(std::uint32_t events);
  void server_ready(std::uint32_t events);
  void take_client();
  void take_server();
  void pass_to_server(std::size_t size);
  void pass_to_client(std::size_t size);
  void take_answer();
  void give_answer();
  void take_copy();
  void announce();
  void deliver();
  void client_ended(std::string why, bool is_gone);
  void server_ended(std::string why);
  void refuse(const std::string& why);
  void withdraw();
  void end_answer(Outcome outcome, bool seen);
  void lose_client(std::string why);
  void tell(decltype(Event::what) what) { sink_({id_, std::move(what)}); }
  void tidy();
  bool gets_answer() const { return client_.is_open() && cut_ != Cut::after_effect; }

  // What is kept of a request that is to be held, or of its answer.
  static constexpr std::size_t most_held = 64 * 1024 * 1024;

  const ConnectionId id_;
  const StoreProtocol protocol_;
  const Sink sink_;
  const std::unique_ptr<Conversation> talk_;
  End client_end_, server_end_;
  Peer client_, server_;

  bool holds_ = false;
  // Of the client's bytes that are here: so many were read, and make one whole request, of which
  // the world was told.
  std::size_t client_read_ = 0;
  bool is_whole_ = false, is_held_ = false;
  bool has_begun_ = false;     // a part of the request has gone on: the rest has to
  bool is_released_ = false;   // a request that was held is with the server
  bool keeps_answer_ = false;  // of that request, until another release
  bool is_kept_ = false;       // it is here
  std::optional<Cut> cut_;     // what is to happen to it
  // Of the server's bytes that are here: so many were read, and a message began there.
  std::size_t server_read_ = 0, message_begin_ = 0;

  bool has_client_ended_ = false, has_server_ended_ = false, is_over_ = false;
  std::string why_;
};

}  // namespace assay::proxy
