// The shaping proxy with sockets: what each side sees. Delays are only asked to be long enough.
#include "harness/proxy/shaping_proxy.h"

#include <gtest/gtest.h>

#include <thread>

#include "harness/contract/clock.h"
#include "tests/harness/proxy/wire.h"

namespace assay::proxy_test {
namespace {

using namespace proxy;

int port_in(const std::string& place) { return std::stoi(place.substr(place.rfind(':') + 1)); }

bool is_refused(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const int result = ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address);
  const int why = errno;
  ::close(socket);
  return result != 0 && why == ECONNREFUSED;
}

class Shaping : public testing::Test {
 protected:
  Shaping() {
    auto started = ShapingProxy::start(42);
    CHECK(started.ok());
    proxy_ = std::move(*started);
    auto added = proxy_->add({"p", "", store_.place()});
    CHECK(added.ok());
    port_ = port_in(added->listen);
  }

  void add(const std::string& type, const Attributes& attributes,
           const std::string& stream = "downstream", double toxicity = 1) {
    const auto added = proxy_->add_toxic("p", {type, "", stream, toxicity, attributes});
    ASSERT_TRUE(added.ok()) << added.error().message;
  }

  // Both ends of a connection that has carried something each way.
  std::pair<Wire, Wire> joined() {
    Wire client = Wire::to(port_);
    Wire store = store_.accept();
    client.say("hello");
    EXPECT_EQ(store.hear(5), "hello");
    store.say("welcome");
    EXPECT_EQ(client.hear(7), "welcome");
    return {std::move(client), std::move(store)};
  }

  ProxyCounters counters() { return *proxy_->counters("p"); }

