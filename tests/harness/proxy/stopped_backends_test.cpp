#include "harness/proxy/stopped_backends.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "tests/harness/proxy/real_stores.h"
#include "tests/harness/proxy/recorder.h"

namespace assay::proxy_test {
namespace {

using namespace proxy;

// As the system has it: 'T' is stopped.
char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string line(std::istreambuf_iterator<char>(file), {});
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
    Backend* backend = real_store("postgres");
    if (!backend) GTEST_SKIP() << why_not("postgres");
    auto started = GateProxy::start(*upstream_of(backend->url()), recorder);
    ASSERT_TRUE(started.ok());
    proxy = std::move(*started);
    client = std::make_unique<PgClient>(url_through(backend->url(), *proxy->add_client(1)));
    ASSERT_TRUE(client->is_connected());
    session = *proxy->session({1, 1});
  }

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
