// out_of_connections: the store's server ends the connections of its clients and takes no more of
// them, as one that has all that it can have.
//
// Postgres is crowded out: its limit cannot be lowered while it runs. Redis is told a lower one.
#include <poll.h>

#include <charconv>
#include <optional>
#include <vector>

#include "faults/all.h"
#include "faults/store/detail/line.h"
#include "harness/backend/backend.h"

namespace assay::faults {
namespace {

// Who comes and says its name has a place, and keeps it until it is asked for its password for too
// long: a minute.
class Crowd {
 public:
  explicit Crowd(Backend& server) : server_(server) {}

  Status gather() {
    constexpr std::size_t most = 4'000, at_once = 50;
    if (const auto ended =
            server_.ask({"-XqAt", "-c",
                         "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                         "backend_type = 'client backend' AND pid <> pg_backend_pid()"});
        !ended.ok())
      // Another one of this fault is on, and has gathered one.
      return refusal().ok() ? Status(Done{}) : Status(ended.error());
    for (refusal_.clear(); refusal_.empty() && lines_.size() < most;) {
      std::vector<Line> next;
      for (std::size_t i = 0; i < at_once; ++i) {
        auto line = Line::to(server_.url());
        if (!line.ok()) return line.error();
        if (line->say(greeting())) next.push_back(std::move(*line));
      }
      for (Line& line : next) {
        const std::string word = line.hear();
        if (word.starts_with('E') && refusal_.empty()) refusal_ = word;
        if (word.starts_with('R')) lines_.push_back(std::move(line));
      }
    }
    return Done{};
  }

  // One more of them.
  Result<std::string> refusal() {
    auto line = Line::to(server_.url());
    if (!line.ok()) return line.error();
    const std::string word = line->say(greeting()) ? line->hear() : "";
    if (word.starts_with('E') && word.find("C53300") != word.npos)
      return std::string("a connection was refused with 53300, too many connections");
    return unsupported("the server still takes connections");
  }

  void leave() { lines_.clear(); }

 private:
  // "StartupMessage", protocol 3.0.
  std::string greeting() const {
    std::string body("\0\3\0\0", 4);
    for (const std::string& word : {std::string("user"), login_in(server_.url()).user,
                                    std::string("database"), std::string("assay")})
      body += word + '\0';
    body += '\0';
    const auto size = static_cast<unsigned char>(body.size() + 4);
    return std::string("\0\0\0", 3) + static_cast<char>(size) + body;
  }

  Backend& server_;
  std::vector<Line> lines_;
  std::string refusal_;
};

// Our own connection stays, or nobody could raise the limit again.
class LowLimit {
 public:
  explicit LowLimit(Backend& server) : server_(server) {}

  Status set() {
    auto line = Line::to(server_.url());
    if (!line.ok()) return line.error();
    line_ = std::move(*line);
    if (ask("AUTH " + login_in(server_.url()).password) != "+OK\r\n") {
      line_.reset();
      // Another one of this fault is on: that one lifts the limit.
      if (refusal().ok()) return Done{};
      return unsupported("the server does not let us in");
    }
    // *2 $10 maxclients $5 10000
    const std::string told = ask("CONFIG GET maxclients");
    const auto end = told.rfind("\r\n");
    const auto begin = end == told.npos ? told.npos : told.rfind('\n', end - 1);
    if (begin == told.npos) return unsupported("the server does not say how many clients it takes");
    usual_ = told.substr(begin + 1, end - begin - 1);
    if (ask("CONFIG SET maxclients 1") != "+OK\r\n")
      return unsupported("the server cannot be told to take fewer clients");
    ask("CLIENT KILL TYPE normal SKIPME yes");
    return Done{};
  }

  Result<std::string> refusal() {
    auto line = Line::to(server_.url());
    if (!line.ok()) return line.error();
    const std::string word = line->hear();
    if (word.starts_with("-ERR max number of clients"))
      return std::string("a connection was refused: max number of clients reached");
    return unsupported("the server still takes connections");
  }

  // A server that was started again meanwhile knows nothing of a limit.
  void lift() {
    if (line_ && !usual_.empty()) ask("CONFIG SET maxclients " + usual_);
    line_.reset();
  }

 private:
  std::string ask(const std::string& words) {
    return line_->say(words + "\r\n") ? line_->hear() : std::string();
  }

  Backend& server_;
  std::optional<Line> line_;
  std::string usual_;
};

class OutOfConnections final : public Fault {
 public:
  explicit OutOfConnections(Surroundings& around) : around_(around) {}
  ~OutOfConnections() override { static_cast<void>(end()); }

  Status begin() override {
    const auto store = around_.store();
    if (!store.ok()) return store.error();
    if (!*store) return unsupported("the store has no server that clients connect to");
    server_ = *store;
    if (server_->name() == "redis") return limit_.emplace(*server_).set();
    return crowd_.emplace(*server_).gather();
  }

  Result<std::string> proof() override { return crowd_ ? crowd_->refusal() : limit_->refusal(); }

  Status end() override {
    Backend* const server = std::exchange(server_, nullptr);
    if (!server) return Done{};
    if (crowd_) crowd_->leave();
    if (limit_) limit_->lift();
    return let_in(*server);
  }

 private:
  // A crowd takes a moment to be gone.
  Status let_in(Backend& server) {
    constexpr int tries = 300;
    const bool is_redis = server.name() == "redis";
    for (int i = 0; i < tries && server.is_running(); ++i) {
      const auto said = server.ask(is_redis ? std::vector<std::string>{"PING"}
                                            : std::vector<std::string>{"-XqAt", "-c", "SELECT 1"});
      if (said.ok() && (*said == "PONG\n" || *said == "1\n")) return around_.store_is_back();
      ::poll(nullptr, 0, 50);
    }
    return server.is_running() ? Status(unsupported("the server takes no connections any more"))
                               : Status(Done{});
  }

  Surroundings& around_;
  Backend* server_ = nullptr;  // while it is full
  std::optional<Crowd> crowd_;
  std::optional<LowLimit> limit_;
};

}  // namespace

FaultInfo out_of_connections() {
  return {.name = "out_of_connections",
          .family = "store",
          .summary = "the store's server ends its clients' connections, and takes no more of them",
          .needs = "shared_storage",
          .drawn_from = Level::durability,
          .weight = 1,  // a crowd takes seconds to gather
          .needs_server = true,
          .make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
            return std::make_unique<OutOfConnections>(around);
          }};
}

}  // namespace assay::faults
