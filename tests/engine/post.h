// Post: a shop whose tasks are announced: a channel, dispatchers, and workers that know only what
// they hear.
#pragma once

#include "engine/client.h"
#include "engine/dispatcher.h"
#include "engine/ear.h"
#include "engine/in_process_channel.h"
#include "engine/lossy_channel.h"
#include "engine/outbox.h"
#include "tests/engine/shop.h"

namespace assay::engine {

// With leases and delays of seconds, not minutes.
inline void brisk(Profile& profile) {
  profile.lease_ttl = 3s;
  profile.backoff = {200ms, 1s};
}

inline Terms of_trace(std::uint64_t seed = 1) {
  Terms terms;
  terms.seed = seed;
  terms.profile = "trace";
  terms.alter = brisk;
  return terms;
}

class Listener {
 public:
  Listener(Shop& shop, Channel& channel, WorkerOptions options)
      : ear_(shop.runtime(), channel, shop.driver().profile(),
             EarOptions{.name = options.name + "/messages",
                        .queue = options.queues.front(),
                        .observer = &shop}) {
    options.looks_itself = false;
    options.outbox = true;
    options.lease = 3s;
    options.poll_min = options.poll_max = 24h;
    options.wakeups = &ear_;
    options.observer = &ear_;
    worker_ = shop.start(std::move(options));
  }
  Worker& worker() { return *worker_; }

 private:
  Ear ear_;
  std::unique_ptr<Worker> worker_;
};

class Post {
 public:
  explicit Post(Shop& shop, Losses losses = {}, std::uint64_t seed = 1)
      : shop_(shop),
        inner_(shop.runtime(), 5s),
        channel_(
            LossyChannel::make(shop.runtime(), inner_, {"channel", losses, seed, &shop}).value()),
        desk_(shop.driver().open({"post", Role::admin}).value()) {}

  Shop& shop() { return shop_; }
  LossyChannel& channel() { return *channel_; }
  InProcessChannel& inner() { return inner_; }
  Records& records() { return *desk_->records(); }
  Session& session() { return *desk_; }

  DispatcherOptions options(std::string name = "d") {
    DispatcherOptions options;
    options.name = std::move(name);
    options.channels["q"] = channel_.get();
    options.retries_every = 300ms;
    options.reap_every = 500ms;
    options.stale_every = 1s;
    options.stale_after = 10s;
    options.rows.base = 100ms;
    options.rows.cap = 1s;
    options.outage_max = 1s;
    options.observer = &shop_;
    return options;
  }
  std::unique_ptr<Dispatcher> make(DispatcherOptions options, Driver* driver = nullptr) {
    auto made =
        Dispatcher::make(shop_.runtime(), driver ? *driver : shop_.driver(), std::move(options));
    EXPECT_TRUE(made.ok()) << made.error().message;
    return std::move(made).value();
  }
  std::unique_ptr<Dispatcher> start(DispatcherOptions options, Driver* driver = nullptr) {
    auto made = make(std::move(options), driver);
    EXPECT_TRUE(made->start().ok());
    return made;
  }
  void turn(Dispatcher& dispatcher, LoopName loop) {
    const auto turned = dispatcher.turn(loop);
    EXPECT_TRUE(turned.ok()) << turned.error().message;
  }

  // With its row, in one commit.
  JobId put(NewJob job = {}) {
    if (!job.id) job.id = "j" + std::to_string(jobs.size());
    if (job.queue.empty()) job.queue = "q";
    if (job.type.empty()) job.type = "t";
    OutboxRow row{RowKind::announce_task, *job.id, 1, job.queue};
    row.due_at = at_once;
    Commit commit;
    commit.puts.push_back(put_of(row));
    commit.enqueues.push_back({job});
    const auto done = records().commit(shop_.now(), commit);
    EXPECT_TRUE(done.ok()) << done.error().message;
    jobs.push_back(*job.id);
    return *job.id;
  }
  bool all_end(Duration at_most = 10min) {
    for (const Instant deadline = shop_.now() + at_most; shop_.now() < deadline;
         shop_.pass(250ms)) {
      bool all = true;
      for (const JobId& id : jobs) all = all && is_terminal(shop_.state(id));
      if (all) return true;
    }
    return false;
  }
  // A worker claims it, and is never heard of again.
  void claim_and_die(const JobId& id, Duration lease = 3s) {
    Reserve reserve{{"q"}, lease, "dead", 1, {}};
    if (shop_.driver().profile().claim_style == ClaimStyle::by_id) reserve.job_id = id;
    const auto claims = desk_->reserve(shop_.now(), reserve);
    EXPECT_TRUE(claims.ok() && claims->claims.size() == 1) << id;
  }

  std::vector<std::string> pending() { return ids(Outbox(shop_.clock(), *desk_).pending()); }
  std::vector<std::string> parked() { return ids(Outbox(shop_.clock(), *desk_).parked()); }

  std::vector<JobId> jobs;

 private:
  static std::vector<std::string> ids(const Result<RowPage>& page) {
    EXPECT_TRUE(page.ok()) << page.error().message;
    std::vector<std::string> ids;
    if (page.ok())
      for (const ShownRow& row : page.value().rows) ids.push_back(row.id);
    return ids;
  }

  Shop& shop_;
  InProcessChannel inner_;
  std::unique_ptr<LossyChannel> channel_;
  std::unique_ptr<Session> desk_;
};

// Fails as often as its payload says, then succeeds.
inline HandlerResult stumbles(Context& context) {
  const std::string& payload = context.job().payload;
  if (!payload.empty() && context.run() <= payload.front() - '0') return Failure{"no luck"};
  return Success{};
}

}  // namespace assay::engine
