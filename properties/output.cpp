// output: what handlers leave in the store beside their jobs' ends: by nobody who lost the job,
// once however often it is tried, and all that belongs together at once.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "harness/plan/script.h"
#include "properties/detail/engine.h"
#include "properties/families.h"

namespace assay::properties {
namespace {

using Kind = EngineEvent::Kind;

struct Asked {
  OutputAct::Kind kind = OutputAct::Kind::put;
  std::string name = {}, value = {};
  std::optional<std::size_t> run = {};
  Mark at = {};
  std::optional<std::string> kept = {};  // answered so: what is there

  // As it is found.
  std::string key() const { return kind == OutputAct::Kind::append ? name + "/once" : name; }
};

struct Found {
  std::string name = {}, value = {};
  std::int64_t version = 0;
};

// All of one job.
struct Outputs {
  std::vector<Asked> asked = {};
  std::optional<std::string> read = {};  // in the end: "ok", or what kept it from being read
  std::vector<Found> found = {};

  const Found* find(const std::string& name) const {
    const auto at = std::ranges::find(found, name, &Found::name);
    return at == found.end() ? nullptr : &*at;
  }
  bool has_value(const std::string& value) const {
    return std::ranges::find(found, value, &Found::value) != found.end();
  }
};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  words.resize(std::max<std::size_t>(words.size(), 5));
  return words;
}

// A value is called by its run and its place in that: "job#2.1".
std::optional<std::size_t> run_in(const EngineFacts& facts, const JobId& id,
                                  const std::string& value) {
  const auto* story = facts.job(id);
  const std::size_t mark = value.rfind('#');
  std::size_t number = 0;
  if (!story || mark == value.npos) return std::nullopt;
  std::from_chars(value.data() + mark + 1, value.data() + value.size(), number);
  if (number < 1 || number > story->runs.size()) return std::nullopt;
  return story->runs[number - 1];
}

std::map<JobId, Outputs> outputs_in(const EngineFacts& facts) {
  std::map<JobId, Outputs> jobs;
  for (const Said& said : facts.said) {
    const auto words = words_of(said.event.word);
    const JobId& id = said.event.job_id;
    if (said.event.kind == Kind::output_asked) {
      Asked asked{output_kind_from(words[0]).value_or(OutputAct::Kind::put), words[1], words[2]};
      asked.run = run_in(facts, id, words[2]);
      asked.at = said.at;
      jobs[id].asked.push_back(std::move(asked));
    } else if (said.event.kind == Kind::output_answered) {
      auto& asked = jobs[id].asked;
      const auto at = std::ranges::find(asked, words[2], &Asked::value);
      if (at != asked.end() && words[3] == "ok") at->kept = words[4];
    } else if (said.event.kind == Kind::outputs_seen) {
      jobs[id].read = words[0];
    } else if (said.event.kind == Kind::output_seen) {
      const auto version = said.event.numbers.find("version");
      jobs[id].found.push_back(
          {words[0], words[1], version == said.event.numbers.end() ? 0 : version->second});
    }
  }
  return jobs;
}

class Judging {
 public:
  Judging(const EngineView& view, const JobId& id, const Outputs& outputs)
      : view_(view), id_(id), outputs_(outputs) {}

  void judge() const {
    if (outputs_.read) are_pinned();
    for (const std::size_t run : runs()) {
      are_fenced(run);
      if (outputs_.read == "ok") are_all_or_none(run);
    }
    are_idempotent();
  }

 private:
  enum class Success { none, maybe, certain };

  std::vector<std::size_t> runs() const {
    std::vector<std::size_t> all;
    for (const Asked& asked : outputs_.asked)
      if (asked.run && std::ranges::find(all, *asked.run) == all.end()) all.push_back(*asked.run);
    return all;
  }
  const HandlerRun& run_at(std::size_t index) const { return view_.facts.runs[index]; }
  OpId last_op() const { return view_.before(view_.facts.last); }

  // --- pinned to one version ---

  void are_pinned() const {
    if (outputs_.read == "ok") return;
    view_.convict("EFFECT-2", {last_op()},
                  fmt::format("the outputs of {} cannot be read as they were at one moment: {}.",
                              view_.job(id_), *outputs_.read));
  }

  // --- all that belongs together, or nothing ---

  Success success_of(const HandlerRun& run) const {
    const Assignment* mine = view_.under(run);
    if (!mine) return Success::maybe;
    Success success = Success::none;
    for (const std::size_t index : mine->settles) {
      const EngineCall& settle = view_.call(index);
      if (!std::holds_alternative<Ack>(settle.request) || settle.refused()) continue;
      if (settle.ok()) return Success::certain;
      success = Success::maybe;
    }
    return success;
  }

  // With the success of the run: by name, the last one that it staged. Of one that did not succeed
  // those count, too, that were not answered.
  std::map<std::string, std::string> staged_by(std::size_t run, bool with_unanswered) const {
    std::map<std::string, std::string> staged;
    for (const Asked& asked : outputs_.asked)
      if (asked.run == run && asked.kind != OutputAct::Kind::commit &&
          (asked.kept || with_unanswered))
        staged[asked.key()] = asked.value;
    return staged;
  }

  bool was_in_trouble(const HandlerRun& run) const {
    const Assignment* mine = view_.under(run);
    const auto& died = view_.worker(run.worker).died;
    if (run.ended && died && died->place > run.ended->place && died->now == run.ended->now)
      return true;
    return mine && std::ranges::any_of(mine->settles, [&](std::size_t index) {
             return view_.call(index).outcome == OutcomeKind::unknown;
           });
  }

