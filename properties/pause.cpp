// pause: a paused queue hands nothing out, keeps everything, and goes on when it is resumed.
#include <fmt/format.h>

#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static void reserve(const Moment& m, const Reserve& request, Verdicts& v) {
  each_asked(m, request, [&](const QueueFacts& queue) {
    bool tempts = !queue.waiting.empty() && queue.waiting.begin()->first <= m.now;
    bool over = !queue.leased.empty() && m.facts.lease_dead(queue.leased.begin()->first, m.now);
    if (queue.paused && (tempts || over)) v.triggered("PAUSE-1");
  });
  if (m.missed && m.missed->resumed)
    v.convict("PAUSE-3", m.missed, {m.missed->changed_at},
              fmt::format("{} waited while its queue was paused; after the resume this claim found "
                          "nothing.",
                          words::job(*m.missed)));
}

static void operation(const Moment& m, Verdicts& v) {
  if (!m.plain) return;
  if (m.request<Pause>() && !m.ok())
    v.convict("PAUSE-1", nullptr, {}, fmt::format("a pause was {}.", words::outcome(m)));
  if (m.request<Resume>() && !m.ok())
    v.convict("PAUSE-3", nullptr, {}, fmt::format("a resume was {}.", words::outcome(m)));
  if (const auto* request = m.request<Reserve>()) reserve(m, *request, v);
  const auto* request = m.request<Get>();
  const JobFacts* job = request ? m.facts.find(request->job_id) : nullptr;
  if (!job || job->spoiled || !job->paused_at_birth || job->phase != Phase::waiting) return;
  v.expect("PAUSE-2", m.ok(), *job, {job->born}, [&] {
    return fmt::format("{} was enqueued in {} while its queue was paused; looking at it was {}.",
                       words::job(*job), words::op(job->born), words::outcome(m));
  });
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  const QueueFacts& queue = m.facts.queue_of(d.job);
  // A claim that was under way may have come before the pause, but not before the job was there.
  bool behind = queue.paused_since < m.began || queue.paused_since < d.job.born_began;
  bool sure = !queue.unsure && (m.alone || (behind && !m.resuming));
  if (sure && queue.paused && m.now >= queue.paused_at + m.profile.visibility_lag_max)
    v.convict("PAUSE-1", &d.job, {queue.paused_by},
              fmt::format("queue \"{}\" is paused since {}, but {} of it was handed out.",
                          d.job.given.queue, words::op(queue.paused_by), words::job(d.job)));
  if (d.job.resumed) v.triggered("PAUSE-3");
}

static constexpr std::string_view rules[] = {"PAUSE-1", "PAUSE-2", "PAUSE-3"};

Property pause() {
  return {
      "pause", rules, operation, nullptr, delivery, nullptr, calls_of<Pause, Resume, Reserve, Get>};
}

}  // namespace assay::properties
