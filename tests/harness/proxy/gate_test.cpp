// The gate, with a test at both of its ends.
#include <gtest/gtest.h>

#include <thread>

#include "harness/proxy/proxy.h"
#include "tests/harness/proxy/conversations.h"
#include "tests/harness/proxy/recorder.h"
#include "tests/harness/proxy/wire.h"

namespace assay::proxy_test {
namespace {

using namespace proxy;
using namespace std::string_literals;

const std::string ping = resp({"PING"}), pong = "+PONG\r\n";

class Gate : public testing::Test {
 protected:
  void begin(StoreProtocol protocol = StoreProtocol::redis) {
    auto started = GateProxy::start(store.upstream(protocol), recorder);
    ASSERT_TRUE(started.ok()) << started.error().message;
    proxy = std::move(*started);
  }

  int port(int client) {
    const auto added = proxy->add_client(client);
    EXPECT_TRUE(added.ok());
    return added.ok() ? *added : 0;
  }

  // A client, and what the store has of it.
  struct Line {
    Wire client, store;
  };
  Line connect(int port) {
    Wire client = Wire::to(port);
    return {std::move(client), store.accept()};
  }

  // One that is held, and asks something.
  Line held_line(int client) {
    const int at = port(client);
    EXPECT_TRUE(proxy->hold(client, true).ok());
    Line line = connect(at);
    line.client.say(ping);
    const HeldRequest request = recorder.next_held(client);
    EXPECT_EQ(request.from, (ConnectionId{client, 1}));
    return line;
  }

  // Whatever reached the proxy before has been dealt with.
  void be_sure() {
    static int last = 1000;
    const Line line = connect(port(++last));
    EXPECT_TRUE(proxy->hold(last, false).ok());
    line.client.say(ping);
    EXPECT_EQ(line.store.hear(ping.size()), ping);
  }

