#include "harness/run/detail/references.h"

#include <limits>

namespace assay::detail {

References::References(const Plan& plan, const Profile& profile) : plan_(plan), profile_(profile) {}

// Saturates: a driver may grant a lease until any instant, and count up to any number.
static std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}
static Instant plus(Instant at, Duration offset) {
  return instant_from_ms(plus(to_ms(at), to_ms(offset)));
}

const Claim* References::claim(const ClaimRef& ref) const {
  const auto found = claims_.find(ref.slot);
  if (found == claims_.end() || static_cast<std::size_t>(ref.index) >= found->second.size())
    return nullptr;
  return &found->second[static_cast<std::size_t>(ref.index)];
}

std::optional<JobId> References::job(const JobRef& ref) const {
  if (ref.kind == JobRef::Kind::literal) return ref.literal;
  if (ref.kind == JobRef::Kind::made)
    if (const auto found = made_.find(ref.slot); found != made_.end()) return found->second;
  if (ref.kind == JobRef::Kind::claimed)
    if (const Claim* held = claim(ref.claim)) return held->job.id;
  return std::nullopt;
}

std::optional<Instant> References::instant(const When& when, Instant now) const {
  if (when.base == When::Base::now) return plus(now, when.offset);
  if (when.base == When::Base::absolute) return Instant{when.offset};
  if (when.base == When::Base::expiry) {
    const Claim* held = claim(when.claim);
    return held ? std::optional(plus(held->expires_at, when.offset)) : std::nullopt;
  }
  const auto id = job(when.job);
  if (!id) return std::nullopt;
  const auto found = due_.find(*id);
  return plus(found == due_.end() ? now : found->second, when.offset);
}

// The delivery whose numbers a settle goes by: a forged token borrows those of the job's last one,
// so that the token alone is wrong.
const Claim* References::spoken_for(const Step& step, const JobId& job_id) const {
  if (step.token.kind == TokenRef::Kind::claim) return claim(step.token.claim);
  if (step.job.kind == JobRef::Kind::claimed) return claim(step.job.claim);
  const auto found = last_claim_.find(job_id);
  return found == last_claim_.end() ? nullptr : &found->second;
}

std::optional<Hold> References::hold(const Step& step) const {
  const bool forged = step.token.kind == TokenRef::Kind::forged;
  const Claim* held = forged ? nullptr : claim(step.token.claim);
  if (!forged && !held) return std::nullopt;
  auto id = job(step.job);
  if (!id && step.job.kind == JobRef::Kind::none && held) id = held->job.id;
  if (!id) return std::nullopt;
  Hold hold{*id, forged ? step.token.forged : held->token, std::nullopt};
  if (const Claim* claim = spoken_for(step, *id); claim && claim->attempt)
    hold.attempt = plus(*claim->attempt, step.attempt_offset.value_or(0));
  return hold;
}

std::int64_t References::counter(const Step& step, const JobId& job_id) const {
  if (step.attempts) return *step.attempts;
  const Claim* claim = spoken_for(step, job_id);
  const std::int64_t so_far = claim ? claim->job.attempts : 0;
  return profile_.counter == Counter::starts ? so_far : plus(so_far, 1);  // a start counted itself
}

std::optional<Request> References::settle(const Step& step, Instant now) const {
  const auto held = hold(step);
  if (!held) return std::nullopt;
  switch (step.kind) {
    case StepKind::extend:
      return Extend{*held, step.lease};
    case StepKind::retry: {
      const auto run_at = instant(step.when.value_or(When{}), now);
      if (!run_at) return std::nullopt;
      return Retry{*held, *run_at, counter(step, held->job_id), step.error};
    }
    case StepKind::fail:
      return Fail{*held, counter(step, held->job_id), step.reason, step.error};
    case StepKind::nack:
      return Nack{*held, step.error, step.unrecoverable};
    default:
      return Ack{*held};
  }
}

static std::string queue_of(const Step& step) {
  return step.queues.empty() ? std::string() : step.queues.front();
}

std::optional<Request> References::enqueue(const Step& step, Instant now) const {
  NewJob job{.id = step.id,
             .queue = queue_of(step),
             .type = step.type,
             .payload = bytes_of(step.payload),
             .run_at = std::nullopt,
             .max_attempts = step.limit,
             .timeout = step.timeout,
             .key = step.key,
             .priority = step.priority,
             .attempts = step.attempts};
  if (step.when) {
    job.run_at = instant(*step.when, now);
    if (!job.run_at) return std::nullopt;
  }
  return Enqueue{std::move(job)};
}

