// Postgres is asked by the function that its own isolation tests use.
#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <cstdlib>

#include "harness/contract/clock.h"
#include "harness/proxy/detail/oracles.h"

namespace assay::proxy {
namespace {

constexpr const char* statement = "assay_waiting";
constexpr const char* question =
    "select p from pg_catalog.unnest($1::int[]) p "
    "where pg_catalog.pg_isolation_test_session_is_blocked(p, $2::int[])";

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
  void operator()(PGresult* result) const { PQclear(result); }
};
using Connection = std::unique_ptr<PGconn, Finish>;
using Answer = std::unique_ptr<PGresult, Finish>;

std::string array_of(std::span<const StoreSession> sessions) {
  std::string text = "{";
  for (const StoreSession& session : sessions)
    if (session.backend_pid != 0)
      text += fmt::format("{}{}", text.size() > 1 ? "," : "", session.backend_pid);
  return text + "}";
}

class PostgresOracle final : public LockOracle {
 public:
  explicit PostgresOracle(std::string url) : url_(std::move(url)) {}

  Result<std::vector<bool>> waiting(std::span<const StoreSession> asked,
                                    std::span<const StoreSession> all) override {
    std::vector<bool> found(asked.size(), false);
    if (asked.empty()) return found;
    if (Status ready = be_connected(); !ready.ok()) return ready.error();
    const std::string some = array_of(asked), others = array_of(all);
    const char* values[] = {some.c_str(), others.c_str()};
    PQsendQueryPrepared(connection_.get(), statement, 2, values, nullptr, nullptr, 0);
    const Answer answer = receive();
    if (PQresultStatus(answer.get()) != PGRES_TUPLES_OK) return lost();
    for (int row = 0; row < PQntuples(answer.get()); ++row) {
      const int pid = std::atoi(PQgetvalue(answer.get(), row, 0));
      for (std::size_t i = 0; i < asked.size(); ++i)
        if (asked[i].backend_pid == pid) found[i] = true;
    }
    return found;
  }

  Result<std::vector<std::size_t>> holders(const StoreSession& waiting,
                                           std::span<const StoreSession> all) override {
    if (Status ready = be_connected(); !ready.ok()) return ready.error();
    const std::string asked = std::to_string(waiting.backend_pid);
    const char* values[] = {asked.c_str()};
    PQsendQueryParams(connection_.get(),
                      "select pg_catalog.unnest(pg_catalog.pg_blocking_pids($1::int))", 1, nullptr,
                      values, nullptr, nullptr, 0);
    const Answer answer = receive();
    if (PQresultStatus(answer.get()) != PGRES_TUPLES_OK) return lost();
    std::vector<std::size_t> found;
    for (int row = 0; row < PQntuples(answer.get()); ++row)
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].backend_pid == std::atoi(PQgetvalue(answer.get(), row, 0))) found.push_back(i);
    return found;
  }

  Status be_connected() {
    if (connection_) return Done{};
    const std::string info = url_;
    const char* names[] = {"dbname", "connect_timeout", "application_name", nullptr};
    const char* values[] = {info.c_str(), "10", "assay oracle", nullptr};
    connection_.reset(PQconnectdbParams(names, values, 1));
    if (PQstatus(connection_.get()) != CONNECTION_OK) return lost();
    PQsendPrepare(connection_.get(), statement, question, 0, nullptr);
    if (PQresultStatus(receive().get()) != PGRES_COMMAND_OK) return lost();
    return Done{};
  }

 private:
  // The last result, once all of them are here; nothing where that takes too long.
  Answer receive() {
    Answer last;
    const Stopwatch watch;
    PQflush(connection_.get());
    for (;;) {
      while (PQisBusy(connection_.get())) {
        const int left = oracle_patience_ms - static_cast<int>(watch.seconds() * 1000);
        pollfd ready{PQsocket(connection_.get()), POLLIN, 0};
        if (left <= 0 || ::poll(&ready, 1, left) <= 0) return {};
        if (!PQconsumeInput(connection_.get())) return {};
      }
      Answer next(PQgetResult(connection_.get()));
      if (!next) return last;
      last = std::move(next);
    }
  }

  Error lost() {
    std::string why = PQerrorMessage(connection_.get());
    connection_.reset();
    while (!why.empty() && (why.back() == '\n' || why.back() == ' ')) why.pop_back();
    return {ErrorCode::unavailable,
            "Postgres does not tell who waits: " + (why.empty() ? "no answer in time" : why)};
  }

  const std::string url_;
  Connection connection_;
};

}  // namespace

Result<std::unique_ptr<LockOracle>> postgres_oracle(const std::string& url) {
  auto oracle = std::make_unique<PostgresOracle>(url);
  if (Status ready = oracle->be_connected(); !ready.ok()) return ready.error();
  return std::unique_ptr<LockOracle>(std::move(oracle));
}

}  // namespace assay::proxy
