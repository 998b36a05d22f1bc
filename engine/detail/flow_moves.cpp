#include "engine/detail/flow_moves.h"

#include <algorithm>

namespace assay::engine::detail {

// Between a look and a commit others may move; each time somebody gets on.
static constexpr int most_tries = 100;
static constexpr std::size_t most_error_bytes = 2'000;

bool is_conflict(const Error& error) { return error.code == ErrorCode::conflict; }

static Error too_often() {
  return {ErrorCode::unavailable, "others were faster each time", LeaseReason::unstated, true};
}

Result<std::optional<Versioned<Header>>> FlowMoves::header(const std::string& flow) {
  return read_as(records_, now(), headers + flow, &unpacked_header);
}
Result<std::optional<Versioned<Stop>>> FlowMoves::stop(const std::string& flow) {
  return read_as(records_, now(), key_of(flow, Part::stop), &unpacked_stop);
}
Result<std::optional<Versioned<Member>>> FlowMoves::member(const std::string& flow,
                                                           const std::string& path) {
  return read_as(records_, now(), key_of(flow, Part::member, path), &unpacked_member);
}
Result<std::optional<Versioned<Join>>> FlowMoves::join(const std::string& flow,
                                                       const std::string& path) {
  return read_as(records_, now(), key_of(flow, Part::join, path), &unpacked_join);
}

Result<std::optional<std::int64_t>> FlowMoves::left(const std::string& flow,
                                                    const std::string& join) {
  const auto found = records_.read(now(), key_of(flow, Part::count, join));
  if (!found.ok()) return found.error();
  if (!*found) return std::optional<std::int64_t>();
  return std::optional<std::int64_t>(std::stoll((*found)->value));
}

// What a first try does not look at: mostly there is nothing.
struct FlowMoves::Standing {
  std::optional<Versioned<Stop>> stop = {};
  bool join_failed = false;
  bool is_recorded = false;
};

Result<FlowMoves::Standing> FlowMoves::standing(const MemberEnd& end) {
  const MemberName& name = end.member;
  Standing found;
  const auto stopped = stop(name.flow);
  if (!stopped.ok()) return stopped.error();
  found.stop = *stopped;
  const auto failed = records_.read(now(), key_of(name.flow, Part::failed, join_of(name.path)));
  if (!failed.ok()) return failed.error();
  found.join_failed = failed.value().has_value();
  const auto recorded = member(name.flow, name.path);
  if (!recorded.ok()) return recorded.error();
  found.is_recorded = recorded.value().has_value();
  return found;
}

// What begins when the last one has counted. A chain that failed goes no further; a chord's
// finalizer runs all the same.
Count FlowMoves::count_of(const MemberName& member, const Join& join, bool failed) {
  const std::string at = join_of(member.path);
  Count count{key_of(member.flow, Part::count, at), join.from, member.path, {}};
  if (failed && kind_of_join(at) == JoinKind::chain)
    count.then.push_back(errand_of(member.flow, "skip", at, join.queue));
  else if (join.launch)
    count.then.push_back(errand_of(member.flow, "launch", *join.launch, join.queue));
  else
    for (const NamedStep& start : join.starts)
      count.then.push_back(job_of(member.flow, start, now()));
  return count;
}

void FlowMoves::add_success(Commit& commit, const MemberEnd& end, const Join& join,
                            const Standing& standing) {
  const std::string& flow = end.member.flow;
  if (standing.stop) {
    // It may have been dead before.
    commit.drops.push_back({key_of(flow, Part::dead, end.member.path), {}});
    if (!standing.stop->value.is_cancelled) {
      commit.puts.push_back({key_of(flow, Part::held, end.member.path), "", {}});
      must_catch_up_ = true;
    }
    return;
  }
  const std::string at = join_of(end.member.path);
  const bool minds_failures =
      join.policy == OnFailure::go_on && kind_of_join(at) == JoinKind::chain;
  if (join.has_next()) commit.drops.push_back({key_of(flow, Part::stop), 0});
  if (minds_failures && !standing.join_failed)
    commit.drops.push_back({key_of(flow, Part::failed, at), 0});
  commit.counts.push_back(count_of(end.member, join, minds_failures && standing.join_failed));
}

void FlowMoves::add_failure(Commit& commit, const MemberEnd& end, const Join& join,
                            const Standing& standing) {
  const std::string& flow = end.member.flow;
  const std::string& path = end.member.path;
  if (standing.stop && standing.stop->value.is_cancelled) return;
  if (join.policy == OnFailure::fail_fast) {
    commit.puts.push_back({key_of(flow, Part::dead, path), "", {}});
    // Written though it is there: who is about to go on must not miss this.
    commit.puts.push_back({key_of(flow, Part::stop), packed(Stop{false, path, now()}),
                           standing.stop ? standing.stop->version : 0});
    return;
  }
  const std::string at = join_of(path);
  commit.puts.push_back({key_of(flow, Part::failed, at), path, {}});
  if (join.has_next()) commit.drops.push_back({key_of(flow, Part::stop), 0});
  commit.counts.push_back(count_of(end.member, join, true));
}

Result<Committed> FlowMoves::record(const MemberEnd& end, const CommitSettle& settle,
                                    const Addition& addition) {
  const MemberName& name = end.member;
  const bool has_settle = !std::holds_alternative<std::monostate>(settle);
  const auto known = join(name.flow, join_of(name.path));
  if (!known.ok()) return known.error();
  Standing standing;
  for (int tries = 0; tries < most_tries; ++tries) {
    must_catch_up_ = false;
    Commit commit;
    commit.settle = settle;
    if (addition)
      if (auto added = addition(records_, commit); !added.ok()) return added.error();
    // Nobody knows a flow that was forgotten.
    if (*known) {
      Member member{end.outcome, end.job_id, {}, end.error.substr(0, most_error_bytes)};
      if (end.result) {
        member.result_bytes = static_cast<std::int64_t>(end.result->size());
        commit.puts.push_back({key_of(name.flow, Part::output, name.path), *end.result, {}});
      }
      commit.puts.push_back({key_of(name.flow, Part::member, name.path), packed(member),
                             has_settle ? std::nullopt : std::optional<std::int64_t>(0)});
      if (end.outcome == Outcome::succeeded)
        add_success(commit, end, (*known)->value, standing);
      else
        add_failure(commit, end, (*known)->value, standing);
    }
    auto done = records_.commit(now(), commit);
    if (done.ok()) {
      // Who does not know how it was made before must look.
      must_catch_up_ = must_catch_up_ || (has_settle && !done->applied);
      if (*known) tell(end, commit, *done);
      return done;
    }
    if (!is_conflict(done.error())) return done;
    auto looked = this->standing(end);
    if (!looked.ok()) return looked.error();
    standing = *looked;
    if (!has_settle && standing.is_recorded) return Committed{.applied = false};
  }
  return too_often();
}

Result<Committed> FlowMoves::commit(const CommitSettle& settle, const Addition& addition) {
  for (int tries = 0; tries < most_tries; ++tries) {
    Commit commit;
    commit.settle = settle;
    if (auto added = addition(records_, commit); !added.ok()) return added.error();
    auto done = records_.commit(now(), commit);
    if (done.ok() || !is_conflict(done.error())) return done;
  }
  return too_often();
}

void FlowMoves::tell(const MemberEnd& end, const Commit& commit, const Committed& done) {
  const MemberName& name = end.member;
  FlowAdvanced advanced{name.flow, name.path, std::string(name_of(end.outcome)),
                        join_of(name.path)};
  advanced.is_heard = done.applied;
  const bool counts = !commit.counts.empty() && !done.counts.empty();
  if (counts) {
    advanced.left = done.counts.front().left;
    advanced.counted = done.counts.front().counted;
  }
  told_.push_back(advanced);
  const bool stops = std::ranges::any_of(
      commit.puts, [&](const Put& put) { return put.key == key_of(name.flow, Part::stop); });
  if (stops && done.applied) told_.push_back(FlowStopped{name.flow, name.path, false});
  if (!counts || !advanced.counted || *advanced.left > 0) return;
  for (const Enqueue& next : commit.counts.front().then) {
    const std::string& id = *next.job.id;
    const std::string path = id.substr(member_prefix.size() + name.flow.size() + 1);
    told_.push_back(MemberEnqueued{name.flow, path, id, name.path, is_finalizer(path)});
  }
}

}  // namespace assay::engine::detail
