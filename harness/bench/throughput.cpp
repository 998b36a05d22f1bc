#include "harness/bench/throughput.h"

#include <algorithm>
#include <atomic>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>

#include "harness/contract/clock.h"

namespace assay {
namespace {

const std::string queue = "bench";
constexpr Duration lease{3'600'000};

// Jobs that one client moved; the error that stopped it.
using Moved = Result<std::int64_t>;

std::vector<Enqueue> new_jobs(int count, std::size_t payload_bytes) {
  const std::string payload(payload_bytes, 'x');
  return std::vector<Enqueue>(static_cast<std::size_t>(count),
                              Enqueue{{.queue = queue, .type = "bench", .payload = payload}});
}

Moved enqueue_some(Session& session, const std::vector<Enqueue>& jobs) {
  if (jobs.size() == 1) {
    const auto made = session.enqueue(run_epoch, jobs.front());
    if (!made) return made.error();
    return 1;
  }
  for (const auto& made : session.enqueue_all(run_epoch, jobs))
    if (!made) return made.error();
  return static_cast<std::int64_t>(jobs.size());
}

Moved settle_some(Session& session, int most) {
  const auto claims = session.reserve(run_epoch, {{queue}, lease, "bench", most, {}});
  if (!claims) return claims.error();
  std::vector<Ack> acks;
  for (const Claim& claim : claims->claims)
    acks.push_back({{claim.job.id, claim.token, claim.attempt}});
  if (acks.size() == 1) {
    if (const Status acked = session.ack(run_epoch, acks.front()); !acked) return acked.error();
    return 1;
  }
  for (const Status& acked : session.ack_all(run_epoch, acks))
    if (!acked) return acked.error();
  return static_cast<std::int64_t>(acks.size());
}

// One client after another is given work until the time is over or there is none. The clock runs
// from the moment at which all of them stand ready to the moment at which the last one ends.
template <class Work>
Result<double> rate_of(std::span<const std::unique_ptr<Session>> sessions, const Load& load,
                       Work work) {
  std::atomic<std::int64_t> moved = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::optional<Error> trouble;
  std::optional<Stopwatch> watch;
  std::latch ready(load.clients + 1), go(1);
  const auto client = [&](Session& session) {
    ready.count_down();
    go.wait();
    std::int64_t mine = 0;
    while (!failed && watch->seconds() < load.seconds) {
      const Moved some = work(session);
      if (!some) {
        const std::lock_guard lock(mutex);
        trouble = some.error();
        failed = true;
        break;
      }
      if (*some == 0) break;
      mine += *some;
    }
    moved += mine;
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < load.clients; ++i)
      threads.emplace_back(client, std::ref(*sessions[static_cast<std::size_t>(i)]));
    ready.arrive_and_wait();
    watch.emplace();
    go.count_down();
  }
  if (trouble) return *trouble;
  return static_cast<double>(moved) / watch->seconds();
}

}  // namespace

Result<std::unique_ptr<Throughput>> Throughput::make(Driver& driver, int clients) {
  if (const Status made = driver.setup({"bench"}); !made) return made.error();
  std::unique_ptr<Throughput> bench(new Throughput(driver));
  for (int i = 0; i < clients; ++i) {
    auto session = driver.open({"client" + std::to_string(i), Role::worker});
    if (!session) return session.error();
    bench->sessions_.push_back(std::move(*session));
  }
  return bench;
}

Throughput::~Throughput() {
  sessions_.clear();
  static_cast<void>(driver_.teardown());
}

Result<double> Throughput::enqueue(const Load& load) {
  const std::vector<Enqueue> jobs = new_jobs(load.batch, load.payload_bytes);
  return rate_of(sessions_, load, [&](Session& session) { return enqueue_some(session, jobs); });
}

Result<double> Throughput::settle(const Load& load) {
  return rate_of(sessions_, load,
                 [&](Session& session) { return settle_some(session, load.batch); });
}

static constexpr std::int64_t at_once = 1000;

Status Throughput::fill(std::int64_t jobs) {
  const std::vector<Enqueue> batch = new_jobs(at_once, 100);
  for (std::int64_t made = 0; made < jobs;) {
    const auto count = static_cast<std::size_t>(std::min(at_once, jobs - made));
    for (const auto& one : sessions_.front()->enqueue_all(run_epoch, std::span(batch).first(count)))
      if (!one) return one.error();
    made += static_cast<std::int64_t>(count);
  }
  return Done{};
}

Status Throughput::finish(std::int64_t jobs) {
  for (std::int64_t done = 0; done < jobs;) {
    const int count = static_cast<int>(std::min(at_once, jobs - done));
    const Moved some = settle_some(*sessions_.front(), count);
    if (!some) return some.error();
    if (*some == 0) return conflict("the queue ran dry");
    done += *some;
  }
  return Done{};
}

Result<double> Throughput::claim_cost_us() {
  constexpr int series = 9, cycles = claims_of_a_cost / series;
  std::vector<double> costs;
  for (int i = 0; i < series; ++i) {
    const Stopwatch watch;
    for (int cycle = 0; cycle < cycles; ++cycle) {
      const Moved some = settle_some(*sessions_.front(), 1);
      if (!some) return some.error();
      if (*some == 0) return conflict("the queue ran dry");
    }
    costs.push_back(watch.seconds() / cycles * 1e6);
  }
  std::ranges::nth_element(costs, costs.begin() + series / 2);
  return costs[series / 2];
}

}  // namespace assay
