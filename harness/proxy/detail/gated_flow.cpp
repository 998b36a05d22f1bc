// What comes from either side of a gated connection, and how far it goes.
#include <fmt/format.h>

#include "harness/contract/random.h"
#include "harness/proxy/detail/gated_connection.h"

namespace assay::proxy {

// A message that is not whole goes on when so much of it is here, where it may.
static constexpr std::size_t streamed = 64 * 1024;

// Reads what came from the client, until there is a request to hold.
void GatedConnection::take_client() {
  std::size_t passes = 0;  // of what was read
  while (!is_whole_ && !has_client_ended_ && client_read_ < client_.incoming.size()) {
    const Reading reading = talk_->client(client_.incoming.view().substr(client_read_));
    client_read_ += reading.size;
    switch (reading.seen) {
      case Seen::pass:
        passes = client_read_;
        break;
      case Seen::request:
        if (holds_ && !has_begun_ && talk_->kind() != RequestKind::preparing) {
          is_whole_ = true;
        } else {
          talk_->delivered();
          passes = client_read_;
        }
        has_begun_ = false;
        break;
      case Seen::part:
      case Seen::nothing:
        if (holds_ && !has_begun_) break;
        if (reading.seen == Seen::part || client_read_ >= streamed) {
          passes = client_read_;
          has_begun_ = true;
        }
        break;
      case Seen::reply:
        client_.incoming.drop(std::exchange(client_read_, 0));
        client_.send(talk_->reply());
        break;
      default:
        pass_to_server(passes);
        return refuse(talk_->why());
    }
  }
  pass_to_server(passes);
  if (!is_whole_ && client_read_ > most_held)
    return refuse(
        fmt::format("a request of more than {} MiB is too large to be held", most_held >> 20));
  announce();
}

void GatedConnection::pass_to_server(std::size_t size) {
  if (size == 0) return;
  server_.send(client_.incoming.view().substr(0, size));
  client_.incoming.drop(size);
  client_read_ -= size;
}

void GatedConnection::pass_to_client(std::size_t size) {
  if (size == 0) return;
  if (gets_answer()) client_.send(server_.incoming.view().substr(0, size));
  server_.incoming.drop(size);
  server_read_ -= size;
  message_begin_ = message_begin_ > size ? message_begin_ - size : 0;
}

// A request is told of when all before it are answered: then it is the next step of its client.
void GatedConnection::announce() {
  if (!is_whole_ || is_held_ || is_released_ || talk_->outstanding() > 0) return;
  is_held_ = true;
  const std::string_view request = client_.incoming.view().substr(0, client_read_);
  const bool is_postgres = protocol_ == StoreProtocol::postgres;
  tell(HeldRequest{id_, is_postgres ? describe_postgres(request) : describe_redis(request),
                   stable_hash(request), talk_->kind()});
}

void GatedConnection::deliver() {
  is_held_ = is_whole_ = false;
  is_released_ = true;
  const bool has_answer = talk_->delivered();
  pass_to_server(client_read_);
  if (!has_answer) end_answer(Outcome::none, true);
}

void GatedConnection::end_answer(Outcome outcome, bool seen) {
  is_released_ = keeps_answer_ = false;
  tell(Answer{id_, outcome, seen && gets_answer()});
  if (cut_) lose_client("the connection was cut");
}

void GatedConnection::withdraw() {
  is_held_ = is_whole_ = false;
  client_.incoming.clear();
  client_read_ = 0;
  tell(Answer{id_, Outcome::withdrawn, false});
}

// Reads what came from the server. The answer of a request that was held goes on when it is whole.
void GatedConnection::take_server() {
  if (is_kept_) return;
  std::size_t passes = 0;
  while (!has_server_ended_ && server_read_ < server_.incoming.size()) {
    const Reading reading = talk_->server(server_.incoming.view().substr(server_read_));
    server_read_ += reading.size;
    switch (reading.seen) {
      case Seen::nothing:
        continue;
      case Seen::push:
        if (client_.is_open())
          tell(Pushed{shortened(
              server_.incoming.view().substr(message_begin_, server_read_ - message_begin_))});
        if (!is_released_ || message_begin_ == 0) passes = server_read_;
        break;
      case Seen::answer:
        if (is_released_ && keeps_answer_ && gets_answer()) {
          pass_to_client(std::exchange(passes, 0));
          is_kept_ = true;
          tell(Kept{});
          return;
        }
        if (is_released_) {
          pass_to_client(server_read_);
          passes = 0;
          take_answer();
        } else {
          passes = server_read_;
          announce();
        }
        break;
      case Seen::copy:
        if (is_released_) {
          pass_to_client(std::exchange(passes, 0));
          take_copy();
        } else {
          passes = server_read_;
        }
        break;
      case Seen::drop:
        server_.incoming.replace(message_begin_, server_read_ - message_begin_, {});
        server_read_ = message_begin_;
        break;
      case Seen::refused:
        pass_to_client(passes);
        return server_ended(talk_->why());
      default:
        if (!is_released_) passes = server_read_;
    }
    message_begin_ = server_read_;
  }
  pass_to_client(passes);
  const std::size_t most_kept = is_released_ ? most_held : streamed;
  if (server_read_ >= most_kept || !gets_answer()) pass_to_client(server_read_);
}

void GatedConnection::take_answer() {
  end_answer(talk_->is_error() ? Outcome::error : Outcome::ok, true);
  take_client();
}

// What the server sent behind it was not looked at meanwhile.
void GatedConnection::give_answer() {
  is_kept_ = keeps_answer_ = false;
  pass_to_client(server_read_);
  message_begin_ = server_read_;
  take_answer();
  take_server();
}

void GatedConnection::take_copy() {
  const Conversation::Refusal refusal = talk_->refuse_copy();
  tell(Refused{refusal.why});
  server_.incoming.replace(message_begin_, server_read_ - message_begin_, refusal.to_client);
  server_read_ = message_begin_ + refusal.to_client.size();
  server_.send(refusal.to_server);
  if (refusal.goes_on) return;
  pass_to_client(server_read_);
  server_ended("the store began to copy without end");
}

}  // namespace assay::proxy
