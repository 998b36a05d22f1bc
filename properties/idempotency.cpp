// idempotency: what a key that was used before does to an enqueue and to a requeue.
#include <fmt/format.h>

#include "properties/detail/content.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

enum class Held { free, taken, perhaps };

struct Holder {
  Held held = Held::free;
  const JobFacts* job = nullptr;  // the one that has it, or had it last
};

// Who has the key while it is active.
static Holder active_holder(const Moment& m, const NewJob& given, const JobFacts* but) {
  Holder found;
  const auto* holders = m.facts.holders(given);
  if (!holders) return found;
  for (JobIndex index : *holders) {
    const JobFacts& job = m.facts.job(index);
    if (&job == but) continue;
    found.job = &job;
    if (job.spoiled) return {Held::perhaps, &job};
    if (m.facts.lapsed(job, m.now) && m.facts.perhaps_exhausted(job)) return {Held::perhaps, &job};
    if (job.phase == Phase::waiting || job.phase == Phase::leased) return {Held::taken, &job};
  }
  return found;
}

static std::string has_key(const Moment& m, const JobFacts& job) {
  return fmt::format("{} ({}, since {}) was enqueued with this key in {}", words::job(job),
                     words::phase(m.facts, job, m.now), words::op(job.changed_at),
                     words::op(job.born));
}

// A replay takes its key along, so that more than one job may have it.
static void return_existing(const Moment& m, const std::vector<JobIndex>& holders, Verdicts& v) {
  const JobFacts& job = m.facts.job(holders.front());
  const auto* answer = m.answer<Enqueued>();
  auto story = [&] {
    return has_key(m, job) + fmt::format("; enqueueing with it again was {}{}.", words::outcome(m),
                                         answer ? ", and answered with job " + answer->id : "");
  };
  bool given_back = false;
  for (JobIndex index : holders) given_back |= answer && answer->id == m.facts.job(index).id;
  v.expect("IDEMP-1", given_back, job, {job.born}, story);
  v.expect("IDEMP-2", !answer || given_back, job, {job.born}, story);
  v.expect("XIDEMP-1", !given_back || answer->existed, job, {job.born},
           [&] { return has_key(m, job) + ", but the answer says that it did not exist."; });
}

static void reject_active(const Moment& m, const Holder& holder, Verdicts& v) {
  const JobFacts& job = *holder.job;
  auto story = [&] {
    return has_key(m, job) + fmt::format("; enqueueing with it again was {}.", words::outcome(m));
  };
  if (holder.held == Held::perhaps) return;
  if (holder.held == Held::taken) {
    v.expect("IDEMP-3", m.refused(), job, {job.born}, story);
    if (m.refused()) v.expect("ERR-3", m.refused(ErrorCode::duplicate_key), job, {job.born}, story);
    if (job.cause == Cause::requeue) v.expect("IDEMP-7", m.refused(), job, {job.changed_at}, story);
    return;
  }
  const auto* answer = m.answer<Enqueued>();
  v.expect("IDEMP-4", answer && !answer->existed, job, {job.changed_at}, story);
  v.expect("IDEMP-5", answer != nullptr, job, {job.changed_at}, story);
}

// The key's text was seen, but in another queue or type: another key.
static void another_scope(const Moment& m, Verdicts& v) {
  const auto* answer = m.answer<Enqueued>();
  v.triggered("XIDEMP-1");
  if (answer && !answer->existed) return;
  std::string story = fmt::format(
      "this key was used elsewhere only, which is another key; enqueueing with it was {}{}.",
      words::outcome(m), answer ? ", as a job that existed" : "");
  v.convict("XIDEMP-1", nullptr, {}, story);
  v.convict("IDEMP-3", nullptr, {}, story);
}

// Neither the key, if there is one, nor the id was ever used.
static void unheard_of(const Moment& m, const NewJob& given, Verdicts& v) {
  const auto* answer = m.answer<Enqueued>();
  if (answer && answer->existed && !m.facts.perhaps_made(answer->id))
    v.convict("XIDEMP-1", nullptr, {},
              fmt::format("{}, but the answer says that the job existed.",
                          given.key ? "nobody used this key before" : "the job has no key"));
}

// IDEMP-10: whatever the order of enqueues at one time was, it makes one job.
static void race(const Moment& m, const NewJob& given, Verdicts& v) {
  if (!m.key_race) return;
  v.triggered("IDEMP-10");
  const auto* answer = m.answer<Enqueued>();
  const JobFacts* rival = m.rival;
  if (!answer || answer->existed || !rival || rival->id == answer->id) return;
  std::string story = fmt::format(
      "{} and {} enqueued with one key (\"{}\") at the same time, and made two jobs, {} and {}.",
      words::op(rival->born), words::op(m.op()), *given.key, rival->id, answer->id);
  v.convict("IDEMP-10", rival, {rival->born}, story);
  v.convict(m.profile.idem == Idem::return_existing ? "IDEMP-2" : "IDEMP-3", rival, {rival->born},
            story);
}

