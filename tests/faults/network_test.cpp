// The faults of the network, on a client's line to a store of the test: what each end sees while
// it lasts, what shows it, and that the line is whole afterwards. Over our own lines, through a
// server of ours that speaks Toxiproxy's API, and through the real one.
#include <gtest/gtest.h>

#include "faults/toxiproxy/lines.h"
#include "faults/toxiproxy/server.h"
#include "harness/contract/clock.h"
#include "tests/faults/around.h"
#include "tests/faults/toxiproxy/real_server.h"
#include "tests/harness/proxy/wire.h"

namespace assay::faults_test {
namespace {

using proxy_test::Wire;

enum class Kind { embedded, our_server, real_server };

class NetworkFaults : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam() == Kind::embedded) {
      auto started = proxy::ShapingProxy::start(42);
      CHECK(started.ok());
      lines_ = std::move(*started);
    } else if (GetParam() == Kind::our_server) {
      auto server = toxiproxy::Server::start({"127.0.0.1", 0, 42});
      CHECK(server.ok());
      server_ = std::move(*server);
      go_through(server_->url());
    } else {
      real_ = toxiproxy::real_server();
      if (!real_) GTEST_SKIP() << toxiproxy::no_real_server;
      go_through(real_->client().url());
    }
    around_.lines = lines_.get();
    for (int client = 0; client < around_.clients(); ++client) {
      auto added = lines_->add({name_of(client), "", store_.place()});
      CHECK(added.ok());
      ports_.push_back(std::stoi(added->listen.substr(added->listen.rfind(':') + 1)));
    }
  }

  void go_through(const std::string& url) {
    auto made = toxiproxy::lines_through({*toxiproxy::Client::to(url)});
    ASSERT_TRUE(made.ok()) << made.error().message;
    lines_ = std::move(*made);
    client_ = *toxiproxy::Client::to(url);
  }

  // That nothing was left on the lines.
  bool has_toxics() const {
    if (!client_)
      return !dynamic_cast<proxy::ShapingProxy&>(*lines_).get(name_of(0))->toxics.empty();
    const auto all = client_->proxies();
    CHECK(all.ok());
    return std::ranges::any_of(*all, [](const auto& one) { return !one.toxics.empty(); });
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
    EXPECT_FALSE(has_toxics());
    const Stopwatch watch;
    joined();
    EXPECT_LT(watch.seconds(), 30);
  }

  proxy_test::Store store_;
  std::unique_ptr<toxiproxy::Server> server_;
  std::unique_ptr<toxiproxy::Instance> real_;
  std::optional<toxiproxy::Client> client_;  // to either of them
  std::unique_ptr<proxy::Lines> lines_;
  Around around_;
  std::vector<int> ports_;
};

TEST_P(NetworkFaults, NeedLines) {
  around_.lines = nullptr;
  EXPECT_FALSE(fault("partition", 0, around_)->begin().ok());
}

TEST_P(NetworkFaults, OfWhichNothingIsSeenAreNotProven) {
  for (const char* name :
       {"partition", "lose_requests", "lose_replies", "slow_network", "narrow_network",
        "sliced_network", "reset_connections", "cut_at_byte", "slow_close", "refuse_connections"}) {
    const auto bad = begun(name);
    EXPECT_FALSE(bad->proof().ok()) << name;
    ASSERT_TRUE(bad->end().ok()) << name;
  }
}

