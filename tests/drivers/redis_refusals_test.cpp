// Servers that turn the redis driver away: one sentence says why, and that nothing happened.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "tests/drivers/redis_fixture.h"

namespace assay::redis_test {
namespace {

Enqueue some_job() { return {NewJob{.queue = "q", .type = "t"}}; }

std::unique_ptr<RedisServer> server_with(std::vector<std::string> settings) {
  return RedisServer::start(std::move(settings)).value();
}

void expect_turned_away(const Error& error, std::string_view part) {
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(is_definite(error)) << error.message;
  EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
}

// What nobody can make a real server say in a moment: one answer to the first word of a client, and
// another to all that follow.
class FakeServer {
 public:
  FakeServer(std::string first, std::string then)
      : first_(std::move(first)), then_(std::move(then)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    CHECK(::listen(listener_, 8) == 0);
    CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    url_ = "redis://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }
  ~FakeServer() {
    thread_.request_stop();
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

  const std::string& url() const { return url_; }

 private:
  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const int client = ::accept(listener_, nullptr, nullptr);
      if (client < 0) return;
      char words[4096];
      for (const std::string* answer = &first_; ::recv(client, words, sizeof words, 0) > 0;
           answer = &then_)
        if (::send(client, answer->data(), answer->size(), MSG_NOSIGNAL) < 0) break;
      ::close(client);
    }
  }

  std::string first_, then_, url_;
  int listener_;
  std::jthread thread_;
};

Error refused(const std::string& url) {
  VirtualClock clock;
  return make(clock, url).error();
}

TEST(RedisRefusals, ALoadingServerIsToBeTriedAgain) {
  const std::string loading = "-LOADING Redis is loading the dataset in memory\r\n";
  const FakeServer at_once(loading, ""), later("+OK\r\n", loading);
  expect_turned_away(refused(at_once.url()), "still loading");
  expect_turned_away(refused(later.url()), "still loading");
}

TEST(RedisRefusals, AnOldServerIsNamedWithTheVersionThatIsNeeded) {
  const std::string info = "# Server\r\nredis_version:5.0.14\r\n";
  const FakeServer fake("+OK\r\n", "$" + std::to_string(info.size()) + "\r\n" + info + "\r\n");
  const Error error = refused(fake.url());
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_NE(error.message.find("is of version 5.0.14; the driver needs 6.2"), std::string::npos)
      << error.message;
}

TEST(RedisRefusals, ANodeThatAClusterSendsUsToIsNamedWhenItIsNotThere) {
  const FakeServer fake("+OK\r\n", "-MOVED 3999 127.0.0.1:1\r\n");
  rds::Connection connection(rds::parse_location(fake.url()).value());
  try {
    connection.run({"GET", "x"});
    FAIL();
  } catch (const rds::Failure& failure) {
    expect_turned_away(rds::to_error(failure, "it"), "sent us on to the Redis at 127.0.0.1:1");
  }
}

TEST_F(Redis, AFullServerTurnsAwayTheNextClient) {
  const auto mine = server_with({"--maxclients", "3"});
  Rig rig(reference(), {"test"}, mine->url());
  rig.enqueue();
  const auto second = rig.open("second");
  ASSERT_TRUE(second->enqueue(run_epoch, some_job()).ok());
  const auto third = rig.open("third");
  expect_turned_away(third->enqueue(run_epoch, some_job()).error(), "maxclients");
  ASSERT_TRUE(rig.session->enqueue(run_epoch, some_job()).ok());
}

TEST_F(Redis, AServerThatCannotSaveTakesNothing) {
  const auto mine = server_with({"--save", "3600 1000000"});
  Rig rig(reference(), {"test"}, mine->url());
  rig.enqueue();
  const std::string folder = mine->socket().substr(0, mine->socket().rfind('/'));
  ASSERT_EQ(::mkdir((folder + "/dump.rdb").c_str(), 0700), 0);
  command({"BGSAVE"}, mine->url());
  RealClock clock;
  const Stopwatch waited;
  while (waited.seconds() < 60) {
    const rds::Reply info = command({"INFO", "persistence"}, mine->url());
    if (info.value().text().find("rdb_last_bgsave_status:err") != std::string_view::npos) break;
    clock.sleep_until(clock.now() + Duration{10}, {});
  }
  expect_turned_away(rig.session->enqueue(run_epoch, some_job()).error(), "cannot save");
}

TEST_F(Redis, AClusterThatDoesNotServeOurSlotIsToBeTriedAgain) {
  const auto mine = server_with({"--cluster-enabled", "yes"});
  VirtualClock clock;
  const auto driver = make(clock, mine->url()).value();
  expect_turned_away(driver->setup({"test"}).error(), "does not serve our keys");
}

}  // namespace
}  // namespace assay::redis_test
