// state: declared states, one at a time, declared moves between them, and no way out of the last
// ones.
//
// The net behind the other families: an answer that no accepted call explains is convicted here at
// least.
#include <fmt/format.h>

#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static bool terminal(const JobFacts& job) {
  return job.phase == Phase::done || job.phase == Phase::dead || job.phase == Phase::cancelled;
}

static std::string standing_as(const Moment& m, const JobFacts& job) {
  return fmt::format("{} is {} since {}", words::job(job), words::phase(m.facts, job, m.now),
                     words::op(job.changed_at));
}

static bool declared(const Profile& profile, JobState state) {
  if (state < JobState::scheduled || state > JobState::cancelled) return false;
  return state != JobState::cancelled || profile.has("cancel");
}

// A producer's valid job that nothing stands in the way of.
static void plain_enqueue(const Moment& m, const Enqueue& request, Verdicts& v) {
  const auto* holders = m.facts.holders(request.job);
  bool id_free = !request.job.id || !m.facts.find(*request.job.id);
  bool key_free = !request.job.key || m.profile.idem == Idem::none || !holders;
  bool perhaps_made = m.facts.key_perhaps_taken(request.job) ||
                      (request.job.id && m.facts.perhaps_made(*request.job.id));
  if (!id_free || !key_free || perhaps_made || m.key_unsure) return;
  v.triggered("STATE-3");
  const auto* answer = m.answer<Enqueued>();
  if (!answer)
    v.convict("STATE-3", nullptr, {},
              fmt::format("a valid new job was not taken in: {}.", words::outcome(m)));
  else if (request.job.id && answer->id != *request.job.id)
    v.convict("STATE-3", nullptr, {},
              "a job was taken in under another id than the one it brought.");
  else if (answer->existed || answer->id.empty())
    v.convict("STATE-3", nullptr, {},
              answer->existed ? "a new job was answered as one that existed."
                              : "a new job was given no id.");
}

static void operation(const Moment& m, Verdicts& v) {
  if (!m.plain) return;
  if (const auto* request = m.request<Enqueue>()) plain_enqueue(m, *request, v);
  const auto* requeue = m.request<Requeue>();
  const JobFacts* job = requeue ? m.facts.find(requeue->job_id) : nullptr;
  if (!job || job->spoiled) return;
  bool finished = job->phase == Phase::done || job->phase == Phase::cancelled;
  auto story = [&] { return standing_as(m, *job) + ", but was requeued."; };
  if (finished) v.expect("STATE-4", m.refused(), *job, {job->changed_at}, story);
  if (job->phase == Phase::waiting)
    v.expect("STATE-3", m.refused(), *job, {job->changed_at}, story);
}

static void hold(const Moment& m, const HoldUse& use, Verdicts& v) {
  if (use.standing == Standing::current)
    v.expect("STATE-3", m.ok(), use.job, {use.job.lease().op}, [&] {
      return fmt::format("the holder of {} was {} although its lease runs until {}.",
                         words::job(use.job), words::outcome(m),
                         words::at(m, use.job.lease().expires_at));
    });
  if (m.profile.late_settle == LateSettle::unfenced || m.profile.fence == Fence::none) return;
  bool foreign_ack = use.kind == Change::ack && use.job.phase == Phase::done &&
                     m.profile.resettle_foreign == Resettle::ok;
  if (terminal(use.job) && use.standing != Standing::repeat && !foreign_ack)
    v.expect("STATE-4", m.refused(), use.job, {use.job.changed_at}, [&] {
      return standing_as(m, use.job) +
             fmt::format(", but {} was accepted.", name_of(m.call.request));
    });
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  bool eligible =
      d.job.phase == Phase::waiting ? d.job.not_before <= m.now : m.facts.lapsed(d.job, m.now);
  auto story = [&] { return standing_as(m, d.job) + ", but was handed out."; };
  v.expect("STATE-3", eligible, d.job, {d.job.changed_at}, story);
  if (terminal(d.job)) v.convict("STATE-4", &d.job, {d.job.changed_at}, story());
}

static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  const auto* list = m.request<List>();
  auto story = [&] {
    return standing_as(m, s.job) + fmt::format(", but shown as {}{}.", words::state(s.shown.state),
                                               s.whole && s.whole->lease  ? ", with a lease"
                                               : s.whole && s.whole->dead ? ", with an obituary"
                                                                          : "");
  };
  v.expect("STATE-1", declared(m.profile, s.shown.state), s.job, {s.job.changed_at}, story);
  bool leased_too = s.whole && s.whole->lease && s.shown.state != JobState::leased;
  bool listed_wrong = list && list->state && *list->state != s.shown.state;
  bool never_died = s.job.died.hi == Instant{};
  bool dead_too = s.whole && s.whole->dead && s.shown.state != JobState::dead && never_died;
  v.expect("STATE-2", !leased_too && !dead_too && !listed_wrong, s.job, {s.job.changed_at}, [&] {
    return listed_wrong
               ? fmt::format("{} is listed among the {} jobs, but shown as {}.", words::job(s.job),
                             words::state(*list->state), words::state(s.shown.state))
               : story();
  });
  v.expect("STATE-3", s.as_expected(), s.job, {s.job.changed_at}, story);
  bool other_error = !m.facts.lapsed(s.job, m.now) && s.job.last_error && s.shown.last_error &&
                     *s.job.last_error != *s.shown.last_error;
  if (other_error)
    v.convict("STATE-3", &s.job, {s.job.changed_at},
              fmt::format("{} failed last with \"{}\", but is shown with \"{}\".",
                          words::job(s.job), *s.job.last_error, *s.shown.last_error));
  if (terminal(s.job)) v.expect("STATE-4", s.as_expected(), s.job, {s.job.changed_at}, story);
}

static constexpr std::string_view rules[] = {"STATE-1", "STATE-2", "STATE-3", "STATE-4"};

Property state() {
  return {"state", rules, operation, hold, delivery, sighting, calls_of<Enqueue, Requeue>};
}

}  // namespace assay::properties
