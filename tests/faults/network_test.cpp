// The faults of the network, on a client's line to a store of the test: what each end sees while
// it lasts, what shows it, and that the line is whole afterwards.
#include <gtest/gtest.h>

#include "harness/contract/clock.h"
#include "tests/faults/around.h"
#include "tests/harness/proxy/wire.h"

namespace assay::faults_test {
namespace {

using proxy_test::Wire;

class NetworkFaults : public testing::Test {
 protected:
  NetworkFaults() {
    auto started = proxy::ShapingProxy::start(42);
    CHECK(started.ok());
    lines_ = std::move(*started);
    around_.lines = lines_.get();
    for (int client = 0; client < around_.clients(); ++client) {
      auto added = lines_->add({name_of(client), "", store_.place()});
      CHECK(added.ok());
      ports_.push_back(std::stoi(added->listen.substr(added->listen.rfind(':') + 1)));
    }
  }

  static std::string name_of(int client) { return fmt::format("line-{}", client); }

  // Both ends of a line that has carried something each way.
  std::pair<Wire, Wire> joined(std::size_t client = 0) {
    Wire there = Wire::to(ports_[client]);
    Wire store = store_.accept();
    carries(there, store);
    return {std::move(there), std::move(store)};
  }
  static void carries(const Wire& client, const Wire& store) {
    client.say("hello");
    EXPECT_EQ(store.hear(5), "hello");
    store.say("welcome");
    EXPECT_EQ(client.hear(7), "welcome");
  }

  // Begins for the first client.
  std::unique_ptr<Fault> begun(const std::string& name,
                               const std::map<std::string, std::int64_t>& with = {}) {
    auto made = fault(name, 0, around_, with);
    const Status begun = made->begin();
    EXPECT_TRUE(begun.ok()) << begun.error().message;
    return made;
  }

  bool swallowed(std::uint64_t bytes) {
    for (const Stopwatch watch; watch.seconds() < 60;)
      if (lines_->counters(name_of(0))->bytes_dropped == bytes) return true;
    return false;
  }

  void is_whole_after(Fault& bad) {
    ASSERT_TRUE(bad.end().ok());
    ASSERT_TRUE(bad.end().ok());
    EXPECT_TRUE(lines_->get(name_of(0))->toxics.empty());
    const Stopwatch watch;
    joined();
    EXPECT_LT(watch.seconds(), 30);
  }

