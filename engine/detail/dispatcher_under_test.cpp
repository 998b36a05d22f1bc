#include "engine/detail/dispatcher_under_test.h"

#include "engine/client.h"
#include "engine/detail/stage_channel.h"
#include "engine/outbox.h"

namespace assay::engine::detail {
namespace {

class DispatcherUnderTest final : public RunningWorker {
 public:
  DispatcherUnderTest(const EngineTerms& terms, Alterations alterations)
      : alterations_(std::move(alterations)), driver_(terms.driver, alterations_.driver) {
    DispatcherOptions options = options_of(terms);
    for (const std::string& queue : terms.spec.queues) {
      channels_.push_back(std::make_unique<StageChannel>(terms.wakeups, queue));
      if (alterations_.channel) channels_.push_back(alterations_.channel(*channels_.back()));
      options.channels[queue] = channels_.back().get();
    }
    if (alterations_.dispatcher) alterations_.dispatcher(options);
    made_ = Dispatcher::make(terms.runtime, driver_, std::move(options));
  }

  Status start() override {
    if (!made_.ok()) return made_.error();
    return (*made_)->start();
  }
  void shutdown() override {
    if (made_.ok()) (*made_)->shutdown();
  }

 private:
  static DispatcherOptions options_of(const EngineTerms& terms) {
    const DispatcherPace pace = pace_of(terms.spec);
    DispatcherOptions options;
    options.name = terms.spec.name;
    options.outbox_every = pace.outbox;
    options.retries_every = pace.retries;
    options.reap_every = pace.reaper;
    options.stale_every = pace.stale;
    options.stale_after = pace.stale_after;
    options.seed = terms.seed;
    if (terms.spec.hands_events)
      options.route = [route = terms.route](const OutboxRow& row) {
        return route(row_id(row), {row.target, row.body});
      };
    return options;
  }

  const Alterations alterations_;
  InterceptedDriver driver_;
  std::vector<std::unique_ptr<Channel>> channels_;
  Result<std::unique_ptr<Dispatcher>> made_ = Error{};
};

class ClientUnderTest final : public EngineClient {
 public:
  ClientUnderTest(Runtime& runtime, Driver& driver, std::uint64_t seed, Alterations alterations)
      : driver_(driver, std::move(alterations.driver)),
        made_(Client::make(runtime, driver_, {.outbox = true, .seed = seed})) {}

  Result<Enqueued> enqueue(const NewJob& job) override {
    if (!made_.ok()) return made_.error();
    Submission submission;
    submission.type = job.type;
    submission.payload = job.payload;
    submission.queue = job.queue;
    submission.run_at = job.run_at;
    submission.key = job.key;
    submission.limit = job.max_attempts;
    submission.timeout = job.timeout;
    submission.priority = job.priority;
    submission.id = job.id;
    return (*made_)->submit(submission);
  }

 private:
  InterceptedDriver driver_;
  Result<std::unique_ptr<Client>> made_;
};

}  // namespace

std::unique_ptr<RunningWorker> dispatcher_under_test(const EngineTerms& terms,
                                                     Alterations alterations) {
  return std::make_unique<DispatcherUnderTest>(terms, std::move(alterations));
}

Result<std::unique_ptr<EngineClient>> client_under_test(Runtime& runtime, Driver& driver,
                                                        std::uint64_t seed,
                                                        Alterations alterations) {
  return std::unique_ptr<EngineClient>(
      std::make_unique<ClientUnderTest>(runtime, driver, seed, std::move(alterations)));
}

std::optional<EngineRow> row_seen(const std::string& key, const std::string* value) {
  EngineRow seen;
  seen.is_parked = key.starts_with(parked_prefix);
  if (!seen.is_parked && !key.starts_with(outbox_prefix)) return std::nullopt;
  seen.id = key.substr(seen.is_parked ? parked_prefix.size() : outbox_prefix.size());
  const auto row = value ? row_in({key, *value, 1}) : std::nullopt;
  if (!row) return seen;
  seen.kind = name_of(row->kind);
  seen.task = row->task;
  seen.run = row->run;
  seen.target = row->target;
  seen.body = row->body;
  seen.tries = row->tries;
  return seen;
}

}  // namespace assay::engine::detail