  Store store;
  Recorder recorder;
  std::unique_ptr<GateProxy> proxy;
};

TEST_F(Gate, LetsEverythingThroughAtFirst) {
  begin();
  const Line line = connect(port(1));
  EXPECT_EQ(recorder.next_opened(1), (ConnectionId{1, 1}));
  line.client.say(ping + ping);
  EXPECT_EQ(line.store.hear(2 * ping.size()), ping + ping);
  line.store.say(pong + pong);
  EXPECT_EQ(line.client.hear(2 * pong.size()), pong + pong);
  EXPECT_EQ(recorder.helds(1), 0u);
  EXPECT_EQ(recorder.answers(1), 0u);
}

TEST_F(Gate, PassesTheEndOfAClientOnAndStillBringsHimHisAnswer) {
  begin();
  Line line = connect(port(1));
  line.client.say(ping);
  line.client.end();
  EXPECT_EQ(line.store.hear_all(), ping);
  line.store.say(pong);
  line.store.close();
  EXPECT_EQ(line.client.hear_all(), pong);
  EXPECT_EQ(recorder.next_closing(1), "the client closed");
}

TEST_F(Gate, HoldsEachCommandUntilItIsReleased) {
  begin();
  const Line line = held_line(7);
  be_sure();
  EXPECT_FALSE(line.store.is_readable());
  ASSERT_TRUE(proxy->release({7, 1}).ok());
  EXPECT_EQ(line.store.hear(ping.size()), ping);
  line.store.say(pong);
  EXPECT_EQ(line.client.hear(pong.size()), pong);
  const Answer answer = recorder.next_answer(7);
  EXPECT_EQ(answer.to, (ConnectionId{7, 1}));
  EXPECT_EQ(answer.outcome, Outcome::ok);
  EXPECT_TRUE(answer.seen);
}

TEST_F(Gate, HoldsCommandsThatCameAtOnceOneAfterTheOther) {
  begin();
  const int at = port(1);
  proxy->hold(true);
  const Line line = connect(at);
  const std::string set = resp({"SET", "k", "v"}), get = resp({"GET", "k"});
  const std::string all = set + get;
  line.client.say(all.substr(0, 5));
  line.client.say(all.substr(5));
  const HeldRequest first = recorder.next_held(1);
  EXPECT_EQ(first.what, "SET k v");
  be_sure();
  EXPECT_EQ(recorder.helds(1), 0u);
  ASSERT_TRUE(proxy->release(first.from).ok());
  EXPECT_EQ(line.store.hear(set.size()), set);
  be_sure();
  EXPECT_EQ(recorder.helds(1), 0u) << "the next waits for the answer of the first";
  line.store.say("-READONLY no\r\n");
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::error);
  const HeldRequest second = recorder.next_held(1);
  EXPECT_EQ(second.what, "GET k");
  EXPECT_NE(first.fingerprint, second.fingerprint);
}

TEST_F(Gate, BringsAnAnswerWhole) {
  begin();
  const Line line = held_line(1);
  ASSERT_TRUE(proxy->release({1, 1}).ok());
  EXPECT_EQ(line.store.hear(ping.size()), ping);
  const std::string answer = "*2\r\n$3\r\none\r\n$3\r\ntwo\r\n";
  line.store.say(answer.substr(0, 15));
  be_sure();
  EXPECT_FALSE(line.client.is_readable());
  line.store.say(answer.substr(15));
  EXPECT_EQ(line.client.hear(answer.size()), answer);
}

TEST_F(Gate, KnowsTheConnectionsOfAClientApart) {
  begin();
  const int at = port(3);
  proxy->hold(true);
  const Line one = connect(at), two = connect(at);
  two.client.say(resp({"GET", "two"}));
  EXPECT_EQ(recorder.next_held(3).from, (ConnectionId{3, 2}));
  one.client.say(resp({"GET", "one"}));
  EXPECT_EQ(recorder.next_held(3).from, (ConnectionId{3, 1}));
  ASSERT_TRUE(proxy->release({3, 1}).ok());
  EXPECT_EQ(one.store.hear(1), "*");
  EXPECT_FALSE(two.store.is_readable());
  const auto session = proxy->session({3, 2});
  ASSERT_TRUE(session.ok());
  EXPECT_TRUE(session->address.starts_with("127.0.0.1:"));
  EXPECT_EQ(session->backend_pid, 0);
}

TEST_F(Gate, CutsBeforeDelivery) {
  begin();
  const Line line = held_line(1);
  ASSERT_TRUE(proxy->cut({1, 1}, Cut::before_delivery).ok());
  EXPECT_TRUE(line.client.is_cut());
  EXPECT_EQ(line.store.hear_all(), "");
  const Answer answer = recorder.next_answer(1);
  EXPECT_EQ(answer.outcome, Outcome::withdrawn);
  EXPECT_FALSE(answer.seen);
}

TEST_F(Gate, CutsAfterDeliveryWithoutWaiting) {
  begin();
  Line line = held_line(1);
  ASSERT_TRUE(proxy->cut({1, 1}, Cut::after_delivery).ok());
  EXPECT_TRUE(line.client.is_cut());
  EXPECT_EQ(line.store.hear_all(), ping);
  EXPECT_EQ(recorder.answers(1), 0u);
  line.store.say(pong);
  const Answer answer = recorder.next_answer(1);
  EXPECT_EQ(answer.outcome, Outcome::ok) << "the effect is known, to us";
  EXPECT_FALSE(answer.seen);
  line.store.close();
  EXPECT_EQ(recorder.next_closing(1), "the connection was cut");
}

TEST_F(Gate, CutsAfterTheEffect) {
  begin();
  const Line line = held_line(1);
  ASSERT_TRUE(proxy->cut({1, 1}, Cut::after_effect).ok());
  EXPECT_EQ(line.store.hear(ping.size()), ping);
  be_sure();
  EXPECT_FALSE(line.client.is_readable());
  line.store.say(pong);
  EXPECT_TRUE(line.client.is_cut());
  const Answer answer = recorder.next_answer(1);
  EXPECT_EQ(answer.outcome, Outcome::ok);
  EXPECT_FALSE(answer.seen);
  EXPECT_TRUE(line.store.is_ended());
}

TEST_F(Gate, CutsAConnectionThatIsUnderWay) {
  begin();
  const Line line = held_line(1);
  ASSERT_TRUE(proxy->release({1, 1}).ok());
  EXPECT_EQ(proxy->cut({1, 1}, Cut::before_delivery).error().code, ErrorCode::conflict);
  ASSERT_TRUE(proxy->cut({1, 1}, Cut::after_effect).ok());
  EXPECT_EQ(line.store.hear(ping.size()), ping);
  line.store.say(pong);
  EXPECT_TRUE(line.client.is_cut());
  EXPECT_FALSE(recorder.next_answer(1).seen);
}

TEST_F(Gate, RefusesWhatIsTooLateOrTooEarly) {
  begin();
  const Line line = connect(port(1));
  recorder.next_opened(1);
  EXPECT_EQ(proxy->release({1, 1}).error().code, ErrorCode::conflict);
  EXPECT_EQ(proxy->cut({1, 1}, Cut::after_effect).error().code, ErrorCode::conflict);
  EXPECT_EQ(proxy->release({1, 2}).error().code, ErrorCode::not_found);
  EXPECT_EQ(proxy->session({2, 1}).error().code, ErrorCode::not_found);
  EXPECT_EQ(proxy->hold(2, true).error().code, ErrorCode::not_found);
  EXPECT_EQ(proxy->remove_client(2).error().code, ErrorCode::not_found);
  EXPECT_EQ(proxy->add_client(1).error().code, ErrorCode::conflict);
}

TEST_F(Gate, WithdrawsTheRequestOfAClientThatLeaves) {
  begin();
  Line line = held_line(1);
  line.client.close();
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::withdrawn);
  EXPECT_EQ(line.store.hear_all(), "");
  EXPECT_EQ(proxy->release({1, 1}).error().code, ErrorCode::conflict);
  line.store.close();
  EXPECT_EQ(recorder.next_closing(1), "the client closed");
  be_sure();
  EXPECT_EQ(proxy->release({1, 1}).error().code, ErrorCode::not_found);
}

