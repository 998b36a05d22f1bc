#include "tests/drivers/redis_server.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <filesystem>

#include "drivers/redis/detail/connection.h"
#include "harness/contract/clock.h"

namespace assay::redis_test {
namespace {

bool answers(const std::string& url) {
  try {
    rds::Connection(rds::parse_location(url).value()).run({"PING"});
    return true;
  } catch (const rds::Failure& failure) {
    return failure.code == rds::ServerCode::noauth;
  }
}

}  // namespace

Result<std::unique_ptr<RedisServer>> RedisServer::start(std::vector<std::string> settings,
                                                        int disk_mib) {
  std::string folder = "/tmp/assay-redis-XXXXXX";
  CHECK(::mkdtemp(folder.data()) != nullptr);
  std::unique_ptr<RedisServer> server(new RedisServer(folder, std::move(settings), disk_mib));
  if (Status started = server->start_again(); !started.ok()) return started.error();
  return server;
}

Status RedisServer::start_again() {
  std::vector<std::string> words{
      "redis-server", "--port", "0", "--unixsocket", socket(),        "--dir",
      folder_,        "--save", "",  "--logfile",    folder_ + "/log"};
  words.insert(words.end(), settings_.begin(), settings_.end());
  // Mounted where only the server sees it, so that it is gone with it.
  if (disk_mib_ > 0) {
    const std::string mount = "mkdir disk && mount -t tmpfs -o size=" + std::to_string(disk_mib_) +
                              "m tmpfs disk && exec \"$@\" --dir disk";
    words.insert(words.begin(), {"unshare", "--mount", "sh", "-c", mount, "sh"});
  }
  auto started = Process::start({words, {}, folder_});
  if (!started.ok()) return started.error();
  process_ = std::move(*started);
  RealClock clock;
  const Stopwatch waited;
  while (!answers(url())) {
    const auto ending = process_->ending();
    if (ending || waited.seconds() > 60)
      return Error{ErrorCode::unavailable, "redis-server " + ending.value_or("does not answer")};
    clock.sleep_until(clock.now() + Duration{5}, {});
  }
  return Done{};
}

void RedisServer::kill() { process_.reset(); }

RedisServer::~RedisServer() {
  process_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

namespace {

// Started when the first test asks, ended when the program ends its tests.
class Environment : public ::testing::Environment {
 public:
  void TearDown() override { server.reset(); }

  RedisServer* get() {
    if (server || !error.empty()) return server.get();
    auto started = RedisServer::start();
    if (started.ok())
      server = std::move(*started);
    else
      error = "there is no redis-server to test with: " + started.error().message;
    return server.get();
  }

  std::unique_ptr<RedisServer> server;
  std::string error;
};

Environment* const environment = [] {
  auto* made = new Environment;
  ::testing::AddGlobalTestEnvironment(made);
  return made;
}();

}  // namespace

RedisServer* server() { return environment->get(); }
std::string why_not() { return environment->error; }

}  // namespace assay::redis_test
