// What is done about flows from outside: cancelled, swept, forgotten.
#include <set>

#include "engine/detail/flow_desk.h"

namespace assay::engine::detail {
namespace {

// A commit that was under way when the flow was cancelled may end that much later, and enqueue.
constexpr Duration stragglers_come_within = std::chrono::minutes(1);

Status stop_for_good(FlowDesk& desk, Records& records, FlowMoves& moves, const std::string& id) {
  for (int tries = 0; tries < 100; ++tries) {
    const auto stop = moves.stop(id);
    if (!stop.ok()) return stop.error();
    if (*stop && (*stop)->value.is_cancelled) return Done{};
    Commit commit;
    commit.puts.push_back({key_of(id, Part::stop), packed(Stop{true, "", desk.clock.now()}),
                           *stop ? (*stop)->version : 0});
    const auto done = records.commit(desk.clock.now(), commit);
    if (done.ok()) {
      desk.tell(FlowStopped{id, "", true});
      return Done{};
    }
    if (!is_conflict(done.error())) return done.error();
  }
  return Error{ErrorCode::unavailable, "others were faster each time", LeaseReason::unstated, true};
}

Status recorded(FlowMoves& moves, const MemberEnd& end, Swept* swept = nullptr) {
  const auto done = moves.record(end, std::monostate{});
  if (!done.ok()) return done.error();
  if (swept && done->applied) ++swept->deaths;
  return Done{};
}

// One member of a flow that is cancelled and may be enqueued.
Status cancel_member(FlowDesk& desk, Session& session, FlowMoves& moves, const MemberName& name,
                     FlowCancelled& count) {
  const JobId id = member_name(name.flow, name.path);
  const auto seen = session.get(desk.clock.now(), {id});
  if (!seen.ok() && seen.error().code == ErrorCode::not_found) return Done{};
  if (!seen.ok()) return seen.error();
  switch (seen->job.state) {
    case JobState::leased:
      ++count.running;
      return Done{};
    case JobState::done:
      return Done{};
    case JobState::dead:
      return recorded(moves, {name, id, Outcome::dead, {}, seen->job.last_error.value_or("")});
    case JobState::cancelled:
      return recorded(moves, {name, id, Outcome::cancelled, {}, ""});
    case JobState::scheduled:
    case JobState::ready:
      break;
  }
  if (!desk.profile.has("cancel")) return ++count.left, Done{};
  const auto cancelled = session.cancel(desk.clock.now(), {id});
  if (!cancelled.ok()) {
    if (is_trouble(cancelled.error())) return cancelled.error();
    return ++count.running, Done{};  // it ended meanwhile, or will
  }
  ++count.cancelled;
  return recorded(moves, {name, id, Outcome::cancelled, {}, "the flow was cancelled"});
}

Status cancel_members(FlowDesk& desk, Session& session, FlowMoves& moves, const std::string& id,
                      const KnownFlow& known, FlowCancelled& count) {
  Status status = Done{};
  visit_steps(known.shape, root_path, [&](const std::string& path, const Shape&) {
    if (!status.ok()) return;
    const auto ended = moves.member(id, path);
    if (!ended.ok())
      status = ended.error();
    else if (!*ended)
      status = cancel_member(desk, session, moves, {id, "", path}, count);
  });
  return status;
}

}  // namespace

Result<FlowCancelled> cancel_flow(FlowDesk& desk, const std::string& id) {
  FlowCancelled count;
  return desk.ask(
      [&](Session& session, Records& records, FlowMoves& moves) -> Result<FlowCancelled> {
        const auto known = known_flow(moves, id);
        if (!known.ok()) return known.error();
        const auto state = state_of(records, moves, desk.clock.now(), id, known->header);
        if (!state.ok()) return state.error();
        if (*state == FlowState::submitting)
          return conflict("the flow " + id + " is being submitted");
        const auto left = moves.left(id, root_path);
        if (!left.ok()) return left.error();
        if (*left == 0) return FlowCancelled{};
        if (auto done = stop_for_good(desk, records, moves, id); !done.ok()) return done.error();
        count.running = count.left = 0;  // of an earlier try
        if (auto done = cancel_members(desk, session, moves, id, *known, count); !done.ok())
          return done.error();
        return count;
      });
}

namespace {

class Sweep {
 public:
  explicit Sweep(FlowDesk& desk) : desk_(desk) {}

  Result<Swept> all(const std::optional<std::string>& id) {
    if (auto done = id ? take(*id) : take_open(); !done.ok()) return done.error();
    for (const std::string& queue : queues_)
      for (const JobState state : {JobState::dead, JobState::cancelled})
        if (auto done = find_ended(queue, state); !done.ok()) return done.error();
    for (const std::string& flow : flows_) {
      const Status done =
          desk_.ask([&](Session&, Records&, FlowMoves& moves) { return moves.catch_up(flow); });
      if (!done.ok()) return done.error();
      if (auto closed = close(flow); !closed.ok()) return closed.error();
    }
    return swept_;
  }

 private:
  Status take(const std::string& id) {
    return desk_.ask([&](Session&, Records&, FlowMoves& moves) -> Status {
      const auto header = moves.header(id);
      if (!header.ok()) return header.error();
      if (!*header || !(*header)->value.is_whole) return Done{};
      if (flows_.insert(id).second) ++swept_.flows;
      queues_.insert((*header)->value.queues.begin(), (*header)->value.queues.end());
      return Done{};
    });
  }