TEST_F(Gate, TellsOfAStoreThatDiesInAnAnswer) {
  begin();
  Line line = held_line(1);
  ASSERT_TRUE(proxy->release({1, 1}).ok());
  EXPECT_EQ(line.store.hear(ping.size()), ping);
  line.store.say("$10\r\nhalf");
  line.store.close();
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::broken);
  EXPECT_EQ(recorder.next_closing(1), "the store closed");
  EXPECT_EQ(line.client.hear_all(), "$10\r\nhalf");
}

TEST_F(Gate, TellsOfAStoreThatDiesWhileARequestIsHeld) {
  begin();
  Line line = held_line(1);
  line.store.close();
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::withdrawn);
  EXPECT_EQ(recorder.next_closing(1), "the store closed");
  EXPECT_EQ(line.client.hear_all(), "");
}

TEST_F(Gate, TellsOfAStoreThatIsNotThere) {
  begin();
  store.close();
  const Wire client = Wire::to(port(1));
  client.say(ping);
  EXPECT_EQ(client.hear_all(), "");
  recorder.next_opened(1);
  EXPECT_EQ(recorder.next_closing(1), "the store cannot be reached: Connection refused");
}

TEST_F(Gate, OpensWhenHoldingEnds) {
  begin();
  const Line line = held_line(1);
  line.client.say(ping + ping);
  proxy->hold(false);
  EXPECT_EQ(line.store.hear(3 * ping.size()), ping + ping + ping);
  line.store.say(pong + pong + pong);
  EXPECT_EQ(line.client.hear(3 * pong.size()), pong + pong + pong);
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::ok);
  EXPECT_EQ(recorder.answers(1), 0u) << "of those that passed nothing is said";
}

TEST_F(Gate, ClosesBehindWhatIsUnderWay) {
  begin();
  const Line line = connect(port(1));
  line.client.say(ping);
  EXPECT_EQ(line.store.hear(ping.size()), ping);
  ASSERT_TRUE(proxy->hold(1, true).ok());
  line.client.say(resp({"GET", "k"}));
  be_sure();
  EXPECT_EQ(recorder.helds(1), 0u);
  line.store.say(pong);
  EXPECT_EQ(line.client.hear(pong.size()), pong);
  EXPECT_EQ(recorder.next_held(1).what, "GET k");
  EXPECT_EQ(recorder.answers(1), 0u);
}

