// Launches, skips, and flows that go on after a stop.
#include "engine/detail/flow_moves.h"

namespace assay::engine::detail {

static constexpr int most_tries = 100;
// Of one commit of a launch, and about so many bytes of payloads.
static constexpr std::size_t launched_at_once = 400;
static constexpr std::size_t bytes_at_once = std::size_t{4} << 20U;

static Error too_often() {
  return {ErrorCode::unavailable, "others were faster each time", LeaseReason::unstated, true};
}

static Error damaged(const std::string& flow) {
  return {ErrorCode::internal, "the records of flow " + flow + " are damaged",
          LeaseReason::unstated, true};
}

// Both stand in the same order, and between the steps that are looked for there may be others.
Result<std::vector<NamedStep>> FlowMoves::steps_from(const std::string& flow,
                                                     const std::string& part,
                                                     const std::vector<std::string>& paths,
                                                     std::size_t first) {
  std::vector<NamedStep> steps;
  std::size_t bytes = 0;
  const std::string prefix = key_of(flow, Part::step);
  Scan scan{prefix + part, {}, static_cast<std::int64_t>(launched_at_once)};
  if (first > 0) scan.after = prefix + paths[first - 1];
  for (;;) {
    const auto page = records_.scan(now(), scan);
    if (!page.ok()) return page.error();
    for (const Record& record : page->records) {
      if (first + steps.size() == paths.size()) return steps;
      if (record.key != prefix + paths[first + steps.size()]) continue;
      auto step = unpacked_step(record.value);
      if (!step) return damaged(flow);
      bytes += step->payload.size();
      steps.push_back({paths[first + steps.size()], std::move(*step)});
      if (steps.size() == launched_at_once || bytes > bytes_at_once) return steps;
    }
    if (!page->more || page->records.empty()) return steps;
    scan.after = page->records.back().key;
  }
}

Status FlowMoves::launch(const std::string& flow, const std::string& part) {
  const auto head = header(flow);
  if (!head.ok()) return head.error();
  if (!*head) return Done{};
  const auto shape = unpacked_shape((*head)->value.shape);
  const Shape* of_part = shape ? part_at(*shape, part) : nullptr;
  if (!of_part) return damaged(flow);
  std::vector<std::string> paths;
  if (is_finalizer(part))
    paths.push_back(part);
  else
    visit_starts(*of_part, part,
                 [&](const std::string& path, const Shape&) { paths.push_back(path); });
  const std::string key = key_of(flow, Part::launch, part);
  const auto all = static_cast<std::int64_t>(paths.size());
  // As many are made at most as there are steps, and others may be faster as often.
  for (std::size_t tries = 0; tries < paths.size() + most_tries; ++tries) {
    const auto stopped = stop(flow);
    if (!stopped.ok()) return stopped.error();
    const auto at = read_as(records_, now(), key, &unpacked_launch);
    if (!at.ok()) return at.error();
    const std::int64_t done = *at ? (*at)->value.done : 0;
    if (*at && done >= all) return Done{};
    Commit commit;
    std::size_t made = 0;
    // Where it is stopped, it is written that there is something to go on with.
    if (!*stopped) {
      const auto steps = steps_from(flow, part, paths, static_cast<std::size_t>(done));
      if (!steps.ok()) return steps.error();
      if (steps->empty()) return damaged(flow);
      for (const NamedStep& step : *steps) commit.enqueues.push_back(job_of(flow, step, now()));
      made = steps->size();
      commit.drops.push_back({key_of(flow, Part::stop), 0});
    } else if (*at) {
      return Done{};
    }
    const Launch next{done + static_cast<std::int64_t>(made), all};
    commit.puts.push_back({key, packed(next), *at ? (*at)->version : 0});
    const auto committed = records_.commit(now(), commit);
    if (!committed.ok() && !is_conflict(committed.error())) return committed.error();
    if (!committed.ok()) continue;
    for (const Enqueue& one : commit.enqueues) {
      const std::string path = one.job.id->substr(member_prefix.size() + flow.size() + 1);
      told_.push_back(
          MemberEnqueued{flow, path, *one.job.id, "a launch of " + part, is_finalizer(path)});
    }
    if (*stopped) return Done{};
  }
  return too_often();
}

// The chain goes no further: the steps that would have ended it count as if they had.
Status FlowMoves::skip(const std::string& flow, const std::string& join) {
  const auto head = header(flow);
  if (!head.ok()) return head.error();
  if (!*head) return Done{};
  const auto shape = unpacked_shape((*head)->value.shape);
  const std::string chain = parent_of(join);
  const Shape* of_chain = shape ? part_at(*shape, chain) : nullptr;
  if (!of_chain) return damaged(flow);
  Status status = Done{};
  visit_ends(*of_chain, chain, [&](const std::string& path, const Shape&) {
    if (!status.ok()) return;
    const MemberEnd end{{flow, "", path}, "", Outcome::skipped, {}, "what comes before it failed"};
    const auto recorded = record(end, std::monostate{});
    if (!recorded.ok()) status = recorded.error();
  });
  return status;
}

// False: it is stopped for a reason that is still there.
Result<bool> FlowMoves::resume(const std::string& flow) {
  for (int tries = 0; tries < most_tries; ++tries) {
    const auto stopped = stop(flow);
    if (!stopped.ok()) return stopped.error();
    if (!*stopped) return true;
    if ((*stopped)->value.is_cancelled) return false;
    const auto dead = records_.scan(now(), {key_of(flow, Part::dead), {}, 1});
    if (!dead.ok()) return dead.error();
    if (!dead->records.empty()) return false;
    Commit commit;
    commit.drops.push_back({key_of(flow, Part::stop), (*stopped)->version});
    const auto done = records_.commit(now(), commit);
    if (done.ok()) {
      told_.push_back(FlowResumed{flow});
      return true;
    }
    if (!is_conflict(done.error())) return done.error();
  }
  return too_often();
}

// Who held back counts now, unless the flow was stopped again.
Status FlowMoves::release(const std::string& flow, const Record& held) {
  const MemberName name{flow, "", held.key.substr(key_of(flow, Part::held).size())};
  const auto known = join(flow, join_of(name.path));
  if (!known.ok()) return known.error();
  if (!*known) return Done{};
  Commit commit;
  commit.drops = {{held.key, held.version}, {key_of(flow, Part::stop), 0}};
  commit.counts.push_back(count_of(name, (*known)->value, false));
  const auto done = records_.commit(now(), commit);
  if (done.ok())
    tell({name, "", Outcome::succeeded, {}, ""}, commit, *done);
  else if (!is_conflict(done.error()))
    return done.error();
  return Done{};
}

Status FlowMoves::go_on_launching(const std::string& flow) {
  const std::string prefix = key_of(flow, Part::launch);
  Scan scan{prefix, {}, most_in_page};
  for (;;) {
    const auto page = records_.scan(now(), scan);
    if (!page.ok()) return page.error();
    for (const Record& record : page->records) {
      const auto launch = unpacked_launch(record.value);
      if (!launch) return damaged(flow);
      if (launch->done >= launch->all) continue;
      if (auto done = this->launch(flow, record.key.substr(prefix.size())); !done.ok()) return done;
    }
    if (!page->more || page->records.empty()) return Done{};
    scan.after = page->records.back().key;
  }
}

Status FlowMoves::catch_up(const std::string& flow) {
  const auto goes_on = resume(flow);
  if (!goes_on.ok()) return goes_on.error();
  if (!*goes_on) return Done{};
  Scan scan{key_of(flow, Part::held), {}, most_in_page};
  for (;;) {
    const auto page = records_.scan(now(), scan);
    if (!page.ok()) return page.error();
    for (const Record& held : page->records)
      if (auto released = release(flow, held); !released.ok()) return released;
    if (!page->more || page->records.empty()) break;
    scan.after = page->records.back().key;
  }
  return go_on_launching(flow);
}

}  // namespace assay::engine::detail