static void enqueue(const Moment& m, const NewJob& given, Verdicts& v) {
  if (m.key_unsure) return race(m, given, v);
  if (given.id && (m.facts.find(*given.id) || m.facts.perhaps_made(*given.id))) return;
  if (!given.key) return unheard_of(m, given, v);
  if (m.profile.idem == Idem::none || m.facts.key_perhaps_taken(given)) return;
  Holder holder = active_holder(m, given, nullptr);
  if (!holder.job) {
    if (m.facts.key_known(*given.key))
      another_scope(m, v);
    else
      unheard_of(m, given, v);
  } else if (m.profile.idem == Idem::return_existing) {
    const auto& holders = *m.facts.holders(given);
    if (!m.facts.job(holders.front()).spoiled) return_existing(m, holders, v);
  } else {
    reject_active(m, holder, v);
  }
}

// A manual retry takes its key back, or is refused where another has it.
static void requeue(const Moment& m, const Requeue& request, Verdicts& v) {
  const JobFacts* job = m.facts.find(request.job_id);
  if (!job || job->spoiled || job->phase != Phase::dead || !job->recorded || m.key_unsure) return;
  if (m.profile.idem != Idem::reject_active || !job->given.key) return;
  Holder holder = active_holder(m, job->given, job);
  if (holder.held != Held::taken) return;
  bool refused = m.refused(ErrorCode::conflict) || m.refused(ErrorCode::duplicate_key);
  v.expect("IDEMP-8", refused, *job, {holder.job->born}, [&] {
    return has_key(m, *holder.job) + fmt::format("; requeueing {}, which has the same key, was {}.",
                                                 words::job(*job), words::outcome(m));
  });
}

// IDEMP-2: a job that nobody was told of, with a key that is another's or with what an enqueue
// brought that was answered with another.
static void second_job(const Moment& m, const Job& shown, Verdicts& v) {
  if (m.facts.find(shown.id) || m.facts.perhaps_made(shown.id)) return;
  if (const auto* again = m.facts.asked_again(shown.queue))
    for (const auto& [index, asked] : *again) {
      const JobFacts& job = m.facts.job(index);
      if (asked.type != shown.type || asked.payload != shown.payload || !asked.key) continue;
      v.convict(
          "IDEMP-2", &job, job.repeated,
          has_key(m, job) + fmt::format("; an enqueue with it was answered with that job, but "
                                        "made a second one, {}.",
                                        shown.id));
      return;
    }
  if (!shown.key) return;
  NewJob given;
  given.queue = shown.queue;
  given.type = shown.type;
  given.key = shown.key;
  const auto* holders = m.facts.holders(given);
  if (!holders) return;
  const JobFacts& job = m.facts.job(holders->front());
  v.convict("IDEMP-2", &job, {job.born},
            has_key(m, job) + fmt::format(", but there is a second job {} with it.", shown.id));
}

static void operation(const Moment& m, Verdicts& v) {
  if (!m.plain) return;
  if (const auto* answer = m.answer<Claims>())
    for (const Claim& claim : answer->claims) second_job(m, claim.job, v);
  if (const auto* page = m.answer<JobPage>())
    for (const Job& shown : page->jobs) second_job(m, shown, v);
  if (const auto* request = m.request<Enqueue>()) enqueue(m, request->job, v);
  if (const auto* request = m.request<Requeue>()) requeue(m, *request, v);
}

static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  if (s.job.repeated.empty() || s.job.changed_by != Change::enqueue || !s.job.given.key) return;
  const char* field = differing_field(m, s.job, s.shown);
  v.expect("XIDEMP-1", !field, s.job, s.job.repeated, [&] {
    return fmt::format(
        "{} enqueued with the key of {} again and was answered with it, but the {} of "
        "the stored job changed.",
        words::op(s.job.repeated.back()), words::job(s.job), field);
  });
}

static constexpr std::string_view rules[] = {"IDEMP-1",  "IDEMP-2", "IDEMP-3", "IDEMP-4",
                                             "IDEMP-5",  "IDEMP-7", "IDEMP-8", "IDEMP-10",
                                             "XIDEMP-1", "ERR-3"};

Property idempotency() {
  return {"idempotency",
          rules,
          operation,
          nullptr,
          nullptr,
          sighting,
          calls_of<Enqueue, Reserve, List, Requeue>};
}

}  // namespace assay::properties
