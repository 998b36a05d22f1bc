// The client against both servers: ours, and the real one where there is one.
#include "faults/toxiproxy/client.h"

#include <gtest/gtest.h>

#include <thread>

#include "faults/toxiproxy/server.h"
#include "harness/contract/clock.h"
#include "tests/faults/raw_http.h"
#include "tests/faults/toxiproxy/real_server.h"

namespace assay::toxiproxy {
namespace {

using namespace proxy;
using faults_test::port_in;
using proxy_test::Store;
using proxy_test::Wire;

class ToxiproxyClient : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (GetParam() == std::string("real")) {
      real_ = real_server();
      if (!real_) GTEST_SKIP() << no_real_server;
      client_ = real_->client();
    } else {
      auto started = Server::start({"127.0.0.1", 0, 7});
      ASSERT_TRUE(started.ok());
      embedded_ = std::move(*started);
      client_ = *Client::to(embedded_->url());
    }
  }

  ProxySpec create(const std::string& name = "p") {
    auto made = client_->create({name, "127.0.0.1:0", store_.place()});
    CHECK(made.ok());
    return *made;
  }

  const Client& client() const { return *client_; }

  Store store_;
  std::unique_ptr<Instance> real_;
  std::unique_ptr<Server> embedded_;
  std::optional<Client> client_;
};