  void are_all_or_none(std::size_t index) const {
    const HandlerRun& run = run_at(index);
    const Success success = success_of(run);
    const auto staged = staged_by(index, success == Success::none);
    if (staged.empty() || run.worker < 0) return;
    std::size_t there = 0;
    for (const auto& [name, value] : staged) {
      const Found* found = outputs_.find(name);
      if (found && found->value == value) ++there;
    }
    if (run.how == "ok" && was_in_trouble(run)) view_.verdicts.triggered("EFFECT-2");
    const auto tells = [&](const char* how) {
      view_.convict("EFFECT-2", {view_.before(run.began), last_op()},
                    fmt::format("{} {}, and {} of its {} outputs are there in the end.",
                                view_.run(run), how, there, staged.size()));
    };
    if (success == Success::certain && there < staged.size())
      tells("was acked");
    else if (success == Success::maybe && there > 0 && there < staged.size())
      tells("may have been acked");
    else if (success == Success::none && there > 0)
      tells("did not succeed");
  }

  // --- by nobody who lost the job ---

  bool was_taken_over(const Assignment& mine, Place before) const {
    return std::ranges::any_of(view_.facts.job(id_)->assignments, [&](std::size_t other) {
      const Mark& at = view_.facts.assignments[other].at;
      return at.place > mine.at.place && at.place < before;
    });
  }

  // Until when it may have been held at most.
  Instant good_until(const Assignment& mine) const {
    Instant until = mine.claim.expires_at;
    for (const std::size_t index : mine.heartbeats) {
      const EngineCall& beat = view_.call(index);
      if (beat.refused()) continue;
      const auto* extended = beat.ok() ? std::get_if<Extended>(&beat.response) : nullptr;
      until = std::max(
          until, extended ? extended->expires_at : beat.began.now + view_.facts.lease_of(mine));
    }
    return until;
  }

  bool was_lost(const HandlerRun& run, Mark at) const {
    const Assignment* mine = view_.under(run);
    if (!mine) return false;
    if (was_taken_over(*mine, at.place)) return true;
    // Elsewhere a lease that nobody took over is good for longer than it lasts.
    const bool ends_by_time = view_.facts.profile.late_settle == LateSettle::reject;
    return ends_by_time && at.now >= good_until(*mine);
  }

  void are_fenced(std::size_t index) const {
    const HandlerRun& run = run_at(index);
    for (const Asked& asked : outputs_.asked) {
      if (asked.run != index || !was_lost(run, asked.at)) continue;
      const bool is_written = outputs_.has_value(asked.value) ||
                              (asked.kind == OutputAct::Kind::commit && asked.kept == asked.value);
      view_.expect("FENCE-9", !is_written, {view_.before(run.began), view_.before(asked.at)}, [&] {
        return fmt::format("{} had lost its lease when it made the output {} at {}, and {}.",
                           view_.run(run), asked.name, view_.at(asked.at.now),
                           outputs_.has_value(asked.value) ? "that one is there in the end"
                                                           : "was told that it is kept");
      });
    }
  }

  // --- once, however often it is tried ---

  void are_idempotent() const {
    std::map<std::string, std::vector<const Asked*>> commits;
    for (const Asked& asked : outputs_.asked)
      if (asked.kind == OutputAct::Kind::commit) commits[asked.name].push_back(&asked);
    for (const auto& [name, asked] : commits) stays_as_it_is(name, asked);
    for (const std::size_t run : runs()) {
      const Assignment* mine = view_.under(run_at(run));
      if (mine && mine->settles.size() > 1 && !staged_by(run, false).empty())
        view_.verdicts.triggered("EFFECT-1");
    }
    if (outputs_.read == "ok")
      for (const Found& found : outputs_.found) was_written_once(found);
  }

  void stays_as_it_is(const std::string& name, const std::vector<const Asked*>& asked) const {
    const Asked* first = nullptr;
    const Asked* other = nullptr;
    bool is_again = false;
    for (const Asked* one : asked) {
      is_again = is_again || one->run != asked.front()->run;
      if (!one->kept) continue;
      if (!first) first = one;
      if (one->kept != first->kept && !other) other = one;
    }
    if (is_again) view_.verdicts.triggered("EFFECT-1");
    if (other)
      view_.convict("EFFECT-1", {view_.before(first->at), view_.before(other->at)},
                    fmt::format("{} was told that its output {} is {}, and later that it is {}.",
                                view_.job(id_), name, *first->kept, *other->kept));
    const Found* found = outputs_.find(name);
    if (first && outputs_.read == "ok" && (!found || found->value != *first->kept))
      view_.convict("EFFECT-1", {view_.before(first->at), last_op()},
                    fmt::format("the output {} of {} was kept as {}, and is {} in the end.", name,
                                view_.job(id_), *first->kept, found ? found->value : "not there"));
  }

  void was_written_once(const Found& found) const {
    const bool was_asked = std::ranges::any_of(
        outputs_.asked, [&](const Asked& asked) { return asked.key() == found.name; });
    if (was_asked && found.version == 1) return;
    view_.convict(
        "EFFECT-1", {last_op()},
        fmt::format("{} has the output {} in the end, at version {}: {}.", view_.job(id_),
                    found.name, found.version,
                    was_asked ? "it was written more than once" : "nobody made one of that name"));
  }

  const EngineView& view_;
  const JobId& id_;
  const Outputs& outputs_;
};

void engine(const EngineFacts& facts, Verdicts& verdicts) {
  const EngineView view{facts, verdicts};
  for (const auto& [id, outputs] : outputs_in(facts)) Judging(view, id, outputs).judge();
}

constexpr std::string_view rules[] = {"FENCE-9", "EFFECT-1", "EFFECT-2"};

}  // namespace

Property output() {
  return {.family = "output", .rules = rules, .calls = no_call, .engine = engine};
}

}  // namespace assay::properties
