// recurring: a schedule makes one job a window, and of windows that nobody saw in time what it was
// declared to.
#include "harness/plan/recurring.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "properties/detail/cron_minutes.h"
#include "properties/detail/engine.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

// Jobs of one schedule that were to be made together.
struct Firing {
  int worker = -1;
  Mark at = {};
  std::int64_t jobs = 0;
  std::size_t last = 0;  // of its calls
  bool is_certain = true;
  bool is_refused = true;
  std::vector<OpId> ops = {};
};

struct Pausing {
  Mark from = {};
  std::optional<Mark> to = {};
};

class OneSchedule {
 public:
  OneSchedule(const EngineView& view, Recurring recurring, CronMinutes cron, Mark declared)
      : view_(view), what_(std::move(recurring)), cron_(std::move(cron)), declared_(declared) {}

  void paused(Mark at) {
    if (pauses_.empty() || pauses_.back().to) pauses_.push_back({at, {}});
  }
  void resumed(Mark at) {
    if (!pauses_.empty() && !pauses_.back().to) pauses_.back().to = at;
  }
  void give_up() { is_unsure_ = true; }

  void judge() {
    if (is_unsure_ || is_paused_at_a_window()) return;
    find_firings();
    if (!each_firing_is_right()) return;
    each_window_is_seen();
  }

 private:
  // At such an instant nobody can say which came first.
  bool is_paused_at_a_window() const {
    return std::ranges::any_of(pauses_, [&](const Pausing& pause) {
      return cron_.fits(pause.from.now) || (pause.to && cron_.fits(pause.to->now));
    });
  }

  void find_firings() {
    const std::string mark = mark_of_recurring(what_.name);
    for (std::size_t i = 0; i < view_.facts.calls.size(); ++i) {
      const EngineCall& call = view_.call(i);
      const auto* made = std::get_if<Enqueue>(&call.request);
      if (!made || call.worker < 0 || !made->job.payload.ends_with(mark)) continue;
      const bool goes_on = !firings_.empty() && firings_.back().worker == call.worker &&
                           firings_.back().last + 1 == i &&
                           firings_.back().at.now == call.began.now;
      if (!goes_on) firings_.push_back({call.worker, call.began});
      Firing& firing = firings_.back();
      firing.last = i;
      ++firing.jobs;
      firing.is_certain = firing.is_certain && call.ok();
      firing.is_refused = firing.is_refused && call.refused();
      firing.ops.push_back(call.op);
    }
    std::erase_if(firings_, [](const Firing& firing) { return firing.is_refused; });
  }

  bool is_paused(Instant window) const {
    return std::ranges::any_of(pauses_, [&](const Pausing& pause) {
      return pause.from.now <= window && (!pause.to || window <= pause.to->now);
    });
  }

  // So many jobs the windows make that nobody dealt with since then.
  std::int64_t due(Instant since, Instant now) const {
    std::int64_t in_time = 0, missed = 0;
    for (const Instant window : cron_.between(since, now))
      if (!is_paused(window)) ++(window >= now - what_.in_time ? in_time : missed);
    switch (what_.missed) {
      case Recurring::Missed::skip:
        return in_time;
      case Recurring::Missed::catch_up:
        return std::min(missed, what_.bound) + in_time;
      case Recurring::Missed::latest:
        break;
    }
    return std::min<std::int64_t>(missed + in_time, 1);
  }

  // Who resumes a schedule begins anew; whether what was missed before the pause is made up for is
  // not said.
  void pass_resumes(Place until, std::set<Instant>& since) {
    for (; next_pause_ < pauses_.size(); ++next_pause_) {
      const auto& to = pauses_[next_pause_].to;
      if (!to || to->place > until) return;
      since.insert(to->now);
    }
  }

