// Connection: one way to a Redis server, that connects when it is first used and again after it was
// lost.
//
// Used by one thread at a time. Trouble is thrown as a Failure; after one the connection is closed.
// No call waits longer than the location's time-outs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "drivers/redis/detail/failure.h"
#include "drivers/redis/detail/location.h"
#include "drivers/redis/detail/reply.h"

struct redisContext;

namespace assay::rds {

// A command's words.
class Words {
 public:
  Words(std::initializer_list<std::string_view> words);

  Words& add(std::string_view text);
  Words& add(std::int64_t number);
  Words& add(const std::optional<std::int64_t>& number);  // absent: empty

  // As the server reads them.
  void append_to(std::string& out) const;
  std::size_t size() const { return text_.size(); }  // in bytes

 private:
  std::size_t count_ = 0;
  std::string text_;  // without the count that goes before it
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