  Status take_open() {
    Scan scan{open_ones, {}, most_in_page};
    for (;;) {
      const auto page = desk_.ask([&](Session&, Records& records, FlowMoves&) {
        return records.scan(desk_.clock.now(), scan);
      });
      if (!page.ok()) return page.error();
      for (const Record& record : page->records)
        if (auto done = take(record.key.substr(scan.prefix.size())); !done.ok()) return done;
      if (!page->more || page->records.empty()) return Done{};
      scan.after = page->records.back().key;
    }
  }

  // Jobs that ended and told nobody.
  Status find_ended(const std::string& queue, JobState state) {
    List list{queue, state, 100, {}};
    for (;;) {
      const auto page = desk_.ask([&](Session& session, Records&, FlowMoves&) {
        return session.list(desk_.clock.now(), list);
      });
      if (!page.ok()) return page.error();
      for (const Job& job : page->jobs) {
        const auto name = member_of(job);
        if (!name || !flows_.contains(name->flow)) continue;
        const Status done = desk_.ask(
            [&](Session&, Records&, FlowMoves& moves) { return note(moves, *name, job, state); });
        if (!done.ok()) return done;
      }
      if (!page->cursor) return Done{};
      list.cursor = page->cursor;
    }
  }

  Status note(FlowMoves& moves, const MemberName& name, const Job& job, JobState state) {
    if (name.errand == "launch") return moves.launch(name.flow, name.path);
    if (name.errand == "skip") return moves.skip(name.flow, name.path);
    const auto ended = moves.member(name.flow, name.path);
    if (!ended.ok()) return ended.error();
    if (*ended) return Done{};
    const bool is_dead = state == JobState::dead;
    return recorded(moves,
                    {name,
                     job.id,
                     is_dead ? Outcome::dead : Outcome::cancelled,
                     {},
                     is_dead ? job.last_error.value_or("") : "it was cancelled"},
                    &swept_);
  }

  // Nothing will happen to it any more.
  Result<bool> is_over(const std::string& flow) {
    const auto left = desk_.ask(
        [&](Session&, Records&, FlowMoves& moves) { return moves.left(flow, root_path); });
    if (!left.ok()) return left.error();
    if (*left == 0) return true;
    const auto stop =
        desk_.ask([&](Session&, Records&, FlowMoves& moves) { return moves.stop(flow); });
    if (!stop.ok()) return stop.error();
    if (!*stop || !(*stop)->value.is_cancelled) return false;
    const auto count = cancel_flow(desk_, flow);
    if (!count.ok()) return count.error();
    return count->cancelled + count->running + count->left == 0 &&
           desk_.clock.now() >= later((*stop)->value.at, stragglers_come_within);
  }

  Status close(const std::string& flow) {
    const auto over = is_over(flow);
    if (!over.ok()) return over.error();
    if (!*over) return Done{};
    ++swept_.closed;
    return desk_.ask([&](Session&, Records& records, FlowMoves&) -> Status {
      Commit commit;
      commit.drops.push_back({open_ones + flow, {}});
      const auto done = records.commit(desk_.clock.now(), commit);
      if (!done.ok()) return done.error();
      return Done{};
    });
  }

  FlowDesk& desk_;
  std::set<std::string> flows_, queues_;
  Swept swept_;
};

}  // namespace

Result<Swept> sweep_flows(FlowDesk& desk, const std::optional<std::string>& id) {
  return Sweep(desk).all(id);
}

Status forget_flow(FlowDesk& desk, const std::string& id) {
  return desk.ask([&](Session&, Records& records, FlowMoves& moves) -> Status {
    const auto known = known_flow(moves, id);
    if (!known.ok()) return known.error();
    const auto state = state_of(records, moves, desk.clock.now(), id, known->header);
    if (!state.ok()) return state.error();
    const auto left = moves.left(id, root_path);
    if (!left.ok()) return left.error();
    if (*state != FlowState::cancelled && *left != 0)
      return conflict("the flow " + id + " is " + std::string(name_of(*state)) +
                      ", and may still go on");
    const Scan scan{"flow/" + id + "/", {}, 500};
    for (bool more = true; more;) {
      const auto page = records.scan(desk.clock.now(), scan);
      if (!page.ok()) return page.error();
      more = page->more;
      Commit commit;
      // What says that it has ended goes last: who is interrupted may begin again.
      for (const Record& record : page->records) {
        const bool says_so = record.key == key_of(id, Part::count, root_path) ||
                             record.key == key_of(id, Part::stop);
        if (!says_so) commit.drops.push_back({record.key, {}});
      }
      if (commit.drops.empty()) break;
      const auto done = records.commit(desk.clock.now(), commit);
      if (!done.ok()) return done.error();
    }
    Commit last;
    last.drops = {{key_of(id, Part::count, root_path), {}},
                  {key_of(id, Part::stop), {}},
                  {headers + id, {}},
                  {open_ones + id, {}}};
    const auto done = records.commit(desk.clock.now(), last);
    if (!done.ok()) return done.error();
    return Done{};
  });
}

}  // namespace assay::engine::detail
