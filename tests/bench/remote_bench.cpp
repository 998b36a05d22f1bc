// What the protocol costs: operations a second through a pipe to `assay serve memory`, by one
// session and by eight, beside the raw round trip of a pipe, in one run. Nothing is asserted.
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "drivers/memory/memory.h"
#include "harness/contract/check.h"
#include "harness/contract/clock.h"
#include "harness/remote/remote_driver.h"

namespace assay {
namespace {

constexpr int round_trips = 100'000;
constexpr int jobs = 10'000;  // four operations each

enum class Waiting { asleep, awake };

ssize_t read_some(int stream, std::string& buffer, Waiting how) {
  pollfd ready{stream, POLLIN, 0};
  while (how == Waiting::awake && ::poll(&ready, 1, 0) == 0) ::sched_yield();
  return ::read(stream, buffer.data(), buffer.size());
}

// A child that sends back whatever it gets: the same bytes, no thought.
double raw_round_trip_us(std::size_t bytes, Waiting how) {
  int to[2], from[2];
  CHECK(::pipe(to) == 0 && ::pipe(from) == 0);
  const pid_t child = ::fork();
  CHECK(child >= 0);
  std::string buffer(bytes, 'x');
  if (child == 0) {
    ::close(to[1]);
    ::close(from[0]);
    for (ssize_t size; (size = read_some(to[0], buffer, how)) > 0;)
      if (::write(from[1], buffer.data(), static_cast<std::size_t>(size)) < 0) break;
    ::_exit(0);
  }
  ::close(to[0]);
  ::close(from[1]);
  const Stopwatch watch;
  for (int i = 0; i < round_trips; ++i) {
    CHECK(::write(to[1], buffer.data(), buffer.size()) > 0);
    CHECK(read_some(from[0], buffer, how) > 0);
  }
  const double seconds = watch.seconds();
  ::close(to[1]);
  ::close(from[0]);
  ::waitpid(child, nullptr, 0);
  return seconds / round_trips * 1e6;
}

// Enqueue, claim, look, settle.
int work(Session& session, const std::string& queue, int count) {
  for (int i = 0; i < count; ++i) {
    CHECK(session.enqueue(run_epoch, {{.queue = queue, .type = "t", .payload = "payload"}}).ok());
    const auto claims = session.reserve(run_epoch, {{queue}, Duration{30'000}, "w", 1, {}});
    CHECK(claims.ok() && claims->claims.size() == 1);
    const Claim& claim = claims->claims.front();
    CHECK(session.get(run_epoch, {claim.job.id}).ok());
    CHECK(session.ack(run_epoch, {{claim.job.id, claim.token, claim.attempt}}).ok());
  }
  return 4 * count;
}

double operations_per_second(Driver& driver, int sessions) {
  CHECK(driver.setup({"bench"}).ok());
  std::vector<std::unique_ptr<Session>> open;
  for (int i = 0; i < sessions; ++i) {
    auto session = driver.open({fmt::format("w{}", i), Role::worker});
    CHECK(session.ok());
    open.push_back(std::move(*session));
  }
  const Stopwatch watch;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < sessions; ++i)
      threads.emplace_back([&, i] {
        work(*open[static_cast<std::size_t>(i)], fmt::format("q{}", i), jobs / sessions);
      });
  }
  const double speed = 4.0 * (jobs / sessions) * sessions / watch.seconds();
  CHECK(driver.teardown().ok());
  return speed;
}

}  // namespace
}  // namespace assay

int main() {
  using namespace assay;
  const double raw = raw_round_trip_us(200, Waiting::awake);
  fmt::print("raw round trip of 200 bytes through two pipes: {:.1f} us awake, {:.1f} us asleep\n\n",
             raw, raw_round_trip_us(200, Waiting::asleep));
  fmt::print("{:<28} {:>14} {:>12} {:>16}\n", "memory", "operations/s", "us each", "us above raw");
  const auto row = [&](std::string_view name, double speed) {
    fmt::print("{:<28} {:>14.0f} {:>12.2f} {:>16.2f}\n", name, speed, 1e6 / speed,
               1e6 / speed - raw);
  };
  VirtualClock clock;
  auto local = memory().make({*built_in_profile("reference"), clock, 7, {}, {}});
  CHECK(local.ok());
  row("in this process, one session", operations_per_second(**local, 1));
  RemoteOptions options;
  options.to = Command{{ASSAY_PROGRAM, "serve", "memory"}, {}, {}};
  auto remote = remote_driver(options);
  CHECK(remote.ok());
  for (const int sessions : {1, 2, 8})
    row(fmt::format("served, {} session{}", sessions, sessions == 1 ? "" : "s"),
        operations_per_second(**remote, sessions));
}
