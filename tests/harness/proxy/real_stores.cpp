#include "tests/harness/proxy/real_stores.h"

#include <map>

#include "tests/harness/backend/fixture.h"

namespace assay::proxy_test {
namespace {

class Environment : public ::testing::Environment {
 public:
  void TearDown() override {
    backends.clear();
    scratch.reset();
  }

  Backend* get(const std::string& name) {
    if (backends.contains(name)) return backends[name].get();
    if (!scratch) scratch.emplace();
    BackendOptions options;
    options.kind = BackendKind::native;
    options.scratch = scratch->text();
    if (name == "postgres")
      options.settings = {{"fsync", "off"}, {"deadlock_timeout", "100ms"}};
    else
      options.settings = {{"appendonly", "no"}};
    auto started = start_backend(name, options);
    if (started.ok())
      backends[name] = std::move(*started);
    else
      errors[name] = started.error().message;
    return backends[name].get();
  }

  std::optional<backend_test::Folder> scratch;
  std::map<std::string, std::unique_ptr<Backend>> backends;
  std::map<std::string, std::string> errors;
};

Environment* const environment = [] {
  auto* made = new Environment;
  ::testing::AddGlobalTestEnvironment(made);
  return made;
}();

std::string told(const PGresult* result) {
  switch (PQresultStatus(result)) {
    case PGRES_TUPLES_OK:
      return PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
    case PGRES_COMMAND_OK:
      return PQcmdStatus(const_cast<PGresult*>(result));
    case PGRES_COPY_IN:
      return "COPY IN";
    case PGRES_COPY_OUT:
      return "COPY OUT";
    default: {
      const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
      return state ? std::string("ERROR ") + state : "ERROR";
    }
  }
}

}  // namespace

Backend* real_store(const std::string& name) { return environment->get(name); }
std::string why_not(const std::string& name) { return environment->errors[name]; }

std::string PgClient::ask(const std::string& sql) const {
  PGresult* result = PQexec(connection_.get(), sql.c_str());
  const std::string text = told(result);
  PQclear(result);
  return text;
}

std::string PgClient::ask_prepared(const std::string& sql) const {
  PGresult* result =
      PQexecParams(connection_.get(), sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0);
  const std::string text = told(result);
  PQclear(result);
  return text;
}

std::string password_in(const std::string& url) {
  const std::size_t at = url.rfind('@'), colon = url.rfind(':', at);
  return url.substr(colon + 1, at - colon - 1);
}

RedisClient::RedisClient(const std::string& url, int port)
    : context_(redisConnect("127.0.0.1", port), redisFree) {
  const auto login = ask("AUTH " + password_in(url));
  EXPECT_EQ(login, "OK");
}

std::string text_of(const redisReply* reply) {
  if (!reply) return "LOST";
  switch (reply->type) {
    case REDIS_REPLY_INTEGER:
      return std::to_string(reply->integer);
    case REDIS_REPLY_NIL:
      return "nil";
    case REDIS_REPLY_ERROR:
      return "ERROR " + std::string(reply->str, reply->len);
    case REDIS_REPLY_ARRAY: {
      std::string text = "[";
      for (std::size_t i = 0; i < reply->elements; ++i)
        text += (i ? " " : "") + text_of(reply->element[i]);
      return text + "]";
    }
    default:
      return {reply->str, reply->len};
  }
}

std::string RedisClient::ask(const std::string& command) const {
  auto* reply = static_cast<redisReply*>(redisCommand(context_.get(), command.c_str()));
  std::string text = text_of(reply);
  if (reply) freeReplyObject(reply);
  return text;
}

}  // namespace assay::proxy_test