  proxy_test::Store store_;
  std::unique_ptr<proxy::ShapingProxy> lines_;
  Around around_;
  std::vector<int> ports_;
};

TEST_F(NetworkFaults, NeedLines) {
  around_.lines = nullptr;
  EXPECT_FALSE(fault("partition", 0, around_)->begin().ok());
}

TEST_F(NetworkFaults, OfWhichNothingIsSeenAreNotProven) {
  for (const char* name :
       {"partition", "lose_requests", "lose_replies", "slow_network", "narrow_network",
        "sliced_network", "reset_connections", "cut_at_byte", "slow_close", "refuse_connections"}) {
    const auto bad = begun(name);
    EXPECT_FALSE(bad->proof().ok()) << name;
    ASSERT_TRUE(bad->end().ok()) << name;
  }
}

TEST_F(NetworkFaults, PartitionLetsNothingThroughEitherWay) {
  auto [client, store] = joined();
  auto [other_client, other_store] = joined(1);
  const auto bad = begun("partition");
  client.say("request");
  store.say("reply");
  ASSERT_TRUE(swallowed(12));
  EXPECT_FALSE(client.is_readable());
  EXPECT_FALSE(store.is_readable());
  carries(other_client, other_store);
  EXPECT_TRUE(bad->proof().ok());
  is_whole_after(*bad);
}

TEST_F(NetworkFaults, PartitionOfAllIsOfEachLine) {
  auto [client, store] = joined();
  auto [other_client, other_store] = joined(1);
  const auto bad = fault("partition", -1, around_);
  ASSERT_TRUE(bad->begin().ok());
  other_client.say("request");
  client.say("request");
  ASSERT_TRUE(swallowed(7));
  EXPECT_FALSE(store.is_readable());
  for (const Stopwatch watch; watch.seconds() < 60;)
    if (lines_->counters(name_of(1))->bytes_dropped == 7) break;
  EXPECT_FALSE(other_store.is_readable());
  is_whole_after(*bad);
}

TEST_F(NetworkFaults, LoseRequestsLetsRepliesThrough) {
  auto [client, store] = joined();
  const auto bad = begun("lose_requests");
  client.say("request");
  ASSERT_TRUE(swallowed(7));
  EXPECT_FALSE(store.is_readable());
  store.say("reply");
  EXPECT_EQ(client.hear(5), "reply");
  EXPECT_TRUE(bad->proof().ok());
  is_whole_after(*bad);
}

TEST_F(NetworkFaults, LoseRepliesLetsRequestsThrough) {
  auto [client, store] = joined();
  const auto bad = begun("lose_replies");
  client.say("request");
  EXPECT_EQ(store.hear(7), "request");
  store.say("reply");
  ASSERT_TRUE(swallowed(5));
  EXPECT_FALSE(client.is_readable());
  EXPECT_TRUE(bad->proof().ok());
  is_whole_after(*bad);
}

TEST_F(NetworkFaults, SlowNetworkComesLateEitherWay) {
  auto [client, store] = joined();
  const auto bad = begun("slow_network", {{"latency_ms", 40}, {"jitter_ms", 0}});
  const Stopwatch up;
  client.say("request");
  EXPECT_EQ(store.hear(7), "request");
  EXPECT_GE(up.seconds(), 0.04);
  const Stopwatch down;
  store.say("reply");
  EXPECT_EQ(client.hear(5), "reply");
  EXPECT_GE(down.seconds(), 0.04);
  EXPECT_TRUE(bad->proof().ok());
  is_whole_after(*bad);
}

TEST_F(NetworkFaults, NarrowNetworkCarriesLittleAtATimeEitherWay) {
  auto [client, store] = joined();
  const auto bad = begun("narrow_network", {{"rate_kb", 50}});
  const std::string much(5'000, 'x');
  const Stopwatch up;
  client.say(much);
  EXPECT_EQ(store.hear(much.size()), much);
  EXPECT_GE(up.seconds(), 0.09);
  const Stopwatch down;
  store.say(much);
  EXPECT_EQ(client.hear(much.size()), much);
  EXPECT_GE(down.seconds(), 0.09);
  EXPECT_TRUE(bad->proof().ok());
  is_whole_after(*bad);
}

TEST_F(NetworkFaults, SlicedNetworkBreaksNothingAndTakesItsTime) {
  auto [client, store] = joined();
  const auto bad = begun("sliced_network", {{"size", 10}, {"variation", 0}, {"delay_us", 500}});
  const std::string much(400, 'x');
  const Stopwatch up;
  client.say(much);
  EXPECT_EQ(store.hear(much.size()), much);
  EXPECT_GE(up.seconds(), 39 * 0.0005);
  const Stopwatch down;
  store.say(much);
  EXPECT_EQ(client.hear(much.size()), much);
  EXPECT_GE(down.seconds(), 39 * 0.0005);
  EXPECT_TRUE(bad->proof().ok());
  is_whole_after(*bad);
}

TEST_F(NetworkFaults, ResetConnectionsCutsOffWhoIsAnswered) {
  auto [client, store] = joined();
  const auto bad = begun("reset_connections");
  client.say("request");
  EXPECT_EQ(store.hear(7), "request");
  store.say("reply");
  EXPECT_TRUE(client.is_cut());
  EXPECT_TRUE(bad->proof().ok());
  is_whole_after(*bad);
}

TEST_F(NetworkFaults, CutAtByteEndsInTheMiddleOfAnAnswer) {
  auto [client, store] = joined();
  const auto bad = begun("cut_at_byte", {{"bytes", 3}});
  store.say("reply");
  EXPECT_EQ(client.hear_all(), "rep");
  EXPECT_TRUE(bad->proof().ok());
  is_whole_after(*bad);
}

TEST_F(NetworkFaults, SlowCloseTellsLateThatTheStoreHasEnded) {
  auto [client, store] = joined();
  const auto bad = begun("slow_close", {{"delay_ms", 40}});
  carries(client, store);
  const Stopwatch watch;
  store.close();
  EXPECT_TRUE(client.is_ended());
  EXPECT_GE(watch.seconds(), 0.04);
  EXPECT_TRUE(bad->proof().ok());
  is_whole_after(*bad);
}

TEST_F(NetworkFaults, RefuseConnectionsEndsTheOldAndLetsNobodyIn) {
  auto [client, store] = joined();
  const auto bad = begun("refuse_connections");
  EXPECT_TRUE(client.is_ended());
  EXPECT_TRUE(store.is_ended());
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(ports_[0]));
  EXPECT_NE(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(socket);
  EXPECT_TRUE(bad->proof().ok());
  is_whole_after(*bad);
}

TEST_F(NetworkFaults, HalfOpenTakesTheStoresSideAndTellsNobody) {
  auto [client, store] = joined();
  const auto bad = begun("half_open");
  EXPECT_TRUE(is_met_nobody(bad->proof().error())) << bad->proof().error().message;
  client.say("hello?");
  ASSERT_TRUE(swallowed(6));
  EXPECT_TRUE(store.is_cut());
  EXPECT_FALSE(client.is_readable()) << "the client is told nothing";
  EXPECT_NE(bad->proof()->find("cut off"), std::string::npos);
  is_whole_after(*bad);
}

}  // namespace
}  // namespace assay::faults_test
