// Handler: what runs a job of one type, and what it sees of it.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/effects.h"
#include "engine/failure.h"
#include "engine/inputs.h"
#include "harness/contract/clock.h"

namespace assay::engine {

// Why a handler is asked to stop.
enum class Interruption {
  none,
  lease_lost,  // somebody else may have the job: nothing that it does counts any more
  cancelled,   // the job was, by somebody
  timed_out,   // it ran for longer than it may: a failure, whatever it returns
  shutdown,    // the worker ends: success still counts, anything else is put back
};

std::string_view name_of(Interruption why);

// Lives as long as the handler runs. Thread-safe.
class Context {
 public:
  // All are borrowed for life. A handler that asks for neither can be run without the last two.
  Context(const Job& job, std::int64_t run, Clock& clock, std::stop_token stop,
          const std::atomic<Interruption>& why, Effects* effects = nullptr,
          Inputs* inputs = nullptr)
      : job_(job),
        run_(run),
        clock_(clock),
        stop_(std::move(stop)),
        why_(why),
        effects_(effects),
        inputs_(inputs) {}

  const Job& job() const { return job_; }
  std::int64_t run() const { return run_; }  // 1 is the first

  // The only clock to wait by: `clock().sleep_until(when, stop())` ends early when asked to stop.
  Clock& clock() const { return clock_; }
  const std::stop_token& stop() const { return stop_; }
  Interruption why() const { return why_; }

  // What it leaves in the store, and what it gets from those before it in its flow.
  Effects& effects() const { return CHECK(effects_), *effects_; }
  Inputs& inputs() const { return CHECK(inputs_), *inputs_; }

 private:
  const Job& job_;
  const std::int64_t run_;
  Clock& clock_;
  const std::stop_token stop_;
  const std::atomic<Interruption>& why_;
  Effects* const effects_;
  Inputs* const inputs_;
};

// An event that a task sends by succeeding: a row of the outbox (engine/outbox.h), written in the
// commit of the task's ack.
struct OutgoingEvent {
  std::string target = {};
  std::string body = {};  // any bytes

  bool operator==(const OutgoingEvent&) const = default;
};

// A result is kept with the job's end: in a flow for those that come next, else as the job's output
// "result". One of more than most_output_bytes is a failure.
struct Success {
  std::optional<std::string> result = {};
  std::vector<OutgoingEvent> events = {};  // at most one a target

  bool operator==(const Success&) const = default;
};

using HandlerResult = std::variant<Success, Failure>;

// Called by many tasks at once. Whatever it throws is a failure; Unrecoverable is the last one.
// Returns soon after its stop token asks for it. Callbacks on that token must be quick.
using Handler = std::function<HandlerResult(Context&)>;

class Unrecoverable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Stands around handlers: calls the next one, or not.
using Middleware = std::function<HandlerResult(Context&, const Handler& next)>;

// A bucket of `burst` tokens that fills by one every `every`; a run takes one.
struct Rate {
  Duration every{0};
  std::int64_t burst = 1;
};

struct HandlerSpec {
  Handler run;
  std::optional<Duration> timeout = {};    // of jobs that bring none; absent: none
  std::optional<int> concurrency = {};     // at most so many at once in this worker
  std::optional<Rate> rate = {};           // at most so often in this worker
  std::optional<RetryPolicy> policy = {};  // absent: the worker's
};

}  // namespace assay::engine
