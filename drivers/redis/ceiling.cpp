#include "drivers/redis/ceiling.h"

#include <hiredis/hiredis.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <vector>

#include "drivers/redis/detail/location.h"
#include "harness/contract/clock.h"
#include "harness/contract/random.h"

namespace assay {
namespace {

const char* const enqueue_lua = R"lua(
local id = redis.call('INCR', KEYS[1] .. ':id')
redis.call('HSET', KEYS[1] .. ':job:' .. id, 'state', 'ready', 'payload', ARGV[1])
redis.call('ZADD', KEYS[1] .. ':ready', ARGV[2], id)
return id)lua";

const char* const claim_lua = R"lua(
local ready, leases, answer = KEYS[1] .. ':ready', KEYS[1] .. ':leases', {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', ready, '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])) do
  local job = KEYS[1] .. ':job:' .. id
  redis.call('ZREM', ready, id)
  redis.call('ZADD', leases, ARGV[3], id)
  redis.call('HSET', job, 'state', 'leased', 'token', ARGV[4])
  answer[#answer + 1] = id
  answer[#answer + 1] = redis.call('HGET', job, 'payload')
end
return answer)lua";

const char* const ack_lua = R"lua(
local job = KEYS[1] .. ':job:' .. ARGV[1]
if redis.call('HGET', job, 'token') ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[1] .. ':leases', ARGV[1])
redis.call('HSET', job, 'state', 'done', 'token', '')
return 1)lua";

// A thousand jobs at a time, so that nobody waits long.
const char* const drop_lua = R"lua(
local last = tonumber(redis.call('GET', KEYS[1] .. ':id') or 0)
for id = last, math.max(last - 999, 1), -1 do redis.call('UNLINK', KEYS[1] .. ':job:' .. id) end
if last > 1000 then redis.call('SET', KEYS[1] .. ':id', last - 1000) return 1 end
redis.call('UNLINK', KEYS[1] .. ':id', KEYS[1] .. ':ready', KEYS[1] .. ':leases')
return 0)lua";

void append(std::string& to, std::initializer_list<std::string_view> words) {
  to += '*' + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words) {
    to += '$' + std::to_string(word.size()) + "\r\n";
    to.append(word) += "\r\n";
  }
}

using Reply = std::unique_ptr<redisReply, void (*)(void*)>;

Error unavailable(std::string message) { return {ErrorCode::unavailable, std::move(message)}; }

std::string text_of(const redisReply& reply) { return {reply.str, reply.len}; }

class Client {
 public:
  static Result<std::unique_ptr<Client>> connect(const rds::Location& at) {
    const timeval patience{static_cast<time_t>(at.connect_timeout_ms / 1000), 0};
    std::unique_ptr<Client> client(new Client);
    client->context_.reset(
        at.socket.empty()
            ? redisConnectWithTimeout(at.host.c_str(), static_cast<int>(at.port), patience)
            : redisConnectUnixWithTimeout(at.socket.c_str(), patience));
    if (!client->context_ || client->context_->err)
      return unavailable(at.shown() + ": cannot connect");
    if (!at.password.empty()) {
      const auto in = at.user.empty() ? client->ask({"AUTH", at.password})
                                      : client->ask({"AUTH", at.user, at.password});
      if (!in) return unavailable(at.shown() + ": the login was refused");
    }
    if (at.database)
      if (const auto in = client->ask({"SELECT", std::to_string(at.database)}); !in)
        return in.error();
    return client;
  }

  int descriptor() const { return context_->fd; }

  Status send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(context_->fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR) return unavailable(std::strerror(errno));
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return Done{};
  }

  // Takes what is there; waits for it where there is nothing.
  Status receive() {
    if (redisBufferRead(context_.get()) == REDIS_OK) return Done{};
    return unavailable(context_->errstr);
  }

  // The next reply among what was received; none where it is not whole yet.
  Result<Reply> next() {
    void* reply = nullptr;
    if (redisGetReplyFromReader(context_.get(), &reply) != REDIS_OK)
      return unavailable(context_->errstr);
    Reply whole(static_cast<redisReply*>(reply), freeReplyObject);
    if (whole && whole->type == REDIS_REPLY_ERROR) return unavailable(text_of(*whole));
    return whole;
  }

  Result<Reply> ask(std::initializer_list<std::string_view> words) {
    std::string bytes;
    append(bytes, words);
    if (const Status sent = send(bytes); !sent) return sent.error();
    while (true) {
      if (const Status got = receive(); !got) return got.error();
      auto reply = next();
      if (!reply || *reply) return reply;
    }
  }

 private:
  Client() = default;
  std::unique_ptr<redisContext, void (*)(redisContext*)> context_{nullptr, redisFree};
};

// What one client does: it is asked for its next bytes when all replies to the last ones are there.
struct Turn {
  std::string bytes = {};
  int replies = 0;  // 0: there is nothing more to do
};
struct Script {
  virtual ~Script() = default;
  virtual Turn next() = 0;
  virtual std::int64_t take(const redisReply& reply) = 0;  // how many jobs that finishes
};

class Enqueuer final : public Script {
 public:
  explicit Enqueuer(Turn turn) : turn_(std::move(turn)) {}
  Turn next() override { return turn_; }
  std::int64_t take(const redisReply&) override { return 1; }

 private:
  const Turn turn_;
};

struct Names {
  std::string root, claim, ack;
};

