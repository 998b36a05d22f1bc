// fairness: neither a busy queue nor fresh work keeps another job waiting for ever.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "properties/detail/engine.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

bool serves(const EngineWorker& worker, const std::string& queue) {
  return std::ranges::find(worker.queues, queue) != worker.queues.end();
}

// --- XFAIR-2: taking turns among queues ---

// A job that waits for its first claim, as a job of one queue among others.
struct Wait {
  JobId id = {};
  OpId enqueued = 0;
  Place from = 0, to = 0;  // its enqueue was answered, its claim was
  const Assignment* first = nullptr;
  std::int64_t passed = 0;
};
// One of another queue that a worker took who serves both.
struct Taken {
  const Assignment* assignment = nullptr;
  std::optional<Place> enqueued = {};  // it began; absent: not known
};

// How many so far are at a rank below.
class Ranks {
 public:
  explicit Ranks(std::size_t size) : sums_(size + 1) {}
  void add(std::size_t rank) {
    for (++rank; rank < sums_.size(); rank += rank & (~rank + 1)) ++sums_[rank];
  }
  std::int64_t below(std::size_t rank) const {
    std::int64_t sum = 0;
    for (; rank > 0; rank -= rank & (~rank + 1)) sum += sums_[rank];
    return sum;
  }

 private:
  std::vector<std::int64_t> sums_;
};

struct Turns {
  const EngineView& view;
  std::string queue;
  std::int64_t priority = 0;
  std::vector<Wait> waits = {};
  std::vector<Taken> taken = {};  // in the order in which they were

  std::size_t rank(Place place) const {
    const auto at = [](const Taken& one) { return one.assignment->at.place; };
    return static_cast<std::size_t>(std::ranges::lower_bound(taken, place, {}, at) - taken.begin());
  }
  bool may_pass(const Taken& one) const {
    return one.enqueued && one.assignment->claim.job.priority <= priority;
  }

  void find_taken() {
    for (const Assignment& other : view.facts.assignments) {
      if (other.worker < 0 || !other.run || other.claim.job.queue == queue) continue;
      if (!serves(view.worker(other.worker), queue)) continue;
      const auto* story = view.facts.job(other.claim.job.id);
      Taken one{&other};
      if (story->enqueued) one.enqueued = view.call(*story->enqueued).began.place;
      taken.push_back(one);
    }
  }

  // Those that came later and were taken first. From the last wait to the first, so that what came
  // later than a wait began is there when it is asked for.
  void count() {
    std::vector<std::size_t> later;
    for (std::size_t i = 0; i < taken.size(); ++i)
      if (may_pass(taken[i])) later.push_back(i);
    std::ranges::sort(later, std::greater<>(), [&](std::size_t i) { return *taken[i].enqueued; });
    std::ranges::sort(waits, std::greater<>(), &Wait::from);
    Ranks there(taken.size());
    auto next = later.begin();
    for (Wait& wait : waits) {
      for (; next != later.end() && *taken[*next].enqueued >= wait.from; ++next) there.add(*next);
      wait.passed = there.below(rank(wait.to));
    }
  }

  std::vector<OpId> witness(const Wait& wait) const {
    std::vector<OpId> ops{wait.enqueued};
    for (std::size_t i = rank(wait.from); i < rank(wait.to); ++i)
      if (may_pass(taken[i]) && *taken[i].enqueued >= wait.from)
        ops.push_back(view.claimed(*taken[i].assignment));
    ops.push_back(view.claimed(*wait.first));
    return ops;
  }

  void judge() {
    find_taken();
    count();
    for (const Wait& wait : waits) {
      if (rank(wait.to) - std::min(rank(wait.from + 1), rank(wait.to)) < 2) continue;
      const std::int64_t bearable = 4 + 2 * view.worker(wait.first->worker).number("concurrency") *
                                            static_cast<std::int64_t>(view.facts.workers.size());
      const bool holds = wait.passed <= bearable;
      view.expect("XFAIR-2", holds, holds ? std::vector<OpId>{wait.enqueued} : witness(wait), [&] {
        return fmt::format(
            "{} waited in {} while {} jobs of other queues that came later were taken.",
            view.job(wait.id), queue, wait.passed);
      });
    }
  }
};