TEST_P(NetworkFaults, PartitionLetsNothingThroughEitherWay) {
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

TEST_P(NetworkFaults, PartitionOfAllIsOfEachLine) {
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

TEST_P(NetworkFaults, LoseRequestsLetsRepliesThrough) {
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

TEST_P(NetworkFaults, LoseRepliesLetsRequestsThrough) {
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

TEST_P(NetworkFaults, SlowNetworkComesLateEitherWay) {
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

TEST_P(NetworkFaults, NarrowNetworkCarriesLittleAtATimeEitherWay) {
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

TEST_P(NetworkFaults, SlicedNetworkBreaksNothingAndTakesItsTime) {
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

TEST_P(NetworkFaults, ResetConnectionsCutsOffWhoIsAnswered) {
  auto [client, store] = joined();
  const auto bad = begun("reset_connections");
  client.say("request");
  EXPECT_EQ(store.hear(7), "request");
  store.say("reply");
  EXPECT_TRUE(client.is_cut());
  EXPECT_TRUE(bad->proof().ok());
  is_whole_after(*bad);
}

TEST_P(NetworkFaults, CutAtByteEndsInTheMiddleOfAnAnswer) {
  auto [client, store] = joined();
  const auto bad = begun("cut_at_byte", {{"bytes", 3}});
  store.say("reply");
  EXPECT_EQ(client.hear_all(), "rep");
  EXPECT_TRUE(bad->proof().ok());
  is_whole_after(*bad);
}

TEST_P(NetworkFaults, SlowCloseTellsLateThatTheStoreHasEnded) {
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

TEST_P(NetworkFaults, SlowCloseTellsLateThatTheClientHasEnded) {
  auto [client, store] = joined();
  const auto bad = begun("slow_close", {{"delay_ms", 40}});
  const Stopwatch watch;
  client.close();
  EXPECT_TRUE(store.is_ended());
  EXPECT_GE(watch.seconds(), 0.04);
  EXPECT_TRUE(bad->proof().ok());
  is_whole_after(*bad);
}

TEST_P(NetworkFaults, SlowCloseIsNotShownByBytesThatPassed) {
  auto [client, store] = joined();
  const auto bad = begun("slow_close");
  carries(client, store);
  EXPECT_TRUE(is_met_nobody(bad->proof().error())) << bad->proof().error().message;
  is_whole_after(*bad);
}

TEST_P(NetworkFaults, SlicedNetworkIsNotShownByWhatIsTooShortToBeCut) {
  auto [client, store] = joined();
  const auto bad = begun("sliced_network", {{"size", 10}, {"variation", 0}, {"delay_us", 0}});
  client.say("hello");
  EXPECT_EQ(store.hear(5), "hello");
  EXPECT_TRUE(is_met_nobody(bad->proof().error())) << bad->proof().error().message;
  is_whole_after(*bad);
}

// A line that its proxy does not know any more is no line that nobody used.
TEST_P(NetworkFaults, OfALineThatIsGoneDidNotMeetNobody) {
  const auto bad = begun("partition");
  ASSERT_TRUE(lines_->remove(name_of(0)).ok());
  const auto proof = bad->proof();
  ASSERT_FALSE(proof.ok());
  EXPECT_FALSE(is_met_nobody(proof.error())) << proof.error().message;
  EXPECT_FALSE(bad->end().ok());
}

// Who leaves in the middle of a conversation was not cut off by the line.
TEST_P(NetworkFaults, AreNotShownByWhoeverEndsByHimself) {
  auto [client, store] = joined();
  auto [other_client, other_store] = joined();
  const auto bad = begun("cut_at_byte", {{"bytes", 1000}});
  client.close();
  EXPECT_TRUE(store.is_ended());
  other_store.close();
  EXPECT_TRUE(other_client.is_ended());
  EXPECT_FALSE(bad->proof().ok()) << *bad->proof();
  is_whole_after(*bad);
}

TEST_P(NetworkFaults, RefuseConnectionsEndsTheOldAndLetsNobodyIn) {
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

TEST_P(NetworkFaults, HalfOpenTakesTheStoresSideAndTellsNobody) {
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

INSTANTIATE_TEST_SUITE_P(Over, NetworkFaults,
                         testing::Values(Kind::embedded, Kind::our_server, Kind::real_server),
                         [](const auto& info) -> std::string {
                           return info.param == Kind::embedded     ? "OurOwnLines"
                                  : info.param == Kind::our_server ? "OurServer"
                                                                   : "TheRealToxiproxy";
                         });

}  // namespace
}  // namespace assay::faults_test
