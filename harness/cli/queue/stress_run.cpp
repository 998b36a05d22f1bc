#include "harness/cli/queue/stress_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <mutex>
#include <thread>

#include "engine/admin.h"
#include "engine/driver_wakeups.h"
#include "engine/worker.h"
#include "harness/cli/queue/mortal_driver.h"
#include "harness/cli/queue/stress_board.h"
#include "harness/contract/random.h"

namespace assay::cli::queue {
namespace {

// Redrawn in place on a terminal; elsewhere a line now and then.
class Screen {
 public:
  Screen(StressBoard& board, bool quiet) : board_(board), quiet_(quiet) {}

  void show(double seconds, bool is_last) {
    if (quiet_ || (!is_last && seconds - last_ < (live_ ? 0.25 : 3))) return;
    last_ = seconds;
    if (!live_) {
      std::cerr << board_.line(seconds) << "\n" << std::flush;
      return;
    }
    if (is_drawn_) std::cerr << fmt::format("\x1b[{}A\x1b[J", StressBoard::dashboard_lines);
    std::cerr << board_.dashboard(seconds) << std::flush;
    is_drawn_ = true;
  }

 private:
  StressBoard& board_;
  const bool quiet_;
  const bool live_ = isatty(STDERR_FILENO) == 1;
  bool is_drawn_ = false;
  double last_ = 0;
};

// One run, from its first job to its last look.
class StressRun {
 public:
  StressRun(Runtime& runtime, RecordedDriver& driver, const StressOptions& options,
            StressHistory& file, bool quiet)
      : runtime_(runtime),
        driver_(driver),
        options_(options),
        load_(options),
        file_(file),
        board_(options.jobs),
        screen_(board_, quiet) {}

  // The error is the driver's, or the machine's.
  Status run(const std::stop_token& stop) {
    if (Status ready = begin(); !ready) return ready;
    {
      std::stop_source enough;
      const std::stop_callback passes_on(stop, [&] { enough.request_stop(); });
      std::vector<std::jthread> producers;
      for (int i = 0; i < producer_count; ++i)
        producers.emplace_back([this, i, token = enough.get_token()] { produce(i, token); });
      watch(stop);
      enough.request_stop();
    }
    for (const auto& crew : crews_) crew->worker->hurry();
    for (const auto& crew : crews_) static_cast<void>(crew->worker->shutdown());
    if (!stop.stop_requested()) last_looks();
    funerals_.clear();
    crews_.clear();
    producers_.clear();
    record();
    screen_.show(watch_.seconds(), true);
    return trouble_ ? Status(*trouble_) : driver_.compare_clocks();
  }

  const StressBoard& board() const { return board_; }

 private:
  static constexpr int producer_count = 2;

  // A worker, and all that goes with it. The last to be made is the first to go.
  struct Crew {
    explicit Crew(Driver& inner) : driver(inner) {}
    std::string name;
    MortalDriver driver;
    std::unique_ptr<engine::Client> client;  // of its handlers
    std::unique_ptr<engine::DriverWakeUps> wakeups;
    std::unique_ptr<engine::Worker> worker;
  };

  Result<std::unique_ptr<engine::Client>> client_on(Driver& driver, std::string name) {
    const std::uint64_t seed = Random(options_.seed).fork(name).next();
    return engine::Client::make(runtime_, driver, {.name = std::move(name), .seed = seed});
  }

  Status begin() {
    for (int i = 0; i < producer_count; ++i) {
      auto client = client_on(driver_, fmt::format("producer-{}", i + 1));
      if (!client) return client.error();
      producers_.push_back(std::move(*client));
    }
    for (int i = 0; i < options_.workers; ++i)
      if (Status hired = hire(); !hired) return hired;
    return Done{};
  }

