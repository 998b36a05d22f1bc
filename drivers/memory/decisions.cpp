#include "drivers/memory/decisions.h"

#include <algorithm>
#include <set>

namespace assay::memory_queue {

Outcome outcome_without_change(const Record& record) {
  return {record.stage,        record.job.run_at,     record.job.attempts,
          record.lease_losses, record.job.last_error, record.dead};
}

Instant later(Instant from, Duration by) {
  return by > Instant::max() - std::max(from, Instant{}) ? Instant::max() : from + by;
}

bool Decisions::lets_others_in(Seam, const Record*) const { return false; }

Instant Decisions::now(Instant callers, Instant stores) const {
  return profile_.clock == ClockKnob::caller ? callers : stores;
}

Objection Decisions::refuses(const Enqueue& request, Instant now) const {
  if (auto objection = objection_to(request)) return objection;
  if (request.job.run_at.value_or(now) > now)
    return objection_to_lack_of(profile_, "schedule_at_enqueue");
  return std::nullopt;
}

Objection Decisions::refuses_claim(const Reserve& request) const {
  if (auto objection = objection_to(request, profile_.claim_style)) return objection;
  const bool several = std::ranges::any_of(
      request.queues, [&](const std::string& queue) { return queue != request.queues.front(); });
  return several ? objection_to_lack_of(profile_, "queue_set_claim") : std::nullopt;
}

Objection Decisions::refuses_extension(const Extend& request) const {
  if (auto objection = objection_to(request.hold)) return objection;
  return objection_to_lease(request.lease);
}

Job Decisions::stored(const NewJob& given, Instant now) const {
  Job job;
  job.queue = given.queue;
  job.type = given.type;
  job.payload = given.payload;
  job.run_at = given.run_at.value_or(now);
  job.max_attempts = given.max_attempts;
  job.timeout = given.timeout;
  job.key = given.key;
  job.priority = given.priority.value_or(0);
  job.attempts = given.attempts.value_or(profile_.counter == Counter::attempt_no ? 1 : 0);
  job.created_at = now;
  return job;
}

bool Decisions::id_is_taken(const Record&) const { return true; }

bool Decisions::same_content(const Record& stored, const NewJob& again) const {
  const Job& job = stored.job;
  return job.queue == again.queue && job.type == again.type && job.payload == again.payload &&
         stored.given_run_at == again.run_at && job.max_attempts == again.max_attempts &&
         job.timeout == again.timeout && job.key == again.key &&
         job.priority == again.priority.value_or(0);
}

void Decisions::on_duplicate(Record&, const NewJob&) const {}

std::string Decisions::key_scope(const Job& job) const {
  // The length keeps scope and key apart, whatever characters they hold.
  const auto within = [&](const std::string& scope) {
    return std::to_string(scope.size()) + ":" + scope + *job.key;
  };
  switch (profile_.idem_scope) {
    case IdemScope::queue:
      return within(job.queue);
    case IdemScope::type:
      return within(job.type);
    case IdemScope::global:
      break;
  }
  return *job.key;
}

bool Decisions::releases_key(Stage entered) const {
  return profile_.idem == Idem::reject_active && entered != Stage::waiting &&
         entered != Stage::leased;
}

JobState Decisions::shown_state(const Record& record, Instant now) const {
  switch (record.stage) {
    case Stage::waiting:
      break;
    case Stage::leased:
      return JobState::leased;
    case Stage::done:
      return JobState::done;
    case Stage::dead:
      return JobState::dead;
    case Stage::cancelled:
      return JobState::cancelled;
  }
  const bool hidden = record.awaits_retry && profile_.retry_view == RetryView::ready_hidden;
  return hidden || record.job.run_at.value_or(now) <= now ? JobState::ready : JobState::scheduled;
}

}  // namespace assay::memory_queue
