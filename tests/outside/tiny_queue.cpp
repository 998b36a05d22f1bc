#include "tiny_queue.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "harness/contract/random.h"

namespace {

using namespace assay;

// The reference contract, without what this queue does not have.
Profile tiny_profile() {
  Profile profile = *built_in_profile("reference");
  for (const auto* absent : {"priority", "cancel", "pause", "list_paged", "dlq_ops"}) {
    profile.capabilities.erase(absent);
  }
  profile.replay = Replay::none;
  return profile;
}

enum class Settle { ack, retry, fail };

struct Row {
  NewJob given;
  Job job;  // state `ready` while it waits, whatever the time
  Instant runnable;
  std::int64_t order = 0;
  std::int64_t version = 0;
  std::int64_t losses = 0;
  std::optional<LeaseView> lease;
  std::optional<DeadView> dead;
  std::optional<std::pair<Token, Settle>> last_settle;
};

struct Store {
  explicit Store(std::uint64_t seed) : random(seed) {}

  std::mutex mutex;
  std::map<JobId, Row> rows;
  std::map<std::pair<std::string, std::string>, JobId> keys;  // by queue and key
  std::int64_t sequence = 0;
  Random random;
};

void bury(Row& row, Instant now, std::string reason, std::string error) {
  row.lease.reset();
  row.job.state = JobState::dead;
  row.job.last_error = error;
  row.dead = DeadView{std::move(reason), std::move(error), now};
}

void wait_until(Row& row, Instant when) {
  row.lease.reset();
  row.job.state = JobState::ready;
  row.job.run_at = when;
  row.runnable = std::max(when, *row.job.created_at);
}

Job shown(const Row& row, Instant now) {
  Job job = row.job;
  if (job.state == JobState::ready && job.run_at > now) job.state = JobState::scheduled;
  return job;
}

std::optional<Error> wrong(const NewJob& job) {
  if (job.queue.empty() || job.type.empty()) return invalid("a job needs a queue and a type");
  if (job.id == "" || job.key == "") return invalid("an id or key must not be empty");
  if (job.timeout < Duration{0} && job.timeout) return invalid("negative timeout");
  const auto limit = job.max_attempts.value_or(0);
  const auto attempts = job.attempts.value_or(0);
  if (limit < 0 || attempts < 0) return invalid("negative counter");
  if (limit > 0 && attempts > limit) return invalid("more attempts than allowed");
  return std::nullopt;
}

bool same_content(NewJob a, NewJob b) {
  a.attempts = b.attempts = std::nullopt;
  return a == b;
}

class TinySession final : public Session {
 public:
  TinySession(Store& store, const Profile& profile) : store_(store), profile_(profile) {}

  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override {
    std::lock_guard lock(store_.mutex);
    const NewJob& given = request.job;
    if (closed_) return gone();
    if (auto error = wrong(given)) return *error;
    if (given.key) {
      const auto holder = store_.keys.find({given.queue, *given.key});
      if (holder != store_.keys.end()) return Enqueued{holder->second, true};
    }
    if (given.id && store_.rows.contains(*given.id)) {
      if (same_content(store_.rows[*given.id].given, given)) return Enqueued{*given.id, true};
      return Error{ErrorCode::duplicate_id, "a job of that id exists"};
    }
    return Enqueued{insert(now, given), false};
  }

  Result<Claims> reserve(Instant now, const Reserve& request) override {
    std::lock_guard lock(store_.mutex);
    if (closed_) return gone();
    const auto& queues = request.queues;
    if (queues.empty() || std::ranges::count(queues, "") > 0) return invalid("no queue");
    if (request.lease <= Duration{0}) return invalid("a lease must be longer than nothing");
    if (request.max < 1 || request.job_id) return invalid("asks for no job, or for one by its id");

    std::vector<Row*> due;
    for (auto& [id, row] : store_.rows) {
      if (std::ranges::count(queues, row.job.queue) == 0) continue;
      if (row.lease && row.lease->expires_at <= now) expire(row, now);
      if (row.job.state == JobState::ready && row.job.run_at <= now) due.push_back(&row);
    }
    std::ranges::sort(due, {}, [](const Row* r) { return std::pair(r->runnable, r->order); });
    if (std::ssize(due) > request.max) due.resize(static_cast<std::size_t>(request.max));
    Claims claims;
    for (Row* row : due) claims.claims.push_back(claim(*row, now, request));
    return claims;
  }

  Result<Extended> extend(Instant now, const Extend& request) override {
    std::lock_guard lock(store_.mutex);
    if (request.lease <= Duration{0}) return invalid("a lease must be longer than nothing");
    const auto row = held(now, request.hold);
    if (!row) return row.error();
    auto& expiry = (*row)->lease->expires_at;
    expiry = std::max(expiry, now + request.lease);
    return Extended{expiry};
  }

  Status ack(Instant now, const Ack& request) override {
    return settle(now, request.hold, Settle::ack, [](Row& row) {
      row.lease.reset();
      row.job.state = JobState::done;
    });
  }

