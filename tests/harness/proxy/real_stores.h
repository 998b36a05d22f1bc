// Real servers for the proxy's tests: started when the first test asks, gone when the program ends
// its tests. And a libpq and a hiredis client that can be asked in the background.
#pragma once

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>
#include <libpq-fe.h>

#include <future>
#include <memory>
#include <string>

#include "harness/backend/backend.h"

namespace assay::proxy_test {

// "postgres" or "redis". Nothing where it cannot be started, which `why_not` explains.
Backend* real_store(const std::string& name);
std::string why_not(const std::string& name);

// One connection by libpq.
class PgClient {
 public:
  explicit PgClient(const std::string& url) : connection_(PQconnectdb(url.c_str()), PQfinish) {}

  bool is_connected() const { return PQstatus(connection_.get()) == CONNECTION_OK; }
  std::string error() const { return PQerrorMessage(connection_.get()); }
  PGconn* get() const { return connection_.get(); }

  // The first value of the answer, "UPDATE 1" and its like, or "ERROR 40P01"; "ERROR" where the
  // connection was lost.
  std::string ask(const std::string& sql) const;
  // The same with the extended protocol.
  std::string ask_prepared(const std::string& sql) const;
  std::future<std::string> ask_later(std::string sql) const {
    return std::async(std::launch::async, [this, sql = std::move(sql)] { return ask(sql); });
  }

 private:
  std::unique_ptr<PGconn, void (*)(PGconn*)> connection_;
};

// One connection by hiredis.
class RedisClient {
 public:
  // With the password of the url, through that port.
  RedisClient(const std::string& url, int port);

  bool is_connected() const { return context_ && context_->err == 0; }
  redisContext* get() const { return context_.get(); }

  // As text; "ERROR ..." for an error, "LOST" where the connection was lost.
  std::string ask(const std::string& command) const;
  std::future<std::string> ask_later(std::string command) const {
    return std::async(std::launch::async,
                      [this, command = std::move(command)] { return ask(command); });
  }

 private:
  std::unique_ptr<redisContext, void (*)(redisContext*)> context_;
};

std::string password_in(const std::string& url);
std::string text_of(const redisReply* reply);

}  // namespace assay::proxy_test
