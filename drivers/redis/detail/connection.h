// Connection: one way to a Redis server, that connects when it is first used and again after it was
// lost.
//
// Used by one thread at a time. Trouble is thrown as a Failure; after one the connection is closed.
// No call waits longer than the location's time-outs.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/redis/detail/failure.h"
#include "drivers/redis/detail/location.h"
#include "drivers/redis/detail/reply.h"

struct redisContext;

namespace assay::rds {

// A command's words. Text is borrowed until the command was sent, numbers are kept.
class Words {
 public:
  Words() = default;
  Words(std::initializer_list<std::string_view> words) : words_(words) {}
  Words(Words&&) = default;  // no copies: a word may be one of our own

  Words& add(std::string_view text);
  Words& add(std::int64_t number);
  Words& add(const std::optional<std::int64_t>& number);  // absent: empty

  const std::vector<std::string_view>& all() const { return words_; }

 private:
  std::vector<std::string_view> words_;
  std::deque<std::string> kept_;
};

class Connection {
 public:
  explicit Connection(Location location);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The server's answer, also where it is an error. Follows a cluster to the node that has the key.
  Reply ask(const Words& words);

  // The server's answer; throws where it is an error.
  Reply run(const Words& words);

 private:
  struct Close {
    void operator()(redisContext* context) const;
  };

  void connect();
  void log_in();
  bool is_alive() const;
  Reply exchange(const Words& words);
  void send(double deadline);
  Reply receive();
  void follow(std::string_view moved);
  [[noreturn]] void fail(Trouble trouble, std::string text);

  Location location_;
  std::unique_ptr<redisContext, Close> context_;
  std::string out_;
};

}  // namespace assay::rds
