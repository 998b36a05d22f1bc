#include "tests/drivers/postgres_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <pqxx/pqxx>

#include "harness/contract/clock.h"

namespace assay::pg_test {
namespace {

namespace fs = std::filesystem;

Error cannot(std::string what) {
  return {ErrorCode::unavailable, std::move(what), LeaseReason::unstated, true};
}

constexpr std::string_view folder_prefix = "assay-postgres-";

// What killed programs left behind: their servers are gone with them, their folders are not.
void remove_leftovers() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/tmp", ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(folder_prefix)) continue;
    const pid_t owner = std::atoi(name.c_str() + folder_prefix.size());
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(entry, ignored);
  }
}

// Where Debian puts them; the newest version.
std::string programs() {
  std::string newest;
  int highest = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const int version = std::atoi(entry.path().filename().c_str());
    if (version <= highest || !fs::exists(entry.path() / "bin/initdb")) continue;
    highest = version;
    newest = (entry.path() / "bin").string();
  }
  return newest;
}

// The server refuses to be root.
std::vector<std::string> as_nobody_special(std::vector<std::string> words) {
  if (::geteuid() != 0) return words;
  std::vector<std::string> all{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  const bool bound = ::bind(socket, plain, size) == 0 && ::getsockname(socket, plain, &size) == 0;
  ::close(socket);
  return bound ? ntohs(address.sin_port) : 0;
}

bool answers(const std::string& url) {
  try {
    return pqxx::connection(url).is_open();
  } catch (const pqxx::broken_connection&) {
    return false;
  }
}

}  // namespace

Result<std::unique_ptr<PostgresServer>> PostgresServer::with_folder() {
  std::string folder = fmt::format("/tmp/{}{}-XXXXXX", folder_prefix, ::getpid());
  if (!::mkdtemp(folder.data())) return cannot("cannot make a folder in /tmp");
  std::unique_ptr<PostgresServer> server(new PostgresServer(folder));
  if (::geteuid() == 0) {
    const passwd* user = ::getpwnam("postgres");
    if (!user || ::chown(folder.c_str(), user->pw_uid, user->pw_gid) != 0)
      return cannot("there is no user postgres to run the server");
  }
  return server;
}

// Runs the server on `data` in its folder, behind the words of a program that runs another.
Status PostgresServer::launch(const std::vector<std::string>& settings,
                              const std::vector<std::string>& before) {
  port_ = free_port();
  std::vector<std::string> words = as_nobody_special(
      {programs() + "/postgres", "-D", folder_ + "/data", "-k", folder_, "-p",
       std::to_string(port_), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c",
       "dynamic_shared_memory_type=mmap", "-c", "full_page_writes=off", "-c",
       "log_min_messages=fatal", "-c", "logging_collector=on"});
  for (const std::string& setting : settings) words.insert(words.end(), {"-c", setting});
  words.insert(words.begin(), before.begin(), before.end());
  auto started = Process::start({words, {}, folder_});
  if (!started.ok()) return started.error();
  process_ = std::move(*started);
  RealClock clock;
  const Stopwatch waited;
  while (!answers(url())) {
    if (auto ending = process_->ending()) return cannot("the server " + *ending);
    if (waited.seconds() > 60) return cannot("the server does not answer");
    clock.sleep_until(clock.now() + Duration{5}, {});
  }
  return Done{};
}

Result<std::unique_ptr<PostgresServer>> PostgresServer::start() {
  const std::string bin = programs();
  if (bin.empty()) return cannot("there are no PostgreSQL server programs: install postgresql");
  remove_leftovers();
  auto server = with_folder();
  if (!server.ok()) return server.error();
  const std::string folder = (*server)->folder_, data = folder + "/data";
  auto made = Process::start({as_nobody_special({bin + "/initdb", "-D", data, "-U", "assay", "-A",
                                                 "trust", "-N", "--no-locale", "-E", "UTF8"}),
                              {},
                              folder});
  if (!made.ok()) return made.error();
  if ((*made)->ending(60) != "ended with status 0") return cannot("initdb failed");
  {
    std::ifstream trusting(data + "/pg_hba.conf");
    const std::string all(std::istreambuf_iterator<char>(trusting), {});
    std::ofstream(data + "/pg_hba.conf") << "host all locked 127.0.0.1/32 scram-sha-256\n" << all;
  }
  if (const Status launched = (*server)->launch({}, {}); !launched.ok()) return launched.error();
  return server;
}

// Small disks are mounted where only the server sees them, so that they are gone with it.
static std::vector<std::string> with_small_disks(const PostgresServer::Copy& wanted) {
  std::string mounts = "set -e; ";
  const auto mount = [&](const std::string& what, int mib) {
    if (mib > 0)
      mounts += fmt::format(
          "mv {0} moved; mkdir {0}; mount -t tmpfs -o size={1}m,mode=700 tmpfs {0}; "
          "chown postgres:postgres {0}; cp -a moved/. {0}; rm -r moved; ",
          what, mib);
  };
  mount("data", wanted.data_mib);
  mount("wal", wanted.log_mib);
  return {"unshare", "--mount", "sh", "-c", mounts + "exec \"$@\"", "sh"};
}

Result<std::unique_ptr<PostgresServer>> PostgresServer::copy(const Copy& wanted) const {
  auto server = with_folder();
  if (!server.ok()) return server.error();
  const std::string& folder = (*server)->folder_;
  std::vector<std::string> words{programs() + "/pg_basebackup",
                                 "-d",
                                 url(),
                                 "-D",
                                 folder + "/data",
                                 "--waldir=" + folder + "/wal",
                                 "-X",
                                 "stream",
                                 "-c",
                                 "fast",
                                 "-N"};
  if (wanted.standby) words.emplace_back("-R");
  auto made = Process::start({as_nobody_special(words), {}, folder});
  if (!made.ok()) return made.error();
  if ((*made)->ending(60) != "ended with status 0") return cannot("pg_basebackup failed");
  const bool small = wanted.data_mib > 0 || wanted.log_mib > 0;
  const Status launched = (*server)->launch(
      wanted.settings, small ? with_small_disks(wanted) : std::vector<std::string>{});
  if (!launched.ok()) return launched.error();
  return server;
}

// In good order first: a killed server leaves a segment of shared memory behind.
PostgresServer::~PostgresServer() {
  if (process_ && !process_->ending()) {
    ::kill(process_->pid(), SIGINT);
    process_->ending(10);
  }
  process_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string PostgresServer::url(const std::string& options) const {
  return fmt::format("host={} port={} user=assay dbname=postgres{}", folder_, port_,
                     options.empty() ? "" : " options='" + options + "'");
}

std::string PostgresServer::url_with_password(const std::string& password) const {
  return fmt::format("postgresql://locked:{}@127.0.0.1:{}/postgres", password, port_);
}

namespace {

// Started when the first test asks, ended when the program ends its tests.
class Environment : public ::testing::Environment {
 public:
  void TearDown() override { server.reset(); }

  PostgresServer* get() {
    if (server || !error.empty()) return server.get();
    auto started = PostgresServer::start();
    if (started.ok())
      server = std::move(*started);
    else
      error = started.error().message;
    return server.get();
  }

  std::unique_ptr<PostgresServer> server;
  std::string error;
};

Environment* const environment = [] {
  auto* made = new Environment;
  ::testing::AddGlobalTestEnvironment(made);
  return made;
}();

}  // namespace

PostgresServer* server() { return environment->get(); }
std::string why_not() { return environment->error; }

}  // namespace assay::pg_test