TEST_F(Gate, DoesNotWaitForAnAnswerThatNeverComes) {
  begin();
  const int at = port(1);
  proxy->hold(true);
  const Line line = connect(at);
  line.client.say(resp({"CLIENT", "REPLY", "OFF"}) + ping);
  ASSERT_TRUE(proxy->release(recorder.next_held(1).from).ok());
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::none);
  ASSERT_TRUE(proxy->release(recorder.next_held(1).from).ok());
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::none);
}

TEST_F(Gate, TellsWhatIsPushed) {
  begin();
  const int at = port(1);
  proxy->hold(true);
  const Line line = connect(at);
  line.client.say(resp({"SUBSCRIBE", "c"}));
  const HeldRequest request = recorder.next_held(1);
  EXPECT_EQ(request.kind, RequestKind::subscribe);
  ASSERT_TRUE(proxy->release(request.from).ok());
  const std::string subscribed = "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n";
  const std::string said = "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n";
  line.store.say(subscribed + said);
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::ok);
  EXPECT_EQ(recorder.next_push(1), "*3 $7 message $1 c $2 hi ");
  EXPECT_EQ(line.client.hear(subscribed.size() + said.size()), subscribed + said);
}

TEST_F(Gate, RefusesGarbageAndServesTheOthers) {
  begin();
  const Line good = connect(port(1));
  for (const std::string garbage : {"*1\r\n$99999999999\r\n", "*x\r\n", "\x16\x03\x01\x02"}) {
    static int client = 1;
    const Line line = connect(port(++client));
    line.client.say(garbage);
    EXPECT_NE(recorder.next_refusal(client), "");
    EXPECT_EQ(line.client.hear_all(), "");
    EXPECT_EQ(line.store.hear_all(), "");
  }
  good.client.say(ping);
  EXPECT_EQ(good.store.hear(ping.size()), ping);
}

TEST_F(Gate, RefusesAStoreThatTalksGarbage) {
  begin();
  const Line line = held_line(1);
  ASSERT_TRUE(proxy->release({1, 1}).ok());
  line.store.say("HTTP/1.1 400 Bad Request\r\n");
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::broken);
  EXPECT_EQ(recorder.next_closing(1), "the server sends what is no Redis reply");
}

TEST_F(Gate, SurvivesHalfARequestWhoseClientLeaves) {
  begin();
  const int at = port(1);
  proxy->hold(true);
  Line line = connect(at);
  line.client.say("*2\r\n$3\r\nGE");
  line.client.close();
  EXPECT_EQ(line.store.hear_all(), "");
  line.store.close();
  EXPECT_EQ(recorder.next_closing(1), "the client closed");
  EXPECT_EQ(recorder.answers(1), 0u);
}

TEST_F(Gate, RefusesTlsOfAPostgresClientThatInsists) {
  begin(StoreProtocol::postgres);
  Line line = connect(port(1));
  line.client.say("\0\0\0\x08\x04\xd2\x16\x2f"s);
  EXPECT_EQ(line.client.hear(1), "N");
  line.client.close();
  EXPECT_EQ(recorder.next_refusal(1),
            "the client insists on TLS, which hides what it asks: have it connect without "
            "(sslmode=disable)");
}

TEST_F(Gate, LeavesTheLoginOfPostgresAlone) {
  begin(StoreProtocol::postgres);
  const int at = port(1);
  proxy->hold(true);
  const Line line = connect(at);
  line.client.say("\0\0\0\x08\x04\xd2\x16\x2f"s);
  EXPECT_EQ(line.client.hear(1), "N");
  line.client.say(pg_startup());
  EXPECT_EQ(line.store.hear(pg_startup().size()), pg_startup());
  line.store.say(pg_welcome(4711));
  EXPECT_EQ(line.client.hear(pg_welcome().size()), pg_welcome(4711));
  EXPECT_EQ(proxy->session({1, 1})->backend_pid, 4711);
  const std::string query = pg('Q', "select 1\0"s);
  line.client.say(query);
  EXPECT_EQ(recorder.next_held(1).what, "Q select 1");
}

