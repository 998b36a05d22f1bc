// Connection: one way to a Redis server, that connects when it is first used and again after it was
// lost.
//
// Used by one thread at a time. Trouble is thrown as a Failure; after one the connection is closed.
// No call waits longer than the location's time-outs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "drivers/redis/detail/failure.h"
#include "drivers/redis/detail/location.h"
#include "drivers/redis/detail/reply.h"
#include "harness/contract/clock.h"

struct redisContext;

namespace assay::rds {

// A command's words.
class Words {
 public:
  Words(std::initializer_list<std::string_view> words);

  Words& add(std::string_view text);
  Words& add(std::int64_t number);
  Words& add(const std::optional<std::int64_t>& number);  // absent: empty

  // The n-th of them.
  std::string_view word(std::size_t n) const;
  // The same with others in the place of the first ones.
  Words headed(const Words& head, std::size_t instead_of) const;

  // As the server reads them.
  void append_to(std::string& out) const;
  std::size_t size() const { return text_.size(); }  // in bytes

 private:
  // Where the n-th begins and how long it is.
  std::pair<std::size_t, std::size_t> find(std::size_t n) const;

  std::size_t count_ = 0;
  std::string text_;  // without the count that goes before it
};

using Answer = std::variant<Reply, Failure>;

class Connection {
 public:
  explicit Connection(Location location);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The server's answer, also where it is an error. Follows a cluster to the node that has the key.
  Reply ask(const Words& words);

  // Sends all of them before it reads the first answer. Each has the server's, also where that is
  // an error, or why there is none. Follows no cluster.
  std::vector<Answer> ask_all(std::span<const Words> commands);

  // The server's answer; throws where it is an error.
  Reply run(const Words& words);

  // Connects anew, and then only listens to these. Requires: nothing else is asked any more.
  void subscribe(std::span<const std::string> channels);
  int socket() const;  // -1 while there is no connection
  // What has arrived since. Never waits.
  std::vector<Reply> arrived();

 private:
  struct Close {
    void operator()(redisContext* context) const;
  };

  void connect();
  void log_in();
  bool is_alive() const;
  void be_connected();
  Reply exchange(const Words& words);
  void send(const Stopwatch& watch);
  void heed_parting_word();
  Reply receive(const Stopwatch& watch);
  void follow(std::string_view moved);
  void go_home();
  [[noreturn]] void fail(Trouble trouble, std::string text);

  const Location home_;
  Location location_;
  bool is_away_ = false;  // where a cluster sent us
  std::unique_ptr<redisContext, Close> context_;
  std::string out_;
  std::size_t sent_ = 0;  // of it
};

}  // namespace assay::rds
