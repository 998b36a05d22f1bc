#include "engine/client.h"

#include <fmt/format.h>

#include <mutex>

#include "engine/detail/line.h"
#include "engine/failure.h"
#include "engine/outbox.h"

namespace assay::engine {
namespace {

// As those that a handler sends become.
constexpr std::string_view event_type = "event";

std::optional<Error> objection_to_name(const char* what, const std::string& name,
                                       const Bounds& bounds) {
  if (name.empty()) return invalid(fmt::format("the {} is empty", what));
  if (name.size() > bounds.name_bytes)
    return invalid(
        fmt::format("the {} has {} bytes, {} are allowed", what, name.size(), bounds.name_bytes));
  if (name.find('\0') != name.npos) return invalid(fmt::format("the {} has a zero byte", what));
  return std::nullopt;
}

std::optional<Error> objection_to_times(const Submission& submission, const Bounds& bounds,
                                        Instant now) {
  if (submission.delay && submission.run_at)
    return invalid("both a delay and a run time are given");
  if (submission.delay && *submission.delay < Duration{0}) return invalid("the delay is negative");
  if (submission.run_at && *submission.run_at < Instant{})
    return invalid("the run time is before 1970");
  const bool is_too_far = submission.delay.value_or(Duration{0}) > bounds.ahead ||
                          submission.run_at.value_or(now) > later(now, bounds.ahead);
  if (is_too_far)
    return invalid(fmt::format("the run time is more than {} ms ahead", bounds.ahead.count()));
  if (submission.timeout && *submission.timeout <= Duration{0})
    return invalid("the timeout is not positive");
  if (submission.timeout && *submission.timeout > bounds.timeout)
    return invalid(fmt::format("the timeout is longer than {} ms", bounds.timeout.count()));
  return std::nullopt;
}

}  // namespace

std::optional<Error> objection_to(const Submission& submission, const Bounds& bounds, Instant now) {
  if (auto objection = objection_to_name("type", submission.type, bounds)) return objection;
  const std::pair<const char*, const std::optional<std::string>&> names[] = {
      {"queue's name", submission.queue}, {"key", submission.key}, {"id", submission.id}};
  for (const auto& [what, name] : names)
    if (name)
      if (auto objection = objection_to_name(what, *name, bounds)) return objection;
  for (const auto& name : {submission.key, submission.id})
    if (name && name->starts_with("flow:"))
      return invalid("a key and an id may not begin with 'flow:', as those of a flow's jobs do");
  if (submission.payload.size() > bounds.payload_bytes)
    return invalid(fmt::format("the payload has {} bytes, {} are allowed",
                               submission.payload.size(), bounds.payload_bytes));
  const std::int64_t limit = submission.limit.value_or(0);
  if (limit < 0) return invalid("the limit is negative");
  if (limit > bounds.limit)
    return invalid(fmt::format("the limit is {}, {} is allowed", limit, bounds.limit));
  return objection_to_times(submission, bounds, now);
}

class Client::Body {
 public:
  Body(Runtime& runtime, Driver& driver, ClientOptions options)
      : clock_(runtime.clock()),
        profile_(driver.profile()),
        options_(std::move(options)),
        monitor_(runtime.monitor("the client's lock")),
        line_(driver, options_.name),
        random_(Random(options_.seed).fork("client/" + options_.name)) {}

  Result<Enqueued> submit(const Submission& submission) {
    if (auto objection = engine::objection_to(submission, options_.bounds, clock_.now()))
      return *objection;
    const std::lock_guard lock(*monitor_);
    return hand_in({job_of(submission)});
  }

  Result<Waited> submit_and_wait(const Submission& submission, Duration patience) {
    if (patience <= Duration{0}) return invalid("the patience is not positive");
    if (!profile_.has("inspect"))
      return unsupported("the driver shows no jobs, so none is waited for");
    const Instant until = later(clock_.now(), patience);
    const auto made = submit(submission);
    if (!made.ok()) return made.error();
    std::int64_t troubles = 0;
    Duration pause = shortest_look;
    for (;;) {
      const auto seen = look_at(made->id);
      if (seen.ok() && is_terminal(seen->job.state))
        return Waited{made->id, made->existed, seen->job.state, seen->dead};
      if (!seen.ok() && seen.error().code == ErrorCode::not_found)
        return Waited{made->id, made->existed};
      if (!seen.ok() && !detail::is_trouble(seen.error())) return seen.error();
      troubles = seen.ok() ? 0 : troubles + 1;
      const Instant now = clock_.now();
      if (now >= until || troubles >= options_.tries.runs)
        return Error{ErrorCode::unavailable,
                     now >= until ? "the job has not ended in time" : seen.error().message};
      clock_.sleep_until(std::min(later(now, pause), until), {});
      pause = std::min(pause * 2, longest_look);
    }
  }

