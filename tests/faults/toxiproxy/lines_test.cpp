// Lines through a Toxiproxy: whose they are there, what is written down of them, and what becomes
// of them when the server fails. What faults do on them is for network_test.cpp.
#include "faults/toxiproxy/lines.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "faults/toxiproxy/server.h"
#include "harness/fault/journal.h"
#include "tests/faults/toxiproxy/real_server.h"
#include "tests/harness/proxy/wire.h"

namespace assay::toxiproxy {
namespace {

using proxy_test::Wire;

enum class Whose { ours, real };

class ToxiproxyLines : public testing::TestWithParam<Whose> {
 protected:
  void SetUp() override {
    if (GetParam() == Whose::ours) {
      auto started = Server::start({"127.0.0.1", 0, 42});
      ASSERT_TRUE(started.ok());
      server_ = std::move(*started);
    } else {
      real_ = real_server();
      if (!real_) GTEST_SKIP() << no_real_server;
    }
    std::string name = (std::filesystem::temp_directory_path() / "lines_test.XXXXXX").string();
    ASSERT_TRUE(mkdtemp(name.data()));
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  Client client() const { return *Client::to(server_ ? server_->url() : real_->client().url()); }
  std::unique_ptr<proxy::Lines> lines() {
    auto made = lines_through({client(), folder_.string()});
    EXPECT_TRUE(made.ok()) << made.error().message;
    return std::move(*made);
  }
  int add(proxy::Lines& lines, const std::string& name) {
    const auto added = lines.add({name, "", store_.place()});
    EXPECT_TRUE(added.ok()) << added.error().message;
    return std::stoi(added->listen.substr(added->listen.rfind(':') + 1));
  }
  void carries(int port) {
    const Wire client = Wire::to(port);
    const Wire store = store_.accept();
    client.say("hello");
    EXPECT_EQ(store.hear(5), "hello");
  }
  std::size_t owed() const { return Journal::debts(folder_.string()).remedies.size(); }

  std::unique_ptr<Server> server_;
  std::unique_ptr<Instance> real_;
  proxy_test::Store store_;
  std::filesystem::path folder_;
};

TEST_P(ToxiproxyLines, OfTwoRunsDoNotGetInEachOthersWay) {
  const auto one = lines(), other = lines();
  const int first = add(*one, "client-0"), second = add(*other, "client-0");
  EXPECT_EQ(client().proxies()->size(), 2u);
  carries(first);
  carries(second);
  EXPECT_FALSE(one->add({"client-0", "", store_.place()}).ok());
}

TEST_P(ToxiproxyLines, AreGoneWithTheirOwner) {
  auto some = lines();
  add(*some, "client-0");
  add(*some, "client-1");
  EXPECT_EQ(client().proxies()->size(), 2u);
  some.reset();
  EXPECT_TRUE(client().proxies()->empty());
}

TEST_P(ToxiproxyLines, AreOwedUntilTheyAreGone) {
  auto some = lines();
  EXPECT_EQ(owed(), 0u) << "the one that it was tried with is gone";
  add(*some, "client-0");
  const Debts debts = Journal::debts(folder_.string());
  ASSERT_EQ(debts.remedies.size(), 1u);
  EXPECT_EQ(debts.remedies[0].kind, "remove_proxy");
  EXPECT_EQ(debts.remedies[0].fields.at("url"), client().url());
  EXPECT_TRUE(client().proxy(debts.remedies[0].fields.at("proxy")).ok());
  some.reset();
  EXPECT_EQ(owed(), 0u);
}

TEST_P(ToxiproxyLines, CountWhatTheyCarried) {
  const auto some = lines();
  carries(add(*some, "client-0"));
  const auto counters = some->counters("client-0");
  ASSERT_TRUE(counters.ok());
  EXPECT_EQ(counters->accepted, 1u);
  EXPECT_EQ(counters->bytes_up, 5u);
  EXPECT_EQ(counters->bytes_down, 0u);
}

TEST_P(ToxiproxyLines, RefuseWhatTheyCannotDo) {
  const auto some = lines();
  add(*some, "client-0");
  EXPECT_EQ(some->change("client-0", {.upstream = "127.0.0.1:1"}).error().code,
            ErrorCode::unsupported);
  for (const Status& refused : {some->remove("nobody"), some->remove_toxic("client-0", "none")}) {
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::unavailable) << "not_found means met nobody";
  }
}

TEST_P(ToxiproxyLines, SayThatTheirServerHasFailed) {
  const auto some = lines();
  add(*some, "client-0");
  EXPECT_TRUE(some->check().ok());
  const std::string url = client().url();
  server_.reset();
  real_.reset();
  const Status failed = some->check();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message.find("the Toxiproxy at " + url + " has failed: "), 0u)
      << failed.error().message;
  EXPECT_FALSE(some->add({"client-1", "", store_.place()}).ok());
}

TEST_P(ToxiproxyLines, SayThatSomebodyElseHasRemovedThem) {
  const auto some = lines();
  add(*some, "client-0");
  ASSERT_TRUE(client().remove(client().proxies()->front().name).ok());
  const Status failed = some->check();
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().message.find("has lost a proxy of this run"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Of, ToxiproxyLines, testing::Values(Whose::ours, Whose::real),
                         [](const auto& info) -> std::string {
                           return info.param == Whose::ours ? "OurServer" : "TheRealToxiproxy";
                         });

TEST(ToxiproxyLinesOfAnother, AreNotToBeHad) {
  proxy_test::Store gone;
  const auto client = Client::to("http://" + gone.place());
  gone.close();
  EXPECT_FALSE(lines_through({*client}).ok());
}

// It takes every request, and makes nothing of it.
TEST(ToxiproxyLinesOfAnother, AreNotMadeOfNonsense) {
  proxy_test::Store store;
  std::jthread answers([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const Wire asked = store.accept();
      if (stop.stop_requested()) return;
      if (asked.is_readable(1000)) asked.say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnope");
    }
  });
  const auto made = lines_through({*Client::to("http://" + store.place())});
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("no JSON"), std::string::npos) << made.error().message;
  answers.request_stop();
  Wire::to(store.port());
}

}  // namespace
}  // namespace assay::toxiproxy
