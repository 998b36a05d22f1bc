#include "drivers/postgres/ceiling.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/contract/random.h"
#include "harness/remote/listener.h"

namespace assay {
namespace {

Error unavailable(std::string message) { return {ErrorCode::unavailable, std::move(message)}; }

using Variables = std::vector<std::pair<std::string, std::string>>;

// What libpq would read from its environment: a password on a command line could be seen by all.
Result<Variables> variables_of(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
      PQconninfoParse(url.c_str(), nullptr), PQconninfoFree);
  if (!options) return invalid("the url is not one that PostgreSQL's library can read");
  Variables all;
  for (const PQconninfoOption* option = options.get(); option->keyword; ++option)
    if (option->val && option->envvar) all.emplace_back(option->envvar, option->val);
  return all;
}

// In PATH, or where Debian keeps the programs of each server version.
Result<std::string> find_pgbench() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::string newest;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const std::string program = version.path().string() + "/bin/pgbench";
    if (fs::exists(program, ignored) && program > newest) newest = program;
  }
  if (!newest.empty()) return newest;
  const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find(':', from), path.size());
    const std::string program = path.substr(from, to - from) + "/pgbench";
    if (fs::exists(program, ignored)) return program;
    from = to + 1;
  }
  return unavailable("pgbench is not installed (it comes with postgresql-contrib or the server)");
}

class PostgresCeiling final : public Ceiling {
 public:
  PostgresCeiling(std::string program, Variables variables)
      : program_(std::move(program)),
        variables_(std::move(variables)),
        schema_("assay_ceiling_" + Random(fresh_seed()).hex(8)) {}

  Status begin(const std::string& url) {
    connection_.reset(PQconnectdb(url.c_str()));
    if (PQstatus(connection_.get()) != CONNECTION_OK) return unavailable("cannot connect");
    return run(
        fmt::format("SET client_min_messages = warning; CREATE SCHEMA {0}; CREATE TABLE {0}.jobs "
                    "(id bigserial PRIMARY KEY, "
                    "queue text NOT NULL, state smallint NOT NULL DEFAULT 0, run_at bigint "
                    "NOT NULL, token bigint, lease_until bigint, payload bytea NOT NULL); "
                    "CREATE INDEX ON {0}.jobs (queue, run_at, id) WHERE state = 0",
                    schema_));
  }

  ~PostgresCeiling() override {
    static_cast<void>(run("DROP SCHEMA IF EXISTS " + schema_ + " CASCADE"));
  }

  std::string method() const override { return "pgbench, prepared statements"; }

  Result<double> enqueue(const Load& load) override {
    if (const Status cleared = run(fmt::format("TRUNCATE {}.jobs", schema_)); !cleared)
      return cleared.error();
    // The jobs of a batch come from the client, as they must.
    if (load.batch == 1)
      return drive(load, fmt::format("INSERT INTO {}.jobs (queue, run_at, payload) VALUES ('q', 1, "
                                     "'\\x{}'::bytea);\n",
                                     schema_, hex(load.payload_bytes)));
    std::string payloads;
    for (int i = 0; i < load.batch; ++i)
      payloads += (i == 0 ? "{" : ",") + fmt::format("\\\\x{}", hex(load.payload_bytes));
    return drive(load,
                 fmt::format("INSERT INTO {}.jobs (queue, run_at, payload) SELECT 'q', 1, p FROM "
                             "unnest(:payloads::bytea[]) p;\n",
                             schema_),
                 {"--define", "payloads=" + payloads + "}"});
  }