void turns_among_queues(const EngineView& view) {
  std::map<std::pair<std::string, std::int64_t>, Turns> all;
  for (const auto& [id, story] : view.facts.jobs()) {
    if (!story.enqueued || story.assignments.empty()) continue;
    const EngineCall& enqueued = view.call(*story.enqueued);
    const NewJob& mine = std::get<Enqueue>(enqueued.request).job;
    if (mine.run_at && *mine.run_at > enqueued.began.now) continue;
    const Assignment& first = view.facts.assignments[story.assignments.front()];
    if (first.worker < 0 || view.worker(first.worker).queues.size() < 2) continue;
    // Messages come in no order.
    if (view.worker(first.worker).number("hears") > 0) continue;
    // Whoever lost an answer may have had it before, under whatever name.
    const bool may_be_lost = std::ranges::any_of(view.facts.outages, [&](const TimeAway& outage) {
      return outage.began.place <= first.at.place &&
             (!outage.ended || outage.ended->place >= enqueued.ended->place);
    });
    if (may_be_lost) continue;
    const auto key = std::pair(mine.queue, mine.priority.value_or(0));
    auto [at, is_new] = all.try_emplace(key, Turns{view, key.first, key.second});
    at->second.waits.push_back({id, enqueued.op, enqueued.ended->place, first.at.place, &first});
  }
  for (auto& [key, turns] : all) turns.judge();
}

// --- XFAIR-1: room for retries in a batch of claims ---

// A retry that can be had, from its settle until somebody claims it or something else becomes of
// it.
struct Waiting {
  const EngineCall* settle = nullptr;
  const Retry* retry = nullptr;
  JobId id = {};
  Place until = 0;
};

class Retries {
 public:
  explicit Retries(const EngineView& view) : view_(view) {
    find_changes();
    for (const auto& [id, story] : view.facts.jobs())
      for (const std::size_t change : story.changes) add(id, story, view.call(change));
    for (auto& [queue, some] : by_queue_)
      std::ranges::sort(some, {}, [](const Waiting& one) { return one.settle->ended->place; });
  }

  // One that could be had from before the call until its end, of one of its queues. Asked in the
  // order of the calls' beginnings.
  const Waiting* waiting_for(const EngineCall& call, const Reserve& request) {
    for (const std::string& queue : request.queues) {
      std::vector<Waiting>& open = open_[queue];
      auto& some = by_queue_[queue];
      for (std::size_t& next = next_[queue];
           next < some.size() && some[next].settle->ended->place < call.began.place; ++next)
        open.push_back(some[next]);
      std::erase_if(open, [&](const Waiting& one) { return one.until < call.began.place; });
      if (is_paused(queue, call)) continue;
      for (const Waiting& one : open)
        if (one.until > call.ended->place && one.retry->run_at < call.began.now) return &one;
    }
    return nullptr;
  }

 private:
  struct Change {
    Place ended = 0, began = 0;
  };
  // In the order of their ends; each knows when the first of those from it on began.
  struct Lost {
    Place ended = 0, first_began = 0;
  };

  // Cancels, requeues and pauses, also those that nobody knows the end of.
  void find_changes() {
    for (const EngineCall& call : view_.facts.calls) {
      if (call.refused()) continue;
      const Place ended = call.ended ? call.ended->place : view_.facts.last.place;
      if (const auto* claim = std::get_if<Reserve>(&call.request); claim && !call.ok())
        for (const std::string& queue : claim->queues)
          lost_[queue].push_back({ended, call.began.place});
      if (const auto* cancel = std::get_if<Cancel>(&call.request))
        changed_[cancel->job_id].push_back({ended, call.began.place});
      if (const auto* requeue = std::get_if<Requeue>(&call.request))
        changed_[requeue->job_id].push_back({ended, call.began.place});
      if (const auto* pause = std::get_if<Pause>(&call.request))
        pauses_[pause->queue].push_back(&call);
      if (const auto* resume = std::get_if<Resume>(&call.request))
        pauses_[resume->queue].push_back(&call);
    }
    sort_lost();
  }

