#include "harness/run/engine_worker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>

#include "harness/contract/stamp.h"
#include "harness/contract/wakeups.h"
#include "harness/history/jsonl.h"
#include "harness/run/detail/acting.h"
#include "harness/run/detail/engine_crew.h"
#include "harness/run/intercepted_driver.h"
#include "harness/run/recorded_driver.h"
#include "harness/run/wakeup_line.h"

namespace assay {
namespace {

// Each line at once, and whole unless we are killed in the middle of it.
class Lines {
 public:
  explicit Lines(int out) : out_(out) {}

  void write(std::string line) {
    line += '\n';
    const std::lock_guard lock(mutex_);
    for (std::size_t at = 0; at < line.size();) {
      const ssize_t n = ::write(out_, line.data() + at, line.size() - at);
      if (n < 0 && errno != EINTR) return;  // nobody reads it any more
      if (n > 0) at += static_cast<std::size_t>(n);
    }
  }

 private:
  const int out_;
  std::mutex mutex_;
};

// There is no channel between processes: nobody is heard, and nobody hears.
class SilentLine final : public WakeUpLine {
 public:
  explicit SilentLine(Clock& clock) : clock_(clock) {}

  Status announce(const std::string&, const std::string&) override { return Done{}; }
  Result<std::optional<HeardWakeUp>> receive(Instant deadline, std::stop_token stop) override {
    clock_.sleep_until(deadline, std::move(stop));
    return std::optional<HeardWakeUp>();
  }
  Result<Instant> prolong(const std::string&) override { return not_found("nothing was heard"); }
  Status remove(const std::string&) override { return not_found("nothing was heard"); }
  Duration visibility() const override { return Duration{1'000}; }

 private:
  Clock& clock_;
};

class Work {
 public:
  Work(const WorkerOrder& order, const EngineInfo& engine, int out)
      : order_(order), engine_(engine), lines_(out), runtime_(real_runtime()) {}

  Status run(const DriverInfo& info, int in) {
    auto made = info.make({order_.profile, runtime_->clock(), order_.seed, order_.url, ""});
    if (!made.ok()) return cannot(made.error());
    driver_ = std::move(*made);
    recorded_ = std::make_unique<RecordedDriver>(*driver_, recording());
    if (const Status there = recorded_->setup({order_.name_space, Create::never}); !there.ok())
      return cannot(there.error());
    if (const Status started = start(); !started.ok()) return cannot(started.error());
    if (!await_stop(in)) ::_exit(0);  // nobody is there to be told how it ended
    tell({.kind = EngineEvent::Kind::worker_stopping});
    running_->shutdown();
    tell({.kind = EngineEvent::Kind::worker_ended});
    return Done{};
  }

 private:
  Status cannot(const Error& error) {
    std::string sentence = error.message;
    for (char& c : sentence)
      if (c == '\n') c = ' ';
    lines_.write(cannot_work + sentence);
    return error;
  }

  RecordedOptions recording() {
    return {.driver = order_.driver, .told = [this](const Event& event, const auto& clients) {
              lines_.write(stamped(stamp_ns(), event_line(event, clients)));
            }};
  }

  void tell(EngineEvent event) {
    event.worker = order_.worker.name;
    event.now = runtime_->clock().now();
    recorded_->record(std::move(event));
  }

  // Sessions are told of in the order of their opening, each before its first call.
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) {
    const std::lock_guard lock(opening_);
    EngineEvent event{.kind = EngineEvent::Kind::worker_connected};
    event.client = static_cast<int>(recorded_->clients().size());
    auto opened = recorded_->open(spec);
    if (opened.ok()) tell(std::move(event));
    return opened;
  }

  // A driver whose sessions are told of.
  class Told final : public Driver {
   public:
    explicit Told(Work& work) : work_(work) {}
    const Profile& profile() const override { return work_.recorded_->profile(); }
    Status setup(const Setup&) override { return unsupported("it is set up"); }
    Status teardown() override { return unsupported("others use it"); }
    Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override {
      return work_.open(spec);
    }
    Result<Instant> now() override { return work_.recorded_->now(); }
    Result<std::unique_ptr<WakeUps>> wakeups(const std::vector<std::string>& queues) override {
      return work_.recorded_->wakeups(queues);
    }

   private:
    Work& work_;
  };

  ActResult act(const Errand& errand) {
    const Act what = act_of(errand.job.payload, errand.run);
    const std::int64_t handler = ++handlers_;
    return detail::act_out(what, errand, {}, [&](EngineEvent::Kind kind, std::string word) {
      EngineEvent event{.kind = kind};
      event.job_id = errand.job.id;
      event.run = errand.run;
      event.word = std::move(word);
      event.numbers["handler"] = handler;
      tell(std::move(event));
    });
  }

  Status start() {
    EngineEvent event{.kind = EngineEvent::Kind::worker_started};
    event.word =
        fmt::format("{};{};{}", fmt::join(acted_types, ","), fmt::join(order_.worker.queues, ","),
                    fmt::join(engine_.own_types, ","));
    event.numbers = detail::lives_by(order_.worker, recorded_->profile(), engine_);
    tell(std::move(event));
    auto made = engine_.make({.runtime = *runtime_,
                              .driver = told_,
                              .spec = order_.worker,
                              .types = {std::begin(acted_types), std::end(acted_types)},
                              .act = [this](const Errand& errand) { return act(errand); },
                              .tell = [this](EngineEvent said) { tell(std::move(said)); },
                              .seed = order_.seed,
                              .wakeups = line_,
                              .hears_its_driver = true});
    if (!made.ok()) return made.error();
    running_ = std::move(*made);
    return running_->start();
  }

  // False: the input is over.
  static bool await_stop(int in) {
    std::string text;
    char c = 0;
    for (ssize_t n = ::read(in, &c, 1); n != 0; n = ::read(in, &c, 1)) {
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      if (c != '\n') {
        text += c;
      } else if (std::exchange(text, "") == stop_working) {
        return true;
      }
    }
    return false;
  }

  const WorkerOrder& order_;
  const EngineInfo& engine_;
  Lines lines_;
  const std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<RecordedDriver> recorded_;
  std::mutex opening_;
  std::atomic<std::int64_t> handlers_ = 0;  // that began
  Told told_{*this};
  SilentLine line_{runtime_->clock()};
  std::unique_ptr<RunningWorker> running_;
};

}  // namespace

Status work(const WorkerOrder& order, const DriverInfo& driver, const EngineInfo& engine, int in,
            int out) {
  return Work(order, engine, out).run(driver, in);
}

}  // namespace assay