INSTANTIATE_TEST_SUITE_P(Of, ToxiproxyClient, testing::Values("embedded", "real"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(ToxiproxyClient, AsksForTheVersion) { EXPECT_TRUE(client().version().ok()); }

TEST_P(ToxiproxyClient, CreatesShowsListsAndRemovesProxies) {
  EXPECT_TRUE(client().proxies()->empty());
  const ProxySpec made = create();
  EXPECT_EQ(made.name, "p");
  EXPECT_TRUE(made.enabled);
  EXPECT_NE(port_in(made.listen), 0);
  EXPECT_EQ(*client().proxy("p"), made);
  EXPECT_EQ(*client().proxies(), std::vector{made});
  EXPECT_TRUE(client().remove("p").ok());
  EXPECT_TRUE(client().proxies()->empty());
}

TEST_P(ToxiproxyClient, IsRefusedWithACodeTheMessageAndTheStatus) {
  const auto missing = client().proxy("p");
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_EQ(missing.error().message, "proxy not found (Toxiproxy answered 404)");
  create();
  const auto second = client().create({"p", "127.0.0.1:0", "x:1"});
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_EQ(second.error().message, "proxy already exists (Toxiproxy answered 409)");
  const auto empty = client().create({"q", "127.0.0.1:0", ""});
  EXPECT_EQ(empty.error().code, ErrorCode::invalid);
  EXPECT_EQ(empty.error().message, "missing required field: upstream (Toxiproxy answered 400)");
  const auto taken = client().create({"q", store_.place(), "x:1"});
  EXPECT_EQ(taken.error().code, ErrorCode::unavailable);
  EXPECT_EQ(taken.error().message, "listen tcp " + store_.place() +
                                       ": bind: address already in use (Toxiproxy answered 500)");
  EXPECT_TRUE(is_definite(taken.error()));
  const auto toxic = client().add_toxic("p", {"down"});
  EXPECT_EQ(toxic.error().message, "invalid toxic type (Toxiproxy answered 400)");
  EXPECT_EQ(client().remove_toxic("p", "x").error().code, ErrorCode::not_found);
}

TEST_P(ToxiproxyClient, AddsUpdatesAndRemovesToxics) {
  create();
  const auto added =
      client().add_toxic("p", {"latency", "", "downstream", 0.5, {{"latency", 100}}});
  ASSERT_TRUE(added.ok()) << added.error().message;
  EXPECT_EQ(
      *added,
      (ToxicSpec{
          "latency", "latency_downstream", "downstream", 0.5, {{"latency", 100}, {"jitter", 0}}}));
  EXPECT_EQ(client().add_toxic("p", {"latency"}).error().code, ErrorCode::conflict);
  const auto named = client().add_toxic("p", {"timeout", "black hole/1", "upstream"});
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(client().toxics("p")->front().name, "black hole/1");
  const auto updated = client().update_toxic("p", "latency_downstream",
                                             {.toxicity = 1, .attributes = {{"jitter", 3}}});
  ASSERT_TRUE(updated.ok());
  EXPECT_EQ(updated->attributes, (Attributes{{"latency", 100}, {"jitter", 3}}));
  EXPECT_EQ(updated->toxicity, 1);
  EXPECT_EQ(*client().toxic("p", "latency_downstream"), *updated);
  EXPECT_EQ(client().proxy("p")->toxics.size(), 2u);
  EXPECT_TRUE(client().remove_toxic("p", "latency_downstream").ok());
  EXPECT_EQ(client().toxics("p")->size(), 1u);
}

TEST_P(ToxiproxyClient, EnablesAndDisables) {
  const ProxySpec made = create();
  const Wire client_end = Wire::to(port_in(made.listen));
  const Wire store_end = store_.accept();
  client_end.say("x");
  EXPECT_EQ(store_end.hear(1), "x");
  EXPECT_FALSE(client().disable("p")->enabled);
  EXPECT_TRUE(client_end.is_ended());
  EXPECT_TRUE(client().enable("p")->enabled);
  const Wire again = Wire::to(port_in(made.listen));
  const Wire there = store_.accept();
  there.say("y");
  EXPECT_EQ(again.hear(1), "y");
}

TEST_P(ToxiproxyClient, PopulatesAndResets) {
  const auto made = client().populate(
      {{"a", "127.0.0.1:0", store_.place()}, {"b", "127.0.0.1:0", store_.place(), false}});
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_EQ(made->size(), 2u);
  EXPECT_EQ(made->front().name, "a");
  EXPECT_FALSE(made->back().enabled);
  ASSERT_TRUE(client().add_toxic("a", {"noop"}).ok());
  EXPECT_TRUE(client().reset().ok());
  EXPECT_TRUE(client().proxy("a")->toxics.empty());
  EXPECT_TRUE(client().proxy("b")->enabled);
}

TEST_P(ToxiproxyClient, MakesTheLineSlow) {
  const ProxySpec made = create();
  ASSERT_TRUE(client().add_toxic("p", {"latency", "", "downstream", 1, {{"latency", 60}}}).ok());
  const Wire client_end = Wire::to(port_in(made.listen));
  const Wire store_end = store_.accept();
  const Stopwatch watch;
  store_end.say("late");
  EXPECT_EQ(client_end.hear(4), "late");
  EXPECT_GE(watch.seconds(), 0.06);
}

TEST_P(ToxiproxyClient, LimitsTheRate) {
  const ProxySpec made = create();
  ASSERT_TRUE(client().add_toxic("p", {"bandwidth", "", "upstream", 1, {{"rate", 50}}}).ok());
  const Wire client_end = Wire::to(port_in(made.listen));
  const Wire store_end = store_.accept();
  const Stopwatch watch;
  client_end.say(std::string(5000, 'x'));
  EXPECT_EQ(store_end.hear(5000).size(), 5000u);
  EXPECT_GE(watch.seconds(), 0.09);  // the real one's slices are not exact
}

TEST_P(ToxiproxyClient, CutsAfterSoMuchDataOrATimeoutOrWithAReset) {
  const ProxySpec made = create();
  const auto joined = [&] { return Wire::to(port_in(made.listen)); };
  ASSERT_TRUE(client().add_toxic("p", {"limit_data", "t", "downstream", 1, {{"bytes", 3}}}).ok());
  {
    const Wire client_end = joined();
    const Wire store_end = store_.accept();
    store_end.say("abcdef");
    EXPECT_EQ(client_end.hear_all(), "abc");
  }
  ASSERT_TRUE(client().reset().ok());
  ASSERT_TRUE(client().add_toxic("p", {"timeout", "t", "downstream", 1, {{"timeout", 30}}}).ok());
  {
    const Wire client_end = joined();
    const Wire store_end = store_.accept();
    store_end.say("abcdef");
    EXPECT_TRUE(client_end.is_ended());
  }
  ASSERT_TRUE(client().reset().ok());
  ASSERT_TRUE(client().add_toxic("p", {"reset_peer", "t", "downstream", 1, {}}).ok());
  {
    const Wire client_end = joined();
    const Wire store_end = store_.accept();
    store_end.say("abcdef");
    EXPECT_TRUE(client_end.is_cut());
  }
}

TEST_P(ToxiproxyClient, SlicesAndClosesSlowly) {
  const ProxySpec made = create();
  ASSERT_TRUE(client()
                  .add_toxic("p", {"slicer",
                                   "",
                                   "downstream",
                                   1,
                                   {{"average_size", 10}, {"size_variation", 3}, {"delay", 500}}})
                  .ok());
  ASSERT_TRUE(client().add_toxic("p", {"slow_close", "", "downstream", 1, {{"delay", 50}}}).ok());
  const Wire client_end = Wire::to(port_in(made.listen));
  Wire store_end = store_.accept();
  const Stopwatch watch;
  store_end.say(std::string(100, 'x'));
  store_end.close();
  EXPECT_EQ(client_end.hear_all().size(), 100u);
  EXPECT_GE(watch.seconds(), 0.05);
}

TEST_P(ToxiproxyClient, MayBeUsedByManyThreads) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      const std::string name = "p" + std::to_string(i);
      for (int round = 0; round < 5; ++round) {
        EXPECT_TRUE(client().create({name, "127.0.0.1:0", "127.0.0.1:1"}).ok());
        EXPECT_TRUE(client().add_toxic(name, {"noop"}).ok());
        EXPECT_TRUE(client().remove(name).ok());
      }
    });
}