TEST_F(Gate, DoesNotWaitForTheReadinessOfAFlush) {
  begin(StoreProtocol::postgres);
  const int at = port(1);
  proxy->hold(true);
  const Line line = connect(at);
  line.client.say(pg_startup());
  line.store.say(pg_welcome());
  line.client.hear(pg_welcome().size());
  const std::string group = pg('B', "\0s\0\0\0\0\0\0\0"s) + pg('E', "\0\0\0\0\0"s) + pg('H');
  const std::string done = pg('2') + pg('C', "SELECT 1\0"s);
  line.client.say(group);
  ASSERT_TRUE(proxy->release(recorder.next_held(1).from).ok());
  line.store.hear(pg_startup().size());
  EXPECT_EQ(line.store.hear(group.size()), group);
  line.store.say(done);
  EXPECT_EQ(line.client.hear(done.size()), done);
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::ok);
}

TEST_F(Gate, LetsPassWhatOnlyPreparesAConnection) {
  begin(StoreProtocol::postgres);
  const int at = port(1);
  proxy->hold(true);
  const Line line = connect(at);
  line.client.say(pg_startup());
  line.store.say(pg_welcome());
  line.client.hear(pg_welcome().size());
  line.store.hear(pg_startup().size());
  const std::string ready = pg('Z', "I");
  for (const std::string& request : {pg('P', "s\0select 1\0\0\0"s) + pg('D', "Ss\0"s) + pg('S'),
                                     pg('Q', " set search_path TO \"x\";\0"s)}) {
    line.client.say(request);
    EXPECT_EQ(line.store.hear(request.size()), request);
    line.store.say(ready);
    EXPECT_EQ(line.client.hear(ready.size()), ready);
  }
  const std::string both = pg('Q', "SET x TO y; DELETE FROM t\0"s);
  line.client.say(both);
  EXPECT_EQ(recorder.next_held(1).what, "Q SET x TO y; DELETE FROM t");
}

TEST_F(Gate, KeepsAnAnswerBackUntilItIsLetGo) {
  begin();
  const int at = port(1);
  proxy->hold(true);
  const Line line = connect(at);
  const std::string request = resp({"BLPOP", "l", "0"}), answer = "$1\r\nx\r\n",
                    next = resp({"GET", "k"});
  line.client.say(request + next);
  const ConnectionId id = recorder.next_held(1).from;
  EXPECT_FALSE(proxy->keep_answer(id).ok());
  ASSERT_TRUE(proxy->release(id).ok());
  ASSERT_TRUE(proxy->keep_answer(id).ok());
  line.store.hear(request.size());
  line.store.say(answer);
  recorder.next_kept(1);
  EXPECT_FALSE(line.client.is_readable());
  EXPECT_EQ(recorder.answers(1), 0u);
  ASSERT_TRUE(proxy->release(id).ok());
  EXPECT_EQ(line.client.hear(answer.size()), answer);
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::ok);
  EXPECT_EQ(recorder.next_held(1).what, "GET k");
}

TEST_F(Gate, KeepsALargeAnswerOfAnyKindInOrder) {
  begin();
  const Line line = connect(port(1));
  std::string large(5'000'000, 'x');
  for (std::size_t i = 0; i < large.size(); i += 997) large[i] = static_cast<char>('a' + i % 26);
  const std::string request = resp({"SET", "k", large});
  std::jthread saying([&] { line.client.say(request); });
  EXPECT_EQ(line.store.hear(request.size()), request);
  const std::string answer = "$" + std::to_string(large.size()) + "\r\n" + large + "\r\n";
  std::jthread answering([&] { line.store.say(answer); });
  EXPECT_EQ(line.client.hear(answer.size()), answer);
}

TEST_F(Gate, HoldsALargeRequestAndItsAnswer) {
  begin();
  const int at = port(1);
  proxy->hold(true);
  const Line line = connect(at);
  const std::string large(5'000'000, 'y'), request = resp({"ECHO", large});
  std::jthread saying([&] { line.client.say(request); });
  ASSERT_TRUE(proxy->release(recorder.next_held(1).from).ok());
  EXPECT_EQ(line.store.hear(request.size()), request);
  const std::string answer = "$5000000\r\n" + large + "\r\n";
  std::jthread answering([&] { line.store.say(answer); });
  EXPECT_EQ(line.client.hear(answer.size()), answer);
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::ok);
}