 private:
  static constexpr Duration shortest_look{50}, longest_look{2'000};

  Result<JobView> look_at(const JobId& id) {
    const std::lock_guard lock(*monitor_);
    return line_.call([&](Session& s) { return s.get(clock_.now(), {id}); });
  }

  NewJob job_of(const Submission& submission) {
    NewJob job;
    job.id = submission.id ? *submission.id : random_.hex(32);
    job.queue = submission.queue.value_or(options_.queue);
    job.type = submission.type;
    job.payload = submission.payload;
    job.run_at = submission.delay ? later(clock_.now(), *submission.delay) : submission.run_at;
    if (submission.limit.value_or(0) > 0) job.max_attempts = submission.limit;
    job.timeout = submission.timeout;
    job.key = submission.key;
    job.priority = submission.priority;
    return job;
  }

  Result<Enqueued> hand_in(const Enqueue& request) {
    bool in_doubt = false;
    for (std::int64_t tries = 1;; ++tries) {
      auto answer = in_doubt ? hand_in_again(request) : hand_in_once(request);
      if (answer.ok() || !detail::is_trouble(answer.error())) return answer;
      in_doubt = in_doubt || !is_definite(answer.error());
      if (tries >= options_.tries.runs) {
        Error error = answer.error();
        error.definite = !in_doubt;
        return error;
      }
      clock_.sleep_until(later(clock_.now(), delay_after(options_.tries, tries, random_)), {});
    }
  }

  Result<Enqueued> hand_in_once(const Enqueue& request) {
    if (options_.outbox)
      return line_.call([&](Session& s) { return hand_in_with_row(s, request); });
    return line_.call([&](Session& s) { return s.enqueue(clock_.now(), request); });
  }

  // Where the job existed under another id, the row announces nobody, which does no harm.
  Result<Enqueued> hand_in_with_row(Session& session, const Enqueue& request) {
    Records* records = session.records();
    if (!records) return unsupported("the driver keeps no records, so no outbox");
    OutboxRow row{RowKind::announce_task, *request.job.id, 1, request.job.queue};
    // When a delayed one is due the store knows, whatever our own clock says.
    const bool can_be_asked = profile_.has("inspect");
    if (!request.job.run_at || !can_be_asked) row.due_at = request.job.run_at.value_or(at_once);
    Commit commit;
    commit.puts.push_back(put_of(row));
    commit.enqueues.push_back(request);
    const auto done = records->commit(clock_.now(), commit);
    if (!done.ok()) return done.error();
    return done.value().enqueued.front();
  }

  // An earlier try may have made the job: then it is ours, and its key is taken by nobody else.
  Result<Enqueued> hand_in_again(const Enqueue& request) {
    // Where nothing is said of an id that comes twice, it must not.
    if (profile_.dup_id == DupId::undefined && is_there(request)) return Enqueued{*request.job.id};
    auto answer = hand_in_once(request);
    if (answer.ok()) {
      if (answer->id == *request.job.id) answer->existed = false;
      return answer;
    }
    const bool may_be_ours = answer.error().code == ErrorCode::duplicate_key ||
                             answer.error().code == ErrorCode::duplicate_id;
    if (may_be_ours && is_there(request)) return Enqueued{*request.job.id};
    return answer;
  }

  bool is_there(const Enqueue& request) {
    const auto seen =
        line_.call([&](Session& s) { return s.get(clock_.now(), {*request.job.id}); });
    return seen.ok() && seen->job.type == request.job.type &&
           seen->job.queue == request.job.queue && seen->job.payload == request.job.payload;
  }

  Clock& clock_;
  const Profile profile_;
  const ClientOptions options_;
  const std::unique_ptr<Monitor> monitor_;
  detail::Line line_;
  Random random_;
};

Client::Client(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Client::~Client() = default;

Result<std::unique_ptr<Client>> Client::make(Runtime& runtime, Driver& driver,
                                             ClientOptions options) {
  if (auto objection = objection_to_name("queue's name", options.queue, options.bounds))
    return *objection;
  if (auto objection = objection_to(options.tries)) return *objection;
  return std::unique_ptr<Client>(
      new Client(std::make_unique<Body>(runtime, driver, std::move(options))));
}

Result<Enqueued> Client::submit(const Submission& submission) { return body_->submit(submission); }

Result<Waited> Client::submit_and_wait(const Submission& submission, Duration patience) {
  return body_->submit_and_wait(submission, patience);
}

Result<Enqueued> Client::send(const OutgoingEvent& event, std::optional<std::string> key) {
  if (event.target.empty()) return invalid("the event has no target");
  return body_->submit({.type = std::string(event_type),
                        .payload = event.body,
                        .queue = event.target,
                        .key = std::move(key)});
}

}  // namespace assay::engine