std::optional<Request> References::reserve(const Step& step) const {
  Reserve reserve{step.queues, step.lease,
                  plan_.clients[static_cast<std::size_t>(step.client)].name, step.max,
                  std::nullopt};
  if (profile_.claim_style == ClaimStyle::by_id && step.job.kind != JobRef::Kind::none) {
    reserve.job_id = job(step.job);
    if (!reserve.job_id) return std::nullopt;
  }
  return reserve;
}

std::optional<Request> References::page(const Step& step) const {
  std::optional<std::string> cursor = step.cursor;
  if (!cursor && step.next_page) {
    const auto found = cursors_.find({step.client, step.kind});
    if (found == cursors_.end() || !found->second) return std::nullopt;
    cursor = found->second;
  }
  const std::int64_t limit = step.limit.value_or(100);
  if (step.kind == StepKind::dead) return Dead{queue_of(step), limit, std::move(cursor)};
  return List{queue_of(step), step.state, limit, std::move(cursor)};
}

std::optional<Request> References::requeue(const Step& step, Instant now) const {
  const auto id = job(step.job);
  if (!id) return std::nullopt;
  Requeue requeue{*id, std::nullopt, step.reset_attempts};
  if (step.when) {
    requeue.run_at = instant(*step.when, now);
    if (!requeue.run_at) return std::nullopt;
  }
  return requeue;
}

std::optional<Request> References::of_job(const Step& step) const {
  const auto id = job(step.job);
  if (!id) return std::nullopt;
  if (step.kind == StepKind::cancel) return Cancel{*id};
  return Get{*id};
}

std::optional<Request> References::request(const Step& step, Instant now) const {
  switch (step.kind) {
    case StepKind::enqueue:
      return enqueue(step, now);
    case StepKind::reserve:
      return reserve(step);
    case StepKind::extend:
    case StepKind::ack:
    case StepKind::retry:
    case StepKind::fail:
    case StepKind::nack:
      return settle(step, now);
    case StepKind::cancel:
    case StepKind::get:
      return of_job(step);
    case StepKind::pause:
      return Pause{queue_of(step)};
    case StepKind::resume:
      return Resume{queue_of(step)};
    case StepKind::list:
    case StepKind::dead:
      return page(step);
    case StepKind::requeue:
      return requeue(step, now);
    case StepKind::close:
      return Close{};
    case StepKind::advance:
    case StepKind::begin_fault:
    case StepKind::end_fault:
    case StepKind::start_worker:
    case StepKind::stop_worker:
    case StepKind::kill_worker:
    case StepKind::submit_flow:
    case StepKind::declare_schedule:
    case StepKind::pause_schedule:
    case StepKind::resume_schedule:
    case StepKind::sweep_flows:
      break;
  }
  CHECK(!is_of_the_world(step.kind));
  return std::nullopt;
}

void References::learn(const Step& step, const Request& request, const Response* answer,
                       Instant now) {
  if (step.kind == StepKind::reserve) claims_.erase(step.slot);
  if (step.kind == StepKind::enqueue || step.kind == StepKind::requeue) made_.erase(step.slot);
  if (!answer) return;
  if (const auto* made = std::get_if<Enqueued>(answer)) {
    if (step.slot >= 0) made_[step.slot] = made->id;
    if (!made->existed) due_[made->id] = std::get<Enqueue>(request).job.run_at.value_or(now);
  } else if (const auto* again = std::get_if<Requeued>(answer)) {
    if (step.slot >= 0) made_[step.slot] = again->job_id;
    due_[again->job_id] = std::get<Requeue>(request).run_at.value_or(now);
  } else if (const auto* got = std::get_if<Claims>(answer)) {
    if (step.slot >= 0) claims_[step.slot] = got->claims;
    for (const auto& claim : got->claims) last_claim_[claim.job.id] = claim;
  } else if (const auto* extended = std::get_if<Extended>(answer)) {
    if (claim(step.token.claim) && step.token.kind == TokenRef::Kind::claim)
      claims_[step.token.claim.slot][static_cast<std::size_t>(step.token.claim.index)].expires_at =
          extended->expires_at;
  } else if (const auto* nacked = std::get_if<Nacked>(answer)) {
    if (nacked->run_at) due_[std::get<Nack>(request).hold.job_id] = *nacked->run_at;
  } else if (const auto* retry = std::get_if<Retry>(&request)) {
    due_[retry->hold.job_id] = retry->run_at;
  } else if (const auto* jobs = std::get_if<JobPage>(answer)) {
    cursors_[{step.client, step.kind}] = jobs->cursor;
  } else if (const auto* entries = std::get_if<DeadPage>(answer)) {
    cursors_[{step.client, step.kind}] = entries->cursor;
  }
}

}  // namespace assay::detail