  bool each_firing_is_right() {
    std::set<Instant> since{declared_.now};  // what is dealt with, by all that is known
    for (const Firing& firing : firings_) {
      pass_resumes(firing.at.place, since);
      const bool is_due = std::ranges::any_of(
          since, [&](Instant from) { return due(from, firing.at.now) == firing.jobs; });
      if (!firing.is_certain) {
        since.insert(firing.at.now);
        continue;
      }
      const bool is_still = std::ranges::any_of(pauses_, [&](const Pausing& pause) {
        return pause.from.place < firing.at.place &&
               (!pause.to || firing.at.place < pause.to->place);
      });
      view_.expect("XCRON-1", is_due && !is_still, firing.ops, [&] {
        return fmt::format("the schedule {} ({}, {}) made {} jobs at {}{}; {} are due then.",
                           what_.name, what_.cron, name_of(what_.missed), firing.jobs,
                           view_.at(firing.at.now), is_still ? ", although it is paused" : "",
                           due(*since.begin(), firing.at.now));
      });
      if (!is_due || is_still) return false;
      since = {firing.at.now};
    }
    return true;
  }

  // Whether one who makes jobs was at work from well before the window until a little after it.
  bool is_attended(Instant window, Duration patience) const {
    const auto& workers = view_.facts.workers;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      const EngineWorker& worker = workers[i];
      if (worker.number("scheduler") == 0) continue;
      const Duration lead = worker.length("outage_ms") + patience;
      const Instant from = window - lead, to = window + patience;
      if (worker.started.now > window) continue;
      const auto ended_by = [&](const std::optional<Mark>& end) { return end && end->now <= to; };
      if (ended_by(worker.stopping) || ended_by(worker.died) || ended_by(worker.ended)) continue;
      const bool was_cut_off = std::ranges::any_of(view_.facts.outages, [&](const TimeAway& away) {
        if (away.worker && *away.worker != static_cast<int>(i)) return false;
        return away.began.now <= to && (!away.ended || away.ended->now >= from);
      });
      if (!was_cut_off) return true;
    }
    return false;
  }

  void each_window_is_seen() {
    Duration patience{0};
    for (const EngineWorker& worker : view_.facts.workers)
      if (worker.number("scheduler") > 0) patience = 2 * worker.length("poll_ms");
    if (patience == Duration{0}) return;
    auto next = firings_.begin();
    for (const Instant window :
         cron_.between(declared_.now, view_.facts.last.now - patience - Duration{1})) {
      if (is_paused(window) || !is_attended(window, patience)) continue;
      while (next != firings_.end() && next->at.now < window) ++next;
      const bool is_seen = next != firings_.end() && next->at.now <= window + patience;
      view_.expect("XCRON-1", is_seen, {view_.before({view_.facts.last.place, window})}, [&] {
        return fmt::format(
            "the schedule {} ({}) was to make a job at {}, and somebody was there to; by {} there "
            "was none.",
            what_.name, what_.cron, view_.at(window), view_.at(window + patience));
      });
      if (!is_seen) return;
    }
  }

  const EngineView& view_;
  const Recurring what_;
  const CronMinutes cron_;
  const Mark declared_;
  std::vector<Pausing> pauses_;
  std::size_t next_pause_ = 0;
  std::vector<Firing> firings_;
  bool is_unsure_ = false;
};

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  std::map<std::string, OneSchedule> all;
  for (const ScheduleChange& change : facts.schedules) {
    const bool declares = change.kind == EngineEvent::Kind::schedule_declared;
    const auto declared = declares ? recurring_from(change.word) : std::nullopt;
    const std::string name = declared ? declared->name : change.word;
    const auto at = all.find(name);
    if (declares && at == all.end() && declared) {
      const auto cron = CronMinutes::read(declared->cron);
      if (!cron) continue;
      const auto made = all.emplace(name, OneSchedule(view, *declared, *cron, change.at)).first;
      if (change.perhaps) made->second.give_up();
    } else if (at != all.end()) {
      if (change.perhaps || declares) at->second.give_up();
      if (change.kind == EngineEvent::Kind::schedule_paused) at->second.paused(change.at);
      if (change.kind == EngineEvent::Kind::schedule_resumed) at->second.resumed(change.at);
    }
  }
  for (auto& [name, schedule] : all) schedule.judge();
}

constexpr std::string_view rules[] = {"XCRON-1"};

}  // namespace

Property recurring() {
  return {.family = "recurring", .rules = rules, .calls = no_call, .engine = engine};
}

}  // namespace assay::properties