  void add(const JobId& id, const EngineFacts::JobStory& story, const EngineCall& settle) {
    const auto* retry = std::get_if<Retry>(&settle.request);
    const auto* given = story.enqueued ? &view_.call(*story.enqueued) : nullptr;
    if (!retry || !settle.ok() || !given) return;
    if (retry->attempts < 1) return;  // put back, as fresh as it was
    const Place since = settle.ended->place;
    Place until = view_.facts.last.place + 1;
    for (const std::size_t index : story.assignments) {
      const Assignment& one = view_.facts.assignments[index];
      if (one.at.place > since) until = std::min(until, view_.call(one.claimed).began.place);
    }
    for (const Change& change : changed_[id])
      if (change.ended > since) until = std::min(until, std::max(change.began, since));
    const std::string& queue = std::get<Enqueue>(given->request).job.queue;
    until = std::min(until, perhaps_claimed(queue, since));
    by_queue_[queue].push_back({&settle, retry, id, until});
  }

  // When somebody may have claimed it whose answer was lost.
  Place perhaps_claimed(const std::string& queue, Place since) const {
    const auto at = lost_.find(queue);
    if (at == lost_.end()) return view_.facts.last.place + 1;
    const auto behind = std::ranges::upper_bound(at->second, since, {}, &Lost::ended);
    return behind == at->second.end() ? view_.facts.last.place + 1
                                      : std::max(since, behind->first_began);
  }

  void sort_lost() {
    for (auto& [queue, some] : lost_) {
      std::ranges::sort(some, {}, &Lost::ended);
      for (std::size_t i = some.size() - 1; i > 0; --i)
        some[i - 1].first_began = std::min(some[i - 1].first_began, some[i].first_began);
    }
  }

  // From the beginning of a pause to the end of the resume behind it.
  bool is_paused(const std::string& queue, const EngineCall& call) const {
    const auto at = pauses_.find(queue);
    if (at == pauses_.end()) return false;
    bool is = false;
    for (const EngineCall* change : at->second) {
      if (change->began.place > call.ended->place) break;
      const bool resumes = std::holds_alternative<Resume>(change->request);
      if (!resumes) is = true;
      if (resumes && change->ok() && change->ended->place < call.began.place) is = false;
    }
    return is;
  }

  const EngineView& view_;
  std::map<std::string, std::vector<Waiting>> by_queue_, open_;
  std::map<std::string, std::size_t> next_;
  std::map<JobId, std::vector<Change>> changed_;
  std::map<std::string, std::vector<const EngineCall*>> pauses_;
  std::map<std::string, std::vector<Lost>> lost_;
};

// A batch of claims while a retry could be had: fresh jobs that came later do not take its place.
void keeps_room_for_retries(const EngineView& view, Retries& retries, const EngineCall& call) {
  const auto* request = std::get_if<Reserve>(&call.request);
  const auto* claims = call.ok() ? std::get_if<Claims>(&call.response) : nullptr;
  if (!request || !claims || request->max < 2 || claims->claims.size() < 2) return;
  const Waiting* waiting = retries.waiting_for(call, *request);
  const bool has_retry = std::ranges::any_of(
      claims->claims, [&](const Claim& claim) { return view.run_number(claim) > 1; });
  if (has_retry && !waiting) view.verdicts.triggered("XFAIR-1");
  if (!waiting) return;
  const Instant due = waiting->retry->run_at;
  const bool was_passed = std::ranges::any_of(claims->claims, [&](const Claim& claim) {
    const auto* story = view.facts.job(claim.job.id);
    return story && story->enqueued && view.run_number(claim) == 1 &&
           view.call(*story->enqueued).began.now > due;
  });
  view.expect("XFAIR-1", has_retry || !was_passed, {waiting->settle->op, call.op}, [&] {
    return fmt::format(
        "{} could be tried again from {} on; this batch of {} has fresh jobs that "
        "came later, and no retry.",
        view.job(waiting->id), view.at(due), claims->claims.size());
  });
}

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  turns_among_queues(view);
  Retries retries(view);
  for (const EngineCall& call : facts.calls)
    if (call.worker >= 0) keeps_room_for_retries(view, retries, call);
}

constexpr std::string_view rules[] = {"XFAIR-1", "XFAIR-2"};

}  // namespace

Property fairness() {
  return {.family = "fairness", .rules = rules, .calls = no_call, .engine = engine};
}

}  // namespace assay::properties