TEST_F(Gate, DoesNotSwallowWhatTheStoreDoesNotTake) {
  begin();
  const Line line = connect(port(1));
  const std::string request = resp({"SET", "k", std::string(1'000'000, 'x')});
  std::size_t taken = 0;
  constexpr std::size_t far_too_much = 64'000'000;
  pollfd room{line.client.get(), POLLOUT, 0};
  while (taken<far_too_much&& ::poll(&room, 1, 300)> 0) {
    const ssize_t sent = ::send(line.client.get(), request.data(), request.size(), MSG_DONTWAIT);
    if (sent > 0) taken += static_cast<std::size_t>(sent);
  }
  EXPECT_LT(taken, far_too_much / 2);
}

TEST_F(Gate, ForgetsAClientThatIsRemoved) {
  begin();
  const Line line = held_line(1);
  ASSERT_TRUE(proxy->remove_client(1).ok());
  EXPECT_EQ(recorder.next_answer(1).outcome, Outcome::withdrawn);
  EXPECT_EQ(recorder.next_closing(1), "the client was removed");
  EXPECT_EQ(line.client.hear_all(), "");
  EXPECT_EQ(line.store.hear_all(), "");
  EXPECT_TRUE(proxy->add_client(1).ok());
}

TEST_F(Gate, ClosesEverythingWhenItGoes) {
  begin();
  const Line line = held_line(1);
  proxy.reset();
  EXPECT_EQ(line.client.hear_all(), "");
  EXPECT_EQ(line.store.hear_all(), "");
}

TEST_F(Gate, MayBeCalledByItsListener) {
  struct Opener final : Recorder {
    void held(const HeldRequest& request) override {
      EXPECT_TRUE(proxy->session(request.from).ok());
      EXPECT_TRUE(proxy->release(request.from).ok());
    }
    GateProxy* proxy = nullptr;
  } opener;
  auto started = GateProxy::start(store.upstream(StoreProtocol::redis), opener);
  ASSERT_TRUE(started.ok());
  proxy = std::move(*started);
  opener.proxy = proxy.get();
  const int at = port(1);
  proxy->hold(true);
  const Line line = connect(at);
  line.client.say(ping + ping);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(line.store.hear(ping.size()), ping);
    line.store.say(pong);
  }
  EXPECT_EQ(line.client.hear(2 * pong.size()), pong + pong);
  opener.next_answer(1);
  opener.next_answer(1);
  proxy.reset();
}

TEST(Upstream, IsReadFromAUrl) {
  const auto postgres = upstream_of("postgresql://me:p%40ss@127.0.0.1:4321/db?sslmode=disable");
  ASSERT_TRUE(postgres.ok());
  EXPECT_EQ(postgres->protocol, StoreProtocol::postgres);
  EXPECT_EQ(postgres->host, "127.0.0.1");
  EXPECT_EQ(postgres->port, 4321);
  EXPECT_EQ(upstream_of("redis://127.0.0.1")->port, 6379);
  EXPECT_EQ(upstream_of("redis://:s3cret@localhost:1/0")->host, "localhost");
  EXPECT_EQ(upstream_of("host=127.0.0.1 port=77 user=me")->port, 77);
  EXPECT_EQ(upstream_of("redis://[::1]:77/0")->host, "::1");
}

TEST(Upstream, IsRefusedWhereItCannotBeReached) {
  for (const std::string url : {"rediss://h:1", "unix:///tmp/x", "host=/tmp port=1", "sqlite:x",
                                "redis://h:x", "redis://h:0", "redis://no.such.host.invalid:1"})
    EXPECT_FALSE(upstream_of(url).ok()) << url;
}

TEST(Upstream, IsTheSameThroughTheProxyButForTheWay) {
  EXPECT_EQ(url_through("postgresql://me:pw@db:4321/d?x=y", 99),
            "postgresql://me:pw@127.0.0.1:99/d?x=y");
  EXPECT_EQ(url_through("redis://db", 99), "redis://127.0.0.1:99");
  EXPECT_EQ(url_through("host=db port=1 user=me", 99),
            "host=db port=1 user=me host=127.0.0.1 hostaddr=127.0.0.1 port=99");
}

}  // namespace
}  // namespace assay::proxy_test