  Status retry(Instant now, const Retry& request) override {
    if (request.attempts < 0) return invalid("negative counter");
    return settle(now, request.hold, Settle::retry, [&](Row& row) {
      wait_until(row, request.run_at);
      row.job.attempts = request.attempts;
      row.job.last_error = request.error;
    });
  }

  Status fail(Instant now, const Fail& request) override {
    if (request.attempts < 0) return invalid("negative counter");
    return settle(now, request.hold, Settle::fail, [&](Row& row) {
      bury(row, now, request.reason, request.error);
      row.job.attempts = request.attempts;
    });
  }

  Result<JobView> get(Instant now, const Get& request) override {
    std::lock_guard lock(store_.mutex);
    if (closed_) return gone();
    const auto found = store_.rows.find(request.job_id);
    if (found == store_.rows.end()) return not_found("no such job");
    return JobView{shown(found->second, now), found->second.lease, found->second.dead};
  }

  Status close() override {
    closed_ = true;
    return Done{};
  }

 private:
  static Error gone() { return Error{ErrorCode::closed, "the session is closed"}; }

  JobId insert(Instant now, const NewJob& given) {
    const auto order = ++store_.sequence;
    JobId id = given.id.value_or("tiny-" + std::to_string(order) + "-" + store_.random.hex(8));
    Row& row = store_.rows[id];
    row.given = given;
    row.order = order;
    row.job = Job{id, given.queue, given.type, given.payload};
    row.job.max_attempts = given.max_attempts;
    row.job.timeout = given.timeout;
    row.job.key = given.key;
    row.job.priority = given.priority.value_or(0);
    row.job.attempts = given.attempts.value_or(0);
    row.job.created_at = now;
    wait_until(row, given.run_at.value_or(now));
    if (given.key) store_.keys[{given.queue, *given.key}] = id;
    return id;
  }

  // A lost lease counts: a job that takes its workers down must not do so for ever.
  void expire(Row& row, Instant now) {
    if (++row.losses >= runs_allowed(profile_, row.job.max_attempts)) {
      bury(row, now, "lease expired", "lease expired");
    } else {
      wait_until(row, row.lease->expires_at);
    }
  }

  Claim claim(Row& row, Instant now, const Reserve& request) {
    const Token token = std::to_string(++store_.sequence) + "-" + store_.random.hex(8);
    row.lease = LeaseView{token, now + request.lease, request.worker};
    row.job.state = JobState::leased;
    row.last_settle.reset();
    return Claim{row.job, token, {}, ++row.version, row.lease->expires_at};
  }

  // The row, where the hold is the live lease on it.
  Result<Row*> held(Instant now, const Hold& hold) {
    if (closed_) return gone();
    if (hold.job_id.empty()) return invalid("no job id");
    const auto found = store_.rows.find(hold.job_id);
    if (found == store_.rows.end()) return not_found("no such job");
    const auto& lease = found->second.lease;
    if (!lease) return lease_lost(LeaseReason::not_held, "the job is not leased");
    if (lease->expires_at <= now) return lease_lost(LeaseReason::expired, "the lease is over");
    if (lease->token != hold.token) return lease_lost(LeaseReason::mismatch, "another's lease");
    return &found->second;
  }

  template <class Apply>
  Status settle(Instant now, const Hold& hold, Settle kind, Apply apply) {
    std::lock_guard lock(store_.mutex);
    const auto row = held(now, hold);
    if (row) {
      apply(**row);
      (*row)->last_settle = std::pair(hold.token, kind);
      return Done{};
    }
    if (row.error().reason == LeaseReason::not_held &&
        store_.rows[hold.job_id].last_settle == std::pair(hold.token, kind)) {
      return Done{};  // the same again, because its answer was lost
    }
    return row.error();
  }

  Store& store_;
  const Profile& profile_;
  bool closed_ = false;
};

class TinyQueue final : public Driver {
 public:
  explicit TinyQueue(const DriverOptions& options) : clock_(options.clock), seed_(options.seed) {}

  const Profile& profile() const override { return profile_; }

  Status setup(const Setup& setup) override {
    if (setup.create == Create::never) return unsupported("the queue lives in one process");
    store_ = std::make_unique<Store>(seed_);
    return Done{};
  }

  Status teardown() override {
    store_.reset();
    return Done{};
  }

  Result<std::unique_ptr<Session>> open(const SessionSpec&) override {
    return std::unique_ptr<Session>(new TinySession(*store_, profile_));
  }

  Result<Instant> now() override { return clock_.now() + offset_; }

  Result<Instant> advance(Duration by) override {
    offset_ += by;
    return now();
  }

 private:
  const Profile profile_ = tiny_profile();
  Clock& clock_;
  std::uint64_t seed_;
  Duration offset_{0};
  std::unique_ptr<Store> store_;
};

}  // namespace

std::unique_ptr<assay::Driver> make_tiny_queue(const assay::DriverOptions& options) {
  return std::make_unique<TinyQueue>(options);
}
