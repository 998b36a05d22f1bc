#include "harness/contract/text_of.h"
#include "harness/proxy/stopped_backends.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <iterator>

#include "harness/proxy/lock_oracle.h"
#include "tests/harness/proxy/real_stores.h"
#include "tests/harness/proxy/recorder.h"

namespace assay::proxy_test {
namespace {

using namespace proxy;

// As the system has it: 'T' is stopped.
char state_of(pid_t pid) {
  const std::string line = assay::text_of("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t end = line.rfind(')');
  return end == std::string::npos ? '\0' : line[end + 2];
}

bool goes_on_soon(pid_t pid) {
  for (int tries = 0; tries < 6000; ++tries) {
    if (state_of(pid) != 'T') return true;
    ::poll(nullptr, 0, 10);
  }
  return false;
}

class StoppedBackend : public testing::Test {
 protected:
  void SetUp() override {
    backend = real_store("postgres");
    if (!backend) GTEST_SKIP() << why_not("postgres");
    auto started = GateProxy::start(*upstream_of(backend->url()), recorder);
    ASSERT_TRUE(started.ok());
    proxy = std::move(*started);
    client = std::make_unique<PgClient>(url_through(backend->url(), *proxy->add_client(1)));
    ASSERT_TRUE(client->is_connected());
    session = *proxy->session({1, 1});
  }

  Backend* backend = nullptr;
  Recorder recorder;
  std::unique_ptr<GateProxy> proxy;
  std::unique_ptr<PgClient> client;
  StoreSession session;
};

TEST_F(StoppedBackend, StandsStillUntilItIsResumed) {
  auto stopped = StoppedBackends::start();
  ASSERT_TRUE(stopped.ok());
  ASSERT_TRUE((*stopped)->stop(session).ok());
  ASSERT_TRUE((*stopped)->stop(session).ok()) << "twice is harmless";
  EXPECT_EQ(state_of(session.backend_pid), 'T');
  auto asked = client->ask_later("select 1");
  EXPECT_EQ(state_of(session.backend_pid), 'T');
  (*stopped)->resume(session);
  (*stopped)->resume(session);
  EXPECT_EQ(asked.get(), "1");
}

TEST_F(StoppedBackend, GoesOnWhenNobodyStopsItAnyMore) {
  {
    auto stopped = StoppedBackends::start();
    ASSERT_TRUE((*stopped)->stop(session).ok());
  }
  EXPECT_NE(state_of(session.backend_pid), 'T');
  EXPECT_EQ(client->ask("select 1"), "1");
}

TEST_F(StoppedBackend, GoesOnWhenWeAreKilled) {
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t us = ::fork();
  if (us == 0) {
    auto stopped = StoppedBackends::start();
    const bool done = stopped.ok() && (*stopped)->stop(session).ok();
    if (::write(told[1], done ? "y" : "n", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(told[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_EQ(state_of(session.backend_pid), 'T');
  ::kill(us, SIGKILL);
  ::waitpid(us, nullptr, 0);
  EXPECT_TRUE(goes_on_soon(session.backend_pid));
  EXPECT_EQ(client->ask("select 1"), "1");
  ::close(told[0]);
  ::close(told[1]);
}

// One commit frees three who wait for different rows of it; each goes when it is told to.
TEST_F(StoppedBackend, LetsThoseWhoWaitForALockGoOneAtATime) {
  auto oracle = lock_oracle(backend->url());
  auto stopped = StoppedBackends::start();
  ASSERT_TRUE(oracle.ok() && stopped.ok());
  client->ask("drop table if exists line; create table line (id int, place serial)");
  client->ask(
      "drop table if exists held; create table held (id int); "
      "insert into held values (2), (3), (4)");
  EXPECT_EQ(client->ask("begin"), "BEGIN");
  EXPECT_EQ(client->ask("update held set id = id"), "UPDATE 3");
  std::vector<StoreSession> all{session};
  std::vector<std::unique_ptr<PgClient>> others;
  std::vector<std::future<std::string>> asked;
  for (const int number : {2, 3, 4}) {
    others.push_back(
        std::make_unique<PgClient>(url_through(backend->url(), *proxy->add_client(number))));
    all.push_back(*proxy->session({number, 1}));
    const std::string id = std::to_string(number);
    asked.push_back(
        others.back()->ask_later("with mine as (update held set id = id where id = " + id +
                                 " returning id) insert into line select id from mine"));
  }
  const auto waiting = [&] { return (*oracle)->waiting(all, all).value(); };
  const std::vector<bool> all_wait{false, true, true, true};
  for (int tries = 0; tries < 100'000 && waiting() != all_wait; ++tries) {
  }
  ASSERT_EQ(waiting(), all_wait);
  for (std::size_t i = 1; i < all.size(); ++i) ASSERT_TRUE((*stopped)->stop(all[i]).ok());
  EXPECT_EQ(waiting(), all_wait) << "also while they stand still";
  EXPECT_EQ(client->ask("commit"), "COMMIT");
  EXPECT_EQ(waiting(), (std::vector<bool>{false, false, false, false})) << "granted, and still";
  for (const std::size_t next : {2u, 0u, 1u}) {
    (*stopped)->resume(all[next + 1]);
    EXPECT_EQ(asked[next].get(), "INSERT 0 1");
  }
  EXPECT_EQ(client->ask("select string_agg(id::text, ' ' order by place) from line"), "4 2 3");
}

TEST_F(StoppedBackend, IsTheRightOneOrNone) {
  auto stopped = StoppedBackends::start();
  ASSERT_TRUE(stopped.ok());
  for (const StoreSession& wrong :
       {StoreSession{::getpid(), session.address}, StoreSession{session.backend_pid, "127.0.0.1:1"},
        StoreSession{1, session.address}, StoreSession{0, ""}, StoreSession{-1, session.address}})
    EXPECT_EQ((*stopped)->stop(wrong).error().code, ErrorCode::unsupported);
  EXPECT_NE(state_of(session.backend_pid), 'T');
}

}  // namespace
}  // namespace assay::proxy_test