class Settler final : public Script {
 public:
  Settler(const Names& names, int batch) : names_(names), batch_(std::to_string(batch)) {}

  Turn next() override {
    Turn turn;
    if (ids_.empty()) {
      token_ = "token-" + std::to_string(++claims_);
      append(turn.bytes,
             {"EVALSHA", names_.claim, "1", names_.root, "1000", batch_, "2000", token_});
      turn.replies = ran_dry_ ? 0 : 1;
      return turn;
    }
    for (const std::string& id : ids_)
      append(turn.bytes, {"EVALSHA", names_.ack, "1", names_.root, id, token_});
    turn.replies = static_cast<int>(ids_.size());
    ids_.clear();
    return turn;
  }

  std::int64_t take(const redisReply& reply) override {
    if (reply.type == REDIS_REPLY_INTEGER) return reply.integer;
    for (std::size_t i = 0; i < reply.elements; i += 2) ids_.push_back(text_of(*reply.element[i]));
    ran_dry_ = ids_.empty();
    return 0;
  }

 private:
  const Names& names_;
  const std::string batch_;
  std::int64_t claims_ = 0;
  std::string token_;
  std::vector<std::string> ids_;
  bool ran_dry_ = false;
};

class RedisCeiling final : public Ceiling {
 public:
  explicit RedisCeiling(rds::Location location) : location_(std::move(location)) {}

  Status begin() {
    auto client = Client::connect(location_);
    if (!client) return client.error();
    own_ = std::move(*client);
    names_.root = "{assay-ceiling-" + Random(fresh_seed()).hex(8) + "}";
    for (const auto& [lua, digest] : {std::pair{enqueue_lua, &enqueue_},
                                      {claim_lua, &names_.claim},
                                      {ack_lua, &names_.ack},
                                      {drop_lua, &drop_}}) {
      const auto loaded = own_->ask({"SCRIPT", "LOAD", lua});
      if (!loaded) return loaded.error();
      *digest = text_of(**loaded);
    }
    return Done{};
  }

  ~RedisCeiling() override { clear(); }

  std::string method() const override { return "minimal Lua, one thread, pipelined batches"; }

  Result<double> enqueue(const Load& load) override {
    clear();
    Turn turn;
    const std::string payload(load.payload_bytes, 'x');
    for (int i = 0; i < load.batch; ++i)
      append(turn.bytes, {"EVALSHA", enqueue_, "1", names_.root, payload, "1"});
    turn.replies = load.batch;
    return drive(load, [&] { return std::make_unique<Enqueuer>(turn); });
  }

  // What was enqueued last is settled.
  Result<double> settle(const Load& load) override {
    return drive(load, [&] { return std::make_unique<Settler>(names_, load.batch); });
  }

 private:
  void clear() {
    while (own_ && !drop_.empty()) {
      const auto dropped = own_->ask({"EVALSHA", drop_, "1", names_.root});
      if (!dropped || (*dropped)->integer == 0) return;
    }
  }

  Result<double> drive(const Load& load,
                       const std::function<std::unique_ptr<Script>()>& make) const {
    std::vector<std::unique_ptr<Client>> clients;
    std::vector<std::unique_ptr<Script>> scripts;
    std::vector<pollfd> waits;
    for (int i = 0; i < load.clients; ++i) {
      auto client = Client::connect(location_);
      if (!client) return client.error();
      waits.push_back({(*client)->descriptor(), POLLIN, 0});
      clients.push_back(std::move(*client));
      scripts.push_back(make());
    }
    std::vector<int> expected(clients.size());
    std::int64_t finished = 0;
    std::size_t busy = 0;
    const Stopwatch watch;
    const auto send_next = [&](std::size_t i) -> Status {
      const Turn turn = watch.seconds() < load.seconds ? scripts[i]->next() : Turn{};
      expected[i] = turn.replies;
      if (turn.replies) return clients[i]->send(turn.bytes);
      --busy;
      return Done{};
    };
    busy = clients.size();
    for (std::size_t i = 0; i < clients.size(); ++i)
      if (const Status sent = send_next(i); !sent) return sent.error();
    while (busy > 0) {
      if (::poll(waits.data(), waits.size(), 10'000) <= 0)
        return unavailable(location_.shown() + " gave no answer for ten seconds");
      for (std::size_t i = 0; i < clients.size(); ++i) {
        if (!waits[i].revents) continue;
        if (const Status got = clients[i]->receive(); !got) return got.error();
        while (expected[i] > 0) {
          const auto reply = clients[i]->next();
          if (!reply) return reply.error();
          if (!*reply) break;
          finished += scripts[i]->take(**reply);
          if (--expected[i] == 0)
            if (const Status sent = send_next(i); !sent) return sent.error();
        }
      }
    }
    return static_cast<double>(finished) / watch.seconds();
  }

  const rds::Location location_;
  std::unique_ptr<Client> own_;
  Names names_;
  std::string enqueue_, drop_;
};

}  // namespace

Result<std::unique_ptr<Ceiling>> redis_ceiling(const std::string& url) {
  auto location = rds::parse_location(url);
  if (!location) return location.error();
  auto ceiling = std::make_unique<RedisCeiling>(std::move(*location));
  if (const Status begun = ceiling->begin(); !begun) return begun.error();
  return std::unique_ptr<Ceiling>(std::move(ceiling));
}

}  // namespace assay
