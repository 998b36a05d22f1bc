#include "tests/properties/told.h"

#include <algorithm>

#include "harness/contract/check.h"

namespace assay::told {

Asked::Asked(Told& told, OpId op, Request request)
    : told_(told), op_(op), request_(std::move(request)) {}

static const Hold* hold_in(const Request& request) {
  if (const auto* ask = std::get_if<Ack>(&request)) return &ask->hold;
  if (const auto* ask = std::get_if<Retry>(&request)) return &ask->hold;
  if (const auto* ask = std::get_if<Fail>(&request)) return &ask->hold;
  if (const auto* ask = std::get_if<Nack>(&request)) return &ask->hold;
  if (const auto* ask = std::get_if<Extend>(&request)) return &ask->hold;
  return nullptr;
}

static JobId subject(const Request& request) {
  if (const auto* hold = hold_in(request)) return hold->job_id;
  if (const auto* ask = std::get_if<Cancel>(&request)) return ask->job_id;
  if (const auto* ask = std::get_if<Get>(&request)) return ask->job_id;
  if (const auto* ask = std::get_if<Requeue>(&request)) return ask->job_id;
  return {};
}

ToldJob& Asked::job() const {
  const auto found = told_.jobs_.find(subject(request_));
  CHECK(found != told_.jobs_.end());
  return found->second;
}

static void end_as(ToldJob& job, JobState state) {
  job.view.job.state = state;
  job.view.lease.reset();
  job.waiting = false;
}

static void wait_until(ToldJob& job, Instant run_at) {
  end_as(job, JobState::ready);
  job.view.dead.reset();
  job.view.job.run_at = run_at;
  job.waiting = true;
}

static void bury(ToldJob& job, std::string reason, const std::string& error, Instant now) {
  end_as(job, JobState::dead);
  job.view.dead = DeadView{std::move(reason), error, now};
  job.view.job.last_error = error;
}

static void apply_retry(ToldJob& job, const Retry& ask) {
  wait_until(job, ask.run_at);
  job.retried = true;
  job.view.job.attempts = ask.attempts;
  job.view.job.last_error = ask.error;
}

Told& Asked::ok() {
  if (const auto* ask = std::get_if<Enqueue>(&request_))
    return answers(Enqueued{told_.enqueued(ask->job), false});
  if (std::holds_alternative<Ack>(request_)) end_as(job(), JobState::done);
  if (const auto* ask = std::get_if<Retry>(&request_)) apply_retry(job(), *ask);
  if (const auto* ask = std::get_if<Fail>(&request_)) {
    bury(job(), ask->reason, ask->error, told_.now);
    job().view.job.attempts = ask->attempts;
  }
  if (std::holds_alternative<Cancel>(request_)) {
    end_as(job(), JobState::cancelled);
    return answers(Cancelled{});
  }
  if (const auto* ask = std::get_if<Extend>(&request_)) {
    auto& expiry = job().view.lease->expires_at;
    expiry = std::max(expiry, told_.now + ask->lease);
    return answers(Extended{expiry});
  }
  if (const auto* ask = std::get_if<Requeue>(&request_)) {
    wait_until(job(), ask->run_at.value_or(told_.now));
    job().retried = false;
    if (ask->reset_attempts) job().view.job.attempts = 0;
    return answers(Requeued{ask->job_id});
  }
  return answers(Done{});
}

Told& Asked::ok(void (*edit)(Response&)) {
  ok();
  edit(std::get<ReturnEvent>(told_.history_.events.back()).response);
  return told_;
}

Told& Asked::claims(const std::vector<JobId>& ids, void (*edit)(Claim&)) {
  Claims all;
  for (const auto& id : ids) {
    all.claims.push_back(told_.claimed(id, std::get<Reserve>(request_)));
    if (edit) edit(all.claims.back());
  }
  return answers(std::move(all));
}

Told& Asked::shows(void (*edit)(JobView&)) {
  auto view = told_.view(std::get<Get>(request_).job_id);
  if (edit) edit(view);
  return answers(std::move(view));
}

Told& Asked::lists(const std::vector<JobId>& ids, void (*edit)(JobPage&)) {
  JobPage page;
  for (const auto& id : ids) page.jobs.push_back(told_.view(id).job);
  if (edit) edit(page);
  return answers(std::move(page));
}

Told& Asked::buries(const std::vector<JobId>& ids, void (*edit)(DeadPage&)) {
  DeadPage page;
  for (const auto& id : ids) {
    const auto view = told_.view(id);
    const auto dead = view.dead.value_or(DeadView{});
    page.entries.push_back({id, view.job, dead.reason, dead.error, dead.at});
  }
  if (edit) edit(page);
  return answers(std::move(page));
}

Told& Asked::existed(const JobId& id) { return answers(Enqueued{id, true}); }

Told& Asked::waits(Duration delay) {
  auto& shown = job().view.job;
  const auto& error = std::get<Nack>(request_).error;
  wait_until(job(), told_.now + delay);
  job().retried = true;
  shown.attempts += 1;
  shown.last_error = error;
  const bool hidden = told_.profile.retry_view == RetryView::ready_hidden;
  const auto state = delay > Duration{0} && !hidden ? JobState::scheduled : JobState::ready;
  return answers(Nacked{state, told_.now + delay});
}

Told& Asked::dies() {
  const auto& ask = std::get<Nack>(request_);
  if (told_.profile.counter == Counter::failures) ++job().view.job.attempts;
  bury(job(), ask.unrecoverable ? "unrecoverable" : "limit reached", ask.error, told_.now);
  return answers(Nacked{JobState::dead, {}});
}

Told& Asked::replays(const JobId& fresh) {
  ToldJob copy = job();
  wait_until(copy, std::get<Requeue>(request_).run_at.value_or(told_.now));
  copy.retried = false;
  copy.claims = 0;
  copy.view.job.id = fresh;
  copy.view.job.attempts = 0;
  copy.view.job.last_error.reset();
  copy.view.job.created_at = told_.now;
  told_.jobs_[fresh] = copy;
  return answers(Requeued{fresh});
}

Told& Asked::answers(Response response) {
  return told_.end(op_, OutcomeKind::ok, std::move(response), {});
}

Told& Asked::refused(ErrorCode code, LeaseReason reason) {
  return told_.end(op_, OutcomeKind::refused, {}, Error{code, "refused", reason});
}

Told& Asked::unknown() {
  return told_.end(op_, OutcomeKind::unknown, {}, Error{ErrorCode::unavailable, "no answer"});
}

Told::Told(std::string_view name) {
  const auto built_in = built_in_profile(name);
  CHECK(built_in.has_value());
  profile = *built_in;
  history_.driver = "told";
  history_.clients = {"first", "second"};
}

Told& Told::as(int client) {
  client_ = client;
  return *this;
}

Told& Told::advance(Duration by) {
  now += by;
  history_.events.emplace_back(ClockEvent{now});
  return *this;
}

Told& Told::dies(int client) {
  FaultEvent death{FaultEvent::Stage::begun, 0, "kill_worker", FaultEffect::client_died, client};
  history_.events.emplace_back(death);
  death.stage = FaultEvent::Stage::proven;
  death.proof = "its process was killed by signal 9";
  history_.events.emplace_back(std::move(death));
  return *this;
}

Told& Told::store_goes() {
  FaultEvent outage{FaultEvent::Stage::begun, 1, "crash_store", FaultEffect::store_away};
  history_.events.emplace_back(outage);
  outage.stage = FaultEvent::Stage::proven;
  outage.proof = "every process of the server was killed";
  history_.events.emplace_back(std::move(outage));
  return *this;
}

Told& Told::store_comes_back() {
  history_.events.emplace_back(
      FaultEvent{FaultEvent::Stage::ended, 1, "crash_store", FaultEffect::store_away});
  return *this;
}

Told& Told::hide() {
  auto& end = std::get<ReturnEvent>(history_.events.back());
  end = {end.op, OutcomeKind::unknown, {}, Error{ErrorCode::unavailable, "no answer"}};
  return *this;
}

Asked Told::ask(Request request) {
  const OpId op = next_op_++;
  history_.events.emplace_back(CallEvent{op, client_, now, request});
  return {*this, op, std::move(request)};
}

Told& Told::end(OpId op, OutcomeKind outcome, Response response, Error error) {
  history_.events.emplace_back(ReturnEvent{op, outcome, std::move(response), std::move(error)});
  return *this;
}

Asked Told::enqueue(const JobId& id, Duration delay) {
  return enqueue(
      NewJob{.id = id, .queue = "q", .type = "t", .payload = "p", .run_at = now + delay});
}

Asked Told::reserve(const std::string& queue, std::int64_t max) {
  return ask(Reserve{.queues = {queue}, .lease = lease_length, .worker = "w", .max = max});
}

Asked Told::reserve_for(Duration lease) {
  return ask(Reserve{.queues = {"q"}, .lease = lease, .worker = "w"});
}

Asked Told::seek(const JobId& id) {
  const auto found = jobs_.find(id);
  const std::string queue = found == jobs_.end() ? "q" : found->second.view.job.queue;
  Reserve ask_for{.queues = {queue}, .lease = lease_length, .worker = "w"};
  if (profile.claim_style == ClaimStyle::by_id) ask_for.job_id = id;
  return ask(ask_for);
}

Asked Told::extend(const JobId& id, const Token& token, Duration lease) {
  return ask(Extend{hold(id, token), lease});
}

Asked Told::retry(const JobId& id, Duration delay, std::int64_t attempts, const Token& token) {
  return ask(Retry{hold(id, token), now + delay, attempts, "boom"});
}

Asked Told::fail(const JobId& id, std::int64_t attempts, const Token& token) {
  return ask(Fail{hold(id, token), attempts, "gave up", "boom"});
}

Asked Told::nack(const JobId& id, const Token& token, bool unrecoverable) {
  return ask(Nack{hold(id, token), "boom", unrecoverable});
}

Hold Told::hold(const JobId& id, const Token& token) const {
  Hold hold{id, token, {}};
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return hold;
  if (token.empty()) hold.token = id + "#" + std::to_string(found->second.claims);
  if (profile.fence == Fence::token_attempt) hold.attempt = found->second.view.job.attempts;
  return hold;
}

JobView Told::view(const JobId& id) const {
  const auto found = jobs_.find(id);
  CHECK(found != jobs_.end());
  const auto& told = found->second;
  auto view = told.view;
  const bool hidden = told.retried && profile.retry_view == RetryView::ready_hidden;
  if (told.waiting && view.job.run_at > now && !hidden) view.job.state = JobState::scheduled;
  return view;
}

Claim Told::claimed(const JobId& id, const Reserve& request) {
  auto& told = jobs_[id];
  auto& job = told.view.job;
  if (told.view.lease) {
    job.run_at = told.view.lease->expires_at;
    const bool counts = profile.expiry_counts == ExpiryCounts::yes;
    if (counts && profile.counter == Counter::attempt_no) ++job.attempts;
  }
  ++told.claims;
  told.waiting = false;
  job.state = JobState::leased;
  if (profile.counter == Counter::starts) ++job.attempts;
  const Token token = id + "#" + std::to_string(told.claims);
  told.view.lease = LeaseView{token, now + request.lease, request.worker};
  Claim claim{job, token, {}, {}, now + request.lease};
  if (profile.fence == Fence::token_attempt) claim.attempt = job.attempts;
  if (profile.fence == Fence::token_version || profile.has("lease_version"))
    claim.version = told.claims;
  return claim;
}

JobId Told::enqueued(const NewJob& given) {
  const JobId id = given.id.value_or("made-" + std::to_string(jobs_.size()));
  const std::int64_t first = profile.counter == Counter::attempt_no ? 1 : 0;
  ToldJob told;
  told.waiting = true;
  told.view.job = Job{.id = id,
                      .queue = given.queue,
                      .type = given.type,
                      .payload = given.payload,
                      .run_at = given.run_at.value_or(now),
                      .max_attempts = given.max_attempts,
                      .timeout = given.timeout,
                      .key = given.key,
                      .priority = given.priority.value_or(0),
                      .attempts = given.attempts.value_or(first),
                      .created_at = now};
  jobs_[id] = told;
  return id;
}

Told& Told::happens(EngineEvent event) {
  event.now = now;
  history_.events.push_back(std::move(event));
  return *this;
}

const History& Told::history() {
  history_.profile = profile;
  return history_;
}

}  // namespace assay::told