// A server that says one thing.
std::string said_by(const Store& store, const std::string& answer) {
  const Wire wire = store.accept();
  std::string heard;
  while (heard.find("\r\n\r\n") == std::string::npos && wire.is_readable(60'000))
    heard += wire.hear(1);
  wire.say(answer);
  return heard;
}

Result<std::string> version_from(const std::string& body) {
  const Store store;
  std::jthread server([&] {
    said_by(store,
            fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body));
  });
  return Client::to("http://" + store.place())->version();
}

TEST(ToxiproxyVersion, IsTakenAsEveryServerTellsIt) {
  EXPECT_EQ(version_from("2.1.4").value(), "2.1.4");
  EXPECT_EQ(version_from("{\"version\": \"2.12.0\"}\n").value(), "2.12.0");
  EXPECT_EQ(version_from("git").value(), "git");
}

TEST(ToxiproxyVersion, ThatWeDoNotSpeakIsRefusedInASentence) {
  for (const char* other : {"1.2.1", "2.0.0", "2.13.0", "3.0.0", "hello", ""}) {
    const auto version = version_from(other);
    ASSERT_FALSE(version.ok()) << other;
    EXPECT_EQ(version.error().code, ErrorCode::unsupported);
    EXPECT_NE(version.error().message.find("Assay speaks the API of 2.1 to 2.12"),
              std::string::npos);
  }
}

TEST(ToxiproxyAnswers, ThatAreNoJsonAreToldSo) {
  const Store store;
  std::jthread server([&] { said_by(store, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<html"); });
  const auto proxies = Client::to("http://" + store.place())->proxies();
  ASSERT_FALSE(proxies.ok());
  EXPECT_EQ(proxies.error().message, "the answer of the Toxiproxy server is no JSON");
}

}  // namespace
}  // namespace assay::toxiproxy
