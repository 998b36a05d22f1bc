#include "harness/judge/detail/examiner.h"

#include <algorithm>

#include "harness/judge/detail/instants.h"
#include "harness/judge/reading.h"

namespace assay::judging {

void Examiner::holds(const Moment& moment) {
  Change kind{};
  const Hold* hold = hold_of(moment.call.request, kind);
  if (!hold) return;
  const JobFacts* job = facts_.find(hold->job_id);
  if (!job || job->spoiled) return;
  const HoldUse use = standing_of(facts_, *job, *hold, kind, moment.now, moment.ok());
  for (const auto hook : hooks_.on(use)) hook(moment, use, verdicts_);
}

void Examiner::deliver(const Moment& moment, const Claim& claim) {
  const JobFacts* job = facts_.find(claim.job.id);
  if (!job || job->spoiled) return;
  const Delivery delivery{*job, claim, *moment.request<Reserve>()};
  for (const auto hook : hooks_.on(delivery)) hook(moment, delivery, verdicts_);
}

void Examiner::sight(const Moment& moment, const Job& shown, const JobView* whole) {
  const JobFacts* job = facts_.find(shown.id);
  if (!job || job->spoiled) return;
  const Sighting sighting{*job, shown, whole, allowed_states(facts_, *job, moment.now)};
  for (const auto hook : hooks_.on_sighting()) hook(moment, sighting, verdicts_);
}

// Where the clock runs, nobody knows at which instant of the call the store did its work: one at
// which there is nothing to object to, if there is any, else one at which there is the least.
// `look` is about the job, if about one.
template <class Look>
Moment Examiner::at_best(const Operation& operation, bool alone, std::string_view id,
                         const Look& look) {
  if (!is_blurred(facts_, operation)) return read(operation, alone, operation.now());
  Instant best = operation.now();
  std::size_t least = SIZE_MAX;
  for (const Instant at : instants_of(facts_, operation, id)) {
    std::vector<Finding> objections;
    auto* const before = verdicts_.set_trial(&objections);
    look(read(operation, alone, at));
    verdicts_.set_trial(before);
    if (objections.size() < least) best = at, least = objections.size();
    if (least == 0) break;
  }
  return read(operation, alone, best);
}

Moment Examiner::read(const Operation& operation, bool alone, Instant at) const {
  const CallEvent& call = *operation.call;
  const ReturnEvent& end = *operation.end;
  Moment moment{profile_, facts_, call, end, at, false, false, false, nullptr};
  moment.malformed = is_malformed(call.request);
  const ClientFacts& client = facts_.client(call.client);
  moment.after_close =
      client.closed || (client.perhaps_closed && moment.refused(ErrorCode::closed));
  const ErrorCode code = end.error.code;
  // A store that cannot be reached, or is full, breaks no promise by saying so.
  const bool failed = end.outcome == OutcomeKind::refused &&
                      (code == ErrorCode::unavailable || code == ErrorCode::internal);
  moment.plain = !failed && !moment.malformed && !moment.after_close &&
                 end.outcome != OutcomeKind::unknown &&
                 is_claimed(profile_, call.request, moment.now);
  moment.alone = alone;
  moment.began = operation.began;
  if (!moment.plain) return moment;
  if (alone)
    moment.missed = missed_by(facts_, call, end, at);
  else
    look_around(operation, moment);
  return moment;
}

// What overlapped it, as far as rules of queues and keys ask.
void Examiner::look_around(const Operation& operation, Moment& moment) const {
  moment.resuming = window_.switches() > 0;
  if (const auto* reserve = moment.request<Reserve>())
    moment.other_claims = last_claimed_after(operation.began, reserve->queues) ||
                          window_.claims_before(operation, reserve->queues, operation.ended);
  const NewJob* keyed = nullptr;
  if (const auto* enqueue = moment.request<Enqueue>()) keyed = &enqueue->job;
  if (const auto* requeue = moment.request<Requeue>())
    if (const JobFacts* job = facts_.find(requeue->job_id)) keyed = &job->given;
  const std::string key = keyed ? facts_.key_of(*keyed) : std::string();
  if (!key.empty()) look_at_key(operation, *keyed, key, moment);
}

void Examiner::look_at_key(const Operation& operation, const NewJob& keyed, const std::string& key,
                           Moment& moment) const {
  for (const Operation* other : window_.with_key(key))
    if (other != &operation && other->began < operation.ended)
      moment.key_unsure = moment.key_race = true;
  const auto* holders = facts_.holders(keyed);
  if (!holders) return;
  const auto* answer = moment.answer<Enqueued>();
  for (const JobIndex index : *holders) {
    const JobFacts& holder = facts_.job(index);
    const bool raced = holder.born_ended > operation.began;
    bool in_doubt = holder.spoiled;
    for (const Operation* other : window_.about(holder.id))
      in_doubt |= other != &operation && other->began < operation.ended;
    if (answer)
      for (const Operation* other : window_.about(answer->id)) in_doubt |= other != &operation;
    moment.key_race |= raced;
    moment.key_unsure |= raced || in_doubt || holder.touched > operation.began;
    const bool active = holder.phase == Phase::waiting ||
                        (holder.phase == Phase::leased && !facts_.lapsed(holder, moment.now));
    const bool kept = profile_.idem == Idem::return_existing || active;
    if (raced && kept && !in_doubt) moment.rival = &holder;
  }
}

// A pause or resume that no other overlapped.
bool Examiner::is_only_switch(const Operation& operation) {
  const bool is_switch = std::holds_alternative<Pause>(operation.call->request) ||
                         std::holds_alternative<Resume>(operation.call->request);
  if (!is_switch) return false;
  const bool only = last_switch_ < operation.began && window_.switches() <= 1;
  last_switch_ = operation.ended;
  return only;
}

bool Examiner::last_claimed_after(Place began, const std::vector<std::string>& queues) const {
  for (const std::string& queue : queues)
    if (facts_.last_claim(queue) > began) return true;
  return false;
}

// What it shows apart from the jobs of a claim or a page.
void Examiner::own(const Moment& moment) {
  for (const auto hook : hooks_.on(moment)) hook(moment, verdicts_);
  if (!moment.plain) return;
  holds(moment);
  if (const auto* view = moment.answer<JobView>()) sight(moment, view->job, view);
}

// Each job of a claim or a page may have had an instant of its own.
void Examiner::deliver(const Operation& operation, const Moment& whole, const Claim& claim) {
  if (!is_blurred(facts_, operation)) return deliver(whole, claim);
  const auto look = [&](const Moment& moment) { deliver(moment, claim); };
  look(at_best(operation, whole.alone, claim.job.id, look));
}

void Examiner::sight(const Operation& operation, const Moment& whole, const Job& shown) {
  if (!is_blurred(facts_, operation)) return sight(whole, shown, nullptr);
  const auto look = [&](const Moment& moment) { sight(moment, shown, nullptr); };
  look(at_best(operation, whole.alone, shown.id, look));
}

std::vector<std::size_t> Examiner::whole(const Operation& operation, bool alone) {
  const auto left = [&](const JobId& id) {
    for (const Part& part : operation.parts)
      if (part.id == id) return !part.judged;
    return true;
  };
  verdicts_.begin(operation.call->op);
  const auto look = [&](const Moment& at) { own(at); };
  const Moment moment = is_blurred(facts_, operation)
                            ? at_best(operation, alone, subject_of(operation), look)
                            : read(operation, alone, operation.now());
  look(moment);
  if (moment.plain) {
    if (const auto* claims = moment.answer<Claims>(); claims && moment.request<Reserve>())
      for (const Claim& claim : claims->claims)
        if (left(claim.job.id)) deliver(operation, moment, claim);
    if (const auto* page = moment.answer<JobPage>())
      for (const Job& shown : page->jobs)
        if (left(shown.id)) sight(operation, moment, shown);
  }
  std::vector<std::size_t> spoiled = verdicts_.take_spoiled();
  take_in(operation, alone);
  return spoiled;
}

void Examiner::take_in(const Operation& operation, bool alone) {
  const CallEvent& call = *operation.call;
  const ReturnEvent& end = *operation.end;
  const bool parted = std::ranges::any_of(operation.parts, &Part::judged);
  if (!parted) {
    facts_.apply(call, end, alone || is_only_switch(operation), operation.began, operation.ended);
  } else {
    facts_.apply_page(call, end);
    for (const Part& part : operation.parts)
      if (const JobFacts* job = part.judged ? nullptr : facts_.find(part.id))
        facts_.apply_to(call, end, job->index, false, operation.ended);
  }
  if (const auto* reserve = std::get_if<Reserve>(&call.request); reserve && !alone)
    for (const std::string& queue : reserve->queues) facts_.claim_ended(queue, operation.ended);
  for (const Part& part : operation.parts)
    if (const JobFacts* job = facts_.find(part.id)) facts_.touched(job->index, operation.ended);
}

bool Examiner::finds_nothing(const Operation& operation) const {
  if (operation.unknown || !std::holds_alternative<Reserve>(operation.call->request)) return false;
  if (const auto* claims = std::get_if<Claims>(&operation.end->response);
      operation.end->outcome == OutcomeKind::ok && claims && !claims->claims.empty())
    return false;
  return read(operation, false, operation.now()).plain;
}

// The claim overlapped nothing.
void Examiner::miss(Moment moment, std::string_view id) {
  const JobFacts& job = *facts_.find(id);
  const QueueFacts& queue = std::as_const(facts_).queue_of(job);
  if (queue.paused || queue.unsure || !facts_.surely_runnable(job, moment.now)) return;
  moment.missed = &job;
  for (const auto hook : hooks_.on(moment)) hook(moment, verdicts_);
}

void Examiner::part(const Operation& operation, std::string_view id) {
  verdicts_.begin(operation.call->op);
  const bool finds_none = finds_nothing(operation);
  const auto look = [&](const Moment& moment) {
    if (finds_none) return miss(moment, id);
    if (!moment.request<Reserve>() && !moment.request<List>()) return own(moment);
    if (!moment.plain) return;
    if (const auto* claims = moment.answer<Claims>())
      for (const Claim& claim : claims->claims)
        if (claim.job.id == id) deliver(moment, claim);
    if (const auto* page = moment.answer<JobPage>())
      for (const Job& shown : page->jobs)
        if (shown.id == id) sight(moment, shown, nullptr);
  };
  look(at_best(operation, false, id, look));
}

}  // namespace assay::judging