  Store store_;
  std::unique_ptr<ShapingProxy> proxy_;
  int port_ = 0;
};

TEST_F(Shaping, ListensOnLoopbackUnlessToldOtherwise) {
  EXPECT_EQ(proxy_->get("p")->listen, "127.0.0.1:" + std::to_string(port_));
  EXPECT_TRUE(proxy_->add({"q", "localhost:0", "nowhere:1"})->listen.starts_with("127.0.0.1:"));
  EXPECT_TRUE(proxy_->add({"r", ":0", "nowhere:1"})->listen.starts_with("127.0.0.1:"));
}

TEST_F(Shaping, CarriesBytesBothWays) {
  auto [client, store] = joined();
  const std::string large(3 << 20, 'x');
  std::jthread says([&] { client.say(large); });
  EXPECT_EQ(store.hear(large.size()), large);
  says.join();
  std::jthread answers([&] { store.say(large); });
  EXPECT_EQ(client.hear(large.size()), large);
  EXPECT_EQ(counters().bytes_up, large.size() + 5);
  EXPECT_EQ(counters().bytes_down, large.size() + 7);
  EXPECT_EQ(counters().accepted, 1u);
  EXPECT_EQ(counters().open, 1u);
}

TEST_F(Shaping, PassesOnThatOneSideHasEnded) {
  auto [client, store] = joined();
  client.say("question");
  client.end();
  EXPECT_EQ(store.hear_all(), "question");
  store.say("answer");
  store.close();
  EXPECT_EQ(client.hear_all(), "answer");
}

TEST_F(Shaping, LetsAClientEndBeforeItsStoreIsReached) {
  Wire client = Wire::to(port_);
  client.say("all at once");
  client.end();
  Wire store = store_.accept();
  EXPECT_EQ(store.hear_all(), "all at once");
  store.say("fine");
  store.close();
  EXPECT_EQ(client.hear_all(), "fine");
}

TEST_F(Shaping, EndsTheClientWhoseStoreCannotBeReached) {
  store_.close();
  const Wire client = Wire::to(port_);
  EXPECT_TRUE(client.is_ended());
  EXPECT_EQ(counters().unreached, 1u);
}

TEST_F(Shaping, TakesEachAddressOfItsUpstream) {
  ASSERT_TRUE(proxy_->add({"q", "", "localhost:" + std::to_string(store_.port())}).ok());
  const Wire client = Wire::to(port_in(proxy_->get("q")->listen));
  const Wire store = store_.accept();
  client.say("x");
  EXPECT_EQ(store.hear(1), "x");
}

TEST_F(Shaping, DelaysByTheClock) {
  auto [client, store] = joined();
  add("latency", {{"latency", 50}});
  const Stopwatch watch;
  store.say("late");
  EXPECT_EQ(client.hear(4), "late");
  EXPECT_GE(watch.seconds(), 0.05);
  EXPECT_GE(counters().chunks_delayed, 1u);
  const Stopwatch other_way;
  client.say("x");
  EXPECT_EQ(store.hear(1), "x");
}

TEST_F(Shaping, LimitsTheRateByTheClock) {
  auto [client, store] = joined();
  add("bandwidth", {{"rate", 100}}, "upstream");
  const Stopwatch watch;
  client.say(std::string(10'000, 'x'));
  EXPECT_EQ(store.hear(10'000).size(), 10'000u);
  EXPECT_GE(watch.seconds(), 0.1);
}

TEST_F(Shaping, SlicesInMicroseconds) {
  auto [client, store] = joined();
  add("slicer", {{"average_size", 10}, {"delay", 500}});
  const Stopwatch watch;
  store.say(std::string(400, 'x'));
  EXPECT_EQ(client.hear(400).size(), 400u);
  EXPECT_GE(watch.seconds(), 39 * 0.0005);
}

TEST_F(Shaping, ClosesSlowly) {
  auto [client, store] = joined();
  add("slow_close", {{"delay", 50}});
  const Stopwatch watch;
  store.close();
  EXPECT_TRUE(client.is_ended());
  EXPECT_GE(watch.seconds(), 0.05);
}

TEST_F(Shaping, SwallowsAndClosesAfterATimeout) {
  auto [client, store] = joined();
  add("timeout", {{"timeout", 50}});
  store.say("lost");
  EXPECT_TRUE(client.is_ended());
  EXPECT_TRUE(store.is_ended());
  EXPECT_EQ(counters().bytes_dropped, 4u);
  EXPECT_EQ(counters().cut, 1u);
}

TEST_F(Shaping, ClosesWhenABlackHoleIsTakenAway) {
  auto [client, store] = joined();
  add("timeout", {{"timeout", 0}});
  store.say("lost");
  EXPECT_FALSE(client.is_readable());
  ASSERT_TRUE(proxy_->remove_toxic("p", "timeout_downstream").ok());
  EXPECT_TRUE(client.is_ended());
}

TEST_F(Shaping, ResetsConnectionsThatWereThereBefore) {
  auto [client, store] = joined();
  add("reset_peer", {{"timeout", 0}});
  store.say("x");
  EXPECT_TRUE(client.is_cut());
  EXPECT_TRUE(store.is_cut());
  EXPECT_EQ(counters().reset, 1u);
}

TEST_F(Shaping, ResetsNewConnectionsToo) {
  add("reset_peer", {{"timeout", 20}}, "upstream");
  const Wire client = Wire::to(port_);
  const Wire store = store_.accept();
  client.say("x");
  EXPECT_TRUE(client.is_cut());
  EXPECT_TRUE(store.is_cut());
}

TEST_F(Shaping, ClosesAfterSoMuchData) {
  auto [client, store] = joined();
  add("limit_data", {{"bytes", 3}});
  store.say("abcdef");
  EXPECT_EQ(client.hear_all(), "abc");
  EXPECT_TRUE(store.is_ended());
}

TEST_F(Shaping, OfADisabledProxyRefusesTheNewAndEndsTheOld) {
  auto [client, store] = joined();
  client.say("unread by the proxy, perhaps");
  ASSERT_TRUE(proxy_->change("p", {.enabled = false}).ok());
  EXPECT_EQ(client.hear_all(), "");
  EXPECT_TRUE(is_refused(port_));
  EXPECT_EQ(counters().cut, 1u);
  ASSERT_TRUE(proxy_->change("p", {.enabled = true}).ok());
  EXPECT_EQ(proxy_->get("p")->listen, "127.0.0.1:" + std::to_string(port_));
  joined();
}

TEST_F(Shaping, GoesElsewhereWhenItsUpstreamChanges) {
  auto [client, store] = joined();
  const Store other;
  ASSERT_TRUE(proxy_->change("p", {.upstream = other.place()}).ok());
  EXPECT_TRUE(client.is_ended());
  const Wire again = Wire::to(port_);
  const Wire there = other.accept();
  again.say("x");
  EXPECT_EQ(there.hear(1), "x");
}

TEST_F(Shaping, EndsTheConnectionsOfARemovedProxy) {
  auto [client, store] = joined();
  ASSERT_TRUE(proxy_->remove("p").ok());
  EXPECT_TRUE(client.is_ended());
  EXPECT_TRUE(is_refused(port_));
  EXPECT_EQ(proxy_->remove("p").error().code, ErrorCode::not_found);
}

TEST_F(Shaping, IsWholeAgainAfterAReset) {
  add("latency", {{"latency", 60'000}});
  ASSERT_TRUE(proxy_->change("p", {.enabled = false}).ok());
  ASSERT_TRUE(proxy_->reset().ok());
  EXPECT_TRUE(proxy_->get("p")->toxics.empty());
  joined();
}

TEST_F(Shaping, GivesUpItsToxicsInMidStream) {
  auto [client, store] = joined();
  add("latency", {{"latency", 60'000}});
  store.say("held");
  ASSERT_TRUE(proxy_->remove_toxic("p", "latency_downstream").ok());
  EXPECT_EQ(client.hear(4), "held");
}

TEST_F(Shaping, RefusesWhatItDoesNotKnowInToxiproxysWords) {
  EXPECT_EQ(proxy_->add({"p", "", "x:1"}).error().message, "proxy already exists");
  EXPECT_EQ(proxy_->add({"q", "bogus", "x:1"}).error().message,
            "listen tcp: address bogus: missing port in address");
  EXPECT_EQ(proxy_->add({"q", "127.0.0.1:99999", "x:1"}).error().message,
            "listen tcp: address 99999: invalid port");
  EXPECT_EQ(proxy_->add({"q", store_.place(), "x:1"}).error().message,
            "listen tcp " + store_.place() + ": bind: address already in use");
  EXPECT_EQ(proxy_->change("p", {.listen = "bogus"}).error().message,
            "address bogus: missing port in address");
  EXPECT_EQ(proxy_->add_toxic("p", {"down"}).error().message, "invalid toxic type");
  EXPECT_EQ(proxy_->add_toxic("p", {"latency", "", "sideways"}).error().message,
            "stream was invalid, can be either upstream or downstream");
  add("noop", {});
  EXPECT_EQ(proxy_->add_toxic("p", {"noop"}).error().message, "toxic already exists");
  EXPECT_EQ(proxy_->add_toxic("q", {"noop"}).error().message, "proxy not found");
  EXPECT_EQ(proxy_->remove_toxic("p", "x").error().message, "toxic not found");
  joined();
}

// Which of the first connections a toxicity of a half befalls: those are ended on their first byte.
std::string befallen(std::uint64_t seed, const std::string& toxic) {
  const Store store;
  auto started = ShapingProxy::start(seed);
  CHECK(started.ok());
  const auto proxy = std::move(*started);
  const int port = port_in(proxy->add({"p", "", store.place()})->listen);
  CHECK(proxy->add_toxic("p", {"limit_data", toxic, "upstream", 0.5, {}}).ok());
  std::string bits;
  for (int i = 0; i < 40; ++i) {
    const Wire client = Wire::to(port);
    const Wire there = store.accept();
    client.say("x");
    bits += there.hear(1).empty() ? '1' : '0';
  }
  return bits;
}

TEST(ShapingSeed, DecidesWhomAToxicBefalls) {
  const std::string bits = befallen(1, "t");
  EXPECT_EQ(befallen(1, "t"), bits);
  EXPECT_NE(befallen(2, "t"), bits);
  EXPECT_NE(befallen(1, "u"), bits);
  EXPECT_NE(bits.find('0'), std::string::npos);
  EXPECT_NE(bits.find('1'), std::string::npos);
}

TEST_F(Shaping, BefallsNobodyWithoutToxicityAndAllWhenThatGrows) {
  add("limit_data", {}, "downstream", 0);
  auto [client, store] = joined();
  ASSERT_TRUE(proxy_->change_toxic("p", "limit_data_downstream", {.toxicity = 1}).ok());
  store.say("x");
  EXPECT_TRUE(client.is_ended());
}

TEST_F(Shaping, CarriesManyConnectionsAtOnce) {
  add("latency", {{"latency", 5}, {"jitter", 5}});
  std::vector<std::pair<Wire, Wire>> all;
  for (int i = 0; i < 200; ++i) {
    Wire client = Wire::to(port_);
    all.emplace_back(std::move(client), store_.accept());
  }
  for (int round = 0; round < 3; ++round) {
    for (auto& [client, store] : all) store.say("ping");
    for (auto& [client, store] : all) EXPECT_EQ(client.hear(4), "ping");
  }
  EXPECT_EQ(counters().open, 200u);
  all.clear();
  const Stopwatch watch;
  while (counters().open > 0 && watch.seconds() < 60) {
  }
  EXPECT_EQ(counters().open, 0u);
}

TEST_F(Shaping, OutlivesClientsThatAreGoneInTheMiddle) {
  add("latency", {{"latency", 1}});
  for (int i = 0; i < 30; ++i) {
    Wire client = Wire::to(port_);
    Wire store = store_.accept();
    store.say(std::string(100'000, 'x'));
    client.say(std::string(100'000, 'y'));
    const linger at_once{1, 0};
    if (i % 2) ::setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    client.close();
    store.end();
    store.hear_all();
  }
  ASSERT_TRUE(proxy_->reset().ok());
  joined();
}

TEST_F(Shaping, MayBeChangedWhileItCarries) {
  auto [client, store] = joined();
  std::jthread changes([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      EXPECT_TRUE(proxy_->add_toxic("p", {"latency", "l", "downstream", 1, {{"latency", 1}}}).ok());
      EXPECT_TRUE(
          proxy_->add_toxic("p", {"slicer", "s", "upstream", 1, {{"average_size", 100}}}).ok());
      EXPECT_TRUE(proxy_->change_toxic("p", "l", {.attributes = {{"latency", 0}}}).ok());
      EXPECT_TRUE(proxy_->remove_toxic("p", "l").ok());
      EXPECT_TRUE(proxy_->remove_toxic("p", "s").ok());
    }
  });
  for (int i = 0; i < 200; ++i) {
    const std::string text = std::to_string(i) + std::string(1000, 'x');
    client.say(text);
    ASSERT_EQ(store.hear(text.size()), text);
    store.say(text);
    ASSERT_EQ(client.hear(text.size()), text);
  }
}

}  // namespace
}  // namespace assay::proxy_test