  Result<double> settle(const Load& load) override {
    // More than can be settled in the time: nobody finds the queue empty.
    const int jobs = (load.batch == 1 ? 30'000 : 150'000) * load.seconds;
    const std::string fill = fmt::format(
        "TRUNCATE {0}.jobs; INSERT INTO {0}.jobs (queue, run_at, payload) SELECT 'q', 1, "
        "decode(repeat('78', {1}), 'hex') FROM generate_series(1, {2}); ANALYZE {0}.jobs",
        schema_, load.payload_bytes, jobs);
    if (const Status filled = run(fill); !filled) return filled.error();
    const std::string claim = fmt::format(
        "UPDATE {0}.jobs SET state = 1, token = :token, lease_until = 2000 WHERE id = ANY(ARRAY("
        "SELECT id FROM {0}.jobs WHERE queue = 'q' AND state = 0 AND run_at <= 1000 ORDER BY "
        "run_at, "
        "id LIMIT {1} FOR UPDATE SKIP LOCKED)) RETURNING id, payload",
        schema_, load.batch);
    const std::string draw = "\\set token random(1, 1000000000000000)\n";
    if (load.batch == 1)
      return drive(load, draw + claim + " \\gset\n" +
                             fmt::format("UPDATE {}.jobs SET state = 2, token = NULL WHERE id = "
                                         ":id AND token = :token AND state = 1;\n",
                                         schema_));
    return drive(load,
                 draw + fmt::format("WITH claimed AS ({}) SELECT coalesce(array_agg(id), '{{}}') "
                                    "AS ids, string_agg(payload, '') AS payloads FROM claimed "
                                    "\\gset\n"
                                    "UPDATE {}.jobs SET state = 2, token = NULL WHERE id = "
                                    "ANY(:ids::bigint[]) AND token = :token AND state = 1;\n",
                                    claim, schema_));
  }

 private:
  static std::string hex(std::size_t bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes; ++i) text += "78";
    return text;
  }

  Status run(const std::string& sql) {
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(
        PQexec(connection_.get(), sql.c_str()), PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return Done{};
    return unavailable(PQresultErrorMessage(result.get()));
  }

  // pgbench reads its script from a stream, so that no file is left behind.
  Result<double> drive(const Load& load, const std::string& script,
                       const std::vector<std::string>& options = {}) {
    const std::string clients = std::to_string(load.clients);
    const std::string threads = load.clients > 1 ? "2" : "1";
    std::vector<std::string> command{
        program_, "--no-vacuum", "--protocol", "prepared", "--client",
        clients,  "--jobs",      threads,      "--time",   std::to_string(load.seconds),
        "--file", "/dev/stdin"};
    command.insert(command.end(), options.begin(), options.end());
    auto process = Process::start({std::move(command), variables_, std::nullopt});
    if (!process) return process.error();
    if (::write((*process)->input(), script.data(), script.size()) !=
        static_cast<ssize_t>(script.size()))
      return unavailable("pgbench does not read its script");
    (*process)->close_input();
    Listener listener(**process);
    if (!listener.listen(false, load.seconds + 60)) return unavailable("pgbench does not end");
    const std::string_view said = listener.said;
    const std::size_t at = said.find("tps = ");
    double transactions = 0;
    if (at == std::string_view::npos ||
        std::from_chars(said.data() + at + 6, said.data() + said.size(), transactions).ec !=
            std::errc{} ||
        (*process)->ending(5) != "ended with status 0")
      return unavailable("pgbench: " + listener.complained);
    return transactions * load.batch;
  }

  const std::string program_;
  const Variables variables_;
  const std::string schema_;
  std::unique_ptr<PGconn, void (*)(PGconn*)> connection_{nullptr, PQfinish};
};

}  // namespace

Result<std::unique_ptr<Ceiling>> postgres_ceiling(const std::string& url) {
  auto variables = variables_of(url);
  if (!variables) return variables.error();
  auto program = find_pgbench();
  if (!program) return program.error();
  auto ceiling = std::make_unique<PostgresCeiling>(std::move(*program), std::move(*variables));
  if (const Status begun = ceiling->begin(url); !begun) return begun.error();
  return std::unique_ptr<Ceiling>(std::move(ceiling));
}

}  // namespace assay