  Status hire() {
    auto crew = std::make_unique<Crew>(driver_);
    crew->name = fmt::format("worker-{}", ++hired_);
    auto client = client_on(crew->driver, crew->name + "/client");
    if (!client) return client.error();
    crew->client = std::move(*client);
    engine::WorkerOptions options;
    options.name = crew->name;
    options.queues = StressLoad::queues();
    options.handlers = load_.handlers(*crew->client);
    options.concurrency = options_.concurrency;
    options.lease = options_.lease;
    options.seed = Random(options_.seed).fork(options.name).next();
    if (driver_.profile().decider == Decider::engine)
      options.policy = engine::RetryPolicy{.base = Duration{50}, .cap = Duration{1'000}};
    auto wakeups = engine::DriverWakeUps::make(driver_, options.queues, runtime_.clock());
    if (wakeups) {
      crew->wakeups = std::move(*wakeups);
      options.wakeups = crew->wakeups.get();
    }
    auto worker = engine::Worker::make(runtime_, crew->driver, std::move(options));
    if (!worker) return worker.error();
    crew->worker = std::move(*worker);
    crews_.push_back(std::move(crew));
    return crews_.back()->worker->start();
  }

  // The one that has been there longest, as far as the store can tell.
  void kill_one() {
    std::unique_ptr<Crew> crew = std::move(crews_.front());
    crews_.erase(crews_.begin());
    crew->driver.die();
    const auto clients = driver_.clients();
    for (std::size_t i = 0; i < clients.size(); ++i)
      if (clients[i].starts_with(crew->name + "/"))
        driver_.record(FaultEvent{FaultEvent::Stage::proven,
                                  next_fault_++,
                                  "kill_worker",
                                  FaultEffect::client_died,
                                  static_cast<int>(i),
                                  "nothing that it does reaches the store",
                                  {}});
    funerals_.emplace_back([crew = std::move(crew)] {
      crew->worker->hurry();
      static_cast<void>(crew->worker->shutdown());
    });
    if (Status hired = hire(); !hired) fails_with(hired.error());
  }

  void kill_when_due() {
    const bool is_due = killed_ < options_.kills &&
                        board_.ended() >= (killed_ + 1) * options_.jobs / (options_.kills + 1);
    if (!is_due) return;
    ++killed_;
    kill_one();
  }

  void fails_with(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!trouble_) trouble_ = error;
  }

  void produce(int number, const std::stop_token& stop) {
    engine::Client& client = *producers_[static_cast<std::size_t>(number)];
    for (std::int64_t i = number; i < options_.jobs && !stop.stop_requested();
         i += producer_count) {
      const auto made = client.submit(load_.job(i));
      if (made || stop.stop_requested()) continue;
      return fails_with(made.error());
    }
  }

  // Until every job has ended, it is stopped, or nothing ends any more.
  void watch(const std::stop_token& stop) {
    constexpr Duration between{50};
    double moved_at = 0;
    std::int64_t ended = -1;
    const Duration slow = options_.lease + options_.work;
    const double patience = 10 + 3 * static_cast<double>(slow.count()) / 1000;
    while (!stop.stop_requested() && !board_.all_ended()) {
      runtime_.clock().sleep_until(runtime_.clock().now() + between, stop);
      record();
      kill_when_due();
      screen_.show(watch_.seconds(), false);
      if (std::exchange(ended, board_.ended()) != board_.ended()) moved_at = watch_.seconds();
      const std::lock_guard lock(mutex_);
      if (trouble_ || watch_.seconds() - moved_at > patience) return;
    }
  }

  // What the store says of them in the end is judged, too.
  void last_looks() {
    auto session = driver_.open({"auditor", Role::admin});
    if (!session) return;
    const Instant now = runtime_.clock().now();
    constexpr std::size_t most_looks = 1'000;
    std::size_t looks = 0;
    for (const JobId& id : board_.jobs())
      if (++looks <= most_looks) static_cast<void>((*session)->get(now, {id}));
    engine::Admin admin(**session, runtime_.clock(), driver_.profile());
    for (const std::string& queue : StressLoad::queues()) {
      static_cast<void>(admin.each_job(queue, std::nullopt, [](const Job&) { return true; }));
      static_cast<void>(admin.each_dead(queue, [](const DeadEntry&) { return true; }));
    }
    static_cast<void>((*session)->close());
  }

  void record() {
    const auto events = driver_.take_events();
    for (const Event& event : events) board_.see(event);
    file_.write(events, driver_.clients());
  }

  Runtime& runtime_;
  RecordedDriver& driver_;
  const StressOptions options_;
  const StressLoad load_;
  StressHistory& file_;
  StressBoard board_;
  Screen screen_;
  const Stopwatch watch_;
  std::vector<std::unique_ptr<engine::Client>> producers_;
  std::vector<std::unique_ptr<Crew>> crews_;
  std::vector<std::jthread> funerals_;
  int hired_ = 0, killed_ = 0;
  std::uint64_t next_fault_ = 1;
  std::mutex mutex_;  // of the trouble
  std::optional<Error> trouble_;
};

}  // namespace

StressEnd run_stress(Runtime& runtime, RecordedDriver& driver, const StressOptions& options,
                     StressHistory& history, bool quiet, const std::stop_token& stop) {
  StressRun run(runtime, driver, options, history, quiet);
  Status ran = run.run(stop);
  return {std::move(ran), run.board().not_ended().size()};
}

}  // namespace assay::cli::queue
