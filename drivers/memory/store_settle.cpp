// Extensions and settles: who may speak for a lease, and what the job becomes.
#include "drivers/memory/store.h"

namespace assay::memory_queue {

static std::string stage_in_words(Stage stage) {
  switch (stage) {
    case Stage::waiting:
      return "waiting";
    case Stage::leased:
      return "leased";
    case Stage::done:
      return "done";
    case Stage::dead:
      return "dead";
    case Stage::cancelled:
      break;
  }
  return "cancelled";
}

Error Store::refuse(Record& record, LeaseReason reason) {
  decisions_.on_refusal(record);
  switch (reason) {
    case LeaseReason::expired:
      return lease_lost(reason, "the lease of " + record.job.id + " is over");
    case LeaseReason::mismatch:
      return lease_lost(reason, "the lease of " + record.job.id + " is held under another token");
    case LeaseReason::not_held:
    case LeaseReason::unstated:
      break;
  }
  return lease_lost(reason,
                    record.job.id + " is " + stage_in_words(record.stage) + ", nobody holds it");
}

Result<Record*> Store::admit_extension(Instant now, const Hold& hold) {
  Record* record = find(hold.job_id);
  if (!record) return not_found("no job is called " + hold.job_id);
  if (!decisions_.is_held(*record)) return refuse(*record, LeaseReason::not_held);
  if (!decisions_.may_extend(*record, now)) return refuse(*record, LeaseReason::expired);
  if (!decisions_.matches_for_extension(*record, hold))
    return refuse(*record, LeaseReason::mismatch);
  return record;
}

Result<Extended> Store::extend(Instant now, const Extend& request) {
  if (auto objection = decisions_.refuses_extension(request)) return *objection;
  const auto admitted = admit_extension(now, request.hold);
  if (!admitted) return admitted.error();
  Record* record = *admitted;
  const Lease checked = *record->lease;
  at(Seam::extend, record);
  record->lease = checked;
  record->lease->expires_at = decisions_.extended_expiry(*record, now, request.lease);
  enter(*record, Stage::leased);
  return Extended{record->lease->expires_at};
}

Result<Store::Settlement> Store::admit(Instant now, const Hold& hold, SettleKind kind) {
  if (auto objection = objection_to(hold)) return *objection;
  Record* record = find(hold.job_id);
  if (!record) return not_found("no job is called " + hold.job_id);
  if (!decisions_.may_settle(*record, kind)) {
    if (decisions_.repeats(*record, hold, kind)) return Settlement{record, true};
    return refuse(*record, LeaseReason::not_held);
  }
  if (!record->lease) return Settlement{record, false};
  if (decisions_.lease_is_over(*record, now) && !decisions_.accepts_late(kind))
    return refuse(*record, LeaseReason::expired);
  if (!decisions_.matches(*record, hold, kind)) return refuse(*record, LeaseReason::mismatch);
  at(Seam::settle, record);
  return Settlement{record, false};
}

void Store::settle(Record& record, SettleKind kind, const Outcome& after) {
  LastSettle settled;
  settled.kind = kind;
  if (record.lease) {
    settled.token = record.lease->token;
    settled.attempt = record.lease->attempt;
  }
  record.awaits_retry = after.stage == Stage::waiting;
  change(record, after);
  record.settled = settled;
}

Objection Store::refuses(const Ack& request) const { return objection_to(request.hold); }

Objection Store::refuses(const Retry& request) const {
  if (auto objection = objection_to_decider(decisions_.profile(), Decider::engine))
    return objection;
  if (auto objection = objection_to_attempts(request.attempts)) return objection;
  return objection_to(request.hold);
}

Objection Store::refuses(const Fail& request) const {
  if (auto objection = objection_to_decider(decisions_.profile(), Decider::engine))
    return objection;
  if (auto objection = objection_to_attempts(request.attempts)) return objection;
  return objection_to(request.hold);
}

Objection Store::refuses(const Nack& request) const {
  if (auto objection = objection_to_decider(decisions_.profile(), Decider::store)) return objection;
  return objection_to(request.hold);
}

Result<Store::Settlement> Store::settle(Instant now, const Ack& request, const Change& before) {
  if (auto objection = refuses(request)) return *objection;
  const auto admitted = admit(now, request.hold, SettleKind::ack);
  if (!admitted || admitted.value().repeated) return admitted;
  Record& record = *admitted.value().record;
  if (before) before(record);
  settle(record, SettleKind::ack, decisions_.on_ack(record, request));
  return admitted;
}

Result<Store::Settlement> Store::settle(Instant now, const Retry& request, const Change& before) {
  if (auto objection = refuses(request)) return *objection;
  const auto admitted = admit(now, request.hold, SettleKind::retry);
  if (!admitted || admitted.value().repeated) return admitted;
  Record& record = *admitted.value().record;
  if (before) before(record);
  settle(record, SettleKind::retry, decisions_.on_retry(record, request, now));
  return admitted;
}

Result<Store::Settlement> Store::settle(Instant now, const Fail& request, const Change& before) {
  if (auto objection = refuses(request)) return *objection;
  const auto admitted = admit(now, request.hold, SettleKind::fail);
  if (!admitted || admitted.value().repeated) return admitted;
  Record& record = *admitted.value().record;
  if (before) before(record);
  settle(record, SettleKind::fail, decisions_.on_fail(record, request, now));
  return admitted;
}

Result<Store::Settlement> Store::settle(Instant now, const Nack& request, const Change& before) {
  if (auto objection = refuses(request)) return *objection;
  const auto admitted = admit(now, request.hold, SettleKind::nack);
  if (!admitted) return admitted;
  Record& record = *admitted.value().record;
  if (admitted.value().repeated && record.settled) return admitted;
  if (before) before(record);
  settle(record, SettleKind::nack, decisions_.on_nack(record, request, now, jitter_));
  const Job shown = show(record, now);
  const bool waits = record.stage == Stage::waiting;
  record.settled->answer = {shown.state, waits ? shown.run_at : std::nullopt};
  return admitted;
}

static Status done(const auto& settled) {
  if (!settled) return settled.error();
  return Done{};
}

Status Store::ack(Instant now, const Ack& request) { return done(settle(now, request)); }
Status Store::retry(Instant now, const Retry& request) { return done(settle(now, request)); }
Status Store::fail(Instant now, const Fail& request) { return done(settle(now, request)); }

Result<Nacked> Store::nack(Instant now, const Nack& request) {
  const auto settled = settle(now, request);
  if (!settled) return settled.error();
  return settled.value().record->settled->answer;
}

}  // namespace assay::memory_queue
