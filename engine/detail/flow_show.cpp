// What a flow looks like from outside.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/detail/flow_desk.h"

namespace assay::engine::detail {

Result<KnownFlow> known_flow(FlowMoves& moves, const std::string& id) {
  const auto header = moves.header(id);
  if (!header.ok()) return header.error();
  if (!*header) return not_found("no flow is called " + id);
  auto shape = unpacked_shape((*header)->value.shape);
  if (!shape)
    return Error{ErrorCode::internal, "the records of flow " + id + " are damaged",
                 LeaseReason::unstated, true};
  return KnownFlow{(*header)->value, std::move(*shape), (*header)->version};
}

Result<FlowState> state_of(Records& records, FlowMoves& moves, Instant now, const std::string& id,
                           const Header& header, std::string* stopped_by) {
  if (!header.is_whole) return FlowState::submitting;
  const auto left = moves.left(id, root_path);
  if (!left.ok()) return left.error();
  const auto failed = records.read(now, key_of(id, Part::failed, root_path));
  if (!failed.ok()) return failed.error();
  if (*failed && stopped_by) *stopped_by = (*failed)->value;
  if (*left == 0) return *failed ? FlowState::failed : FlowState::done;
  const auto stop = moves.stop(id);
  if (!stop.ok()) return stop.error();
  if (!*stop) return FlowState::running;
  if (stopped_by) *stopped_by = (*stop)->value.by;
  return (*stop)->value.is_cancelled ? FlowState::cancelled : FlowState::failed;
}

namespace {

class Painter {
 public:
  Painter(FlowDesk& desk, const std::string& id, const FlowPaging& paging)
      : desk_(desk), id_(id), paging_(paging) {}

  Status read(Records& records) {
    const auto all = [&](Part part, const std::function<void(const std::string&, Record&)>& take) {
      return read_all(records, part, take);
    };
    Status status = all(Part::member, [&](const std::string& path, Record& record) {
      if (auto member = unpacked_member(record.value)) members_[path] = std::move(*member);
    });
    if (status.ok())
      status = all(Part::count, [&](const std::string& path, Record& record) {
        if (record.value == "0") over_[path] = true;
      });
    if (status.ok())
      status = all(Part::failed, [&](const std::string& path, Record&) {
        if (kind_of_join(path) == JoinKind::chain) over_[path] = false;
      });
    if (status.ok())
      status = all(Part::launch, [&](const std::string& path, Record& record) {
        if (const auto launch = unpacked_launch(record.value)) launched_[path] = launch->done;
      });
    return status;
  }

  FlowNode paint(const Shape& shape, const std::string& path, bool has_begun,
                 std::int64_t* enqueued = nullptr) {
    if (const auto found = launched_.find(path); found != launched_.end()) {
      std::int64_t left = found->second;
      launched_.erase(found);
      return paint(shape, path, has_begun, &left);
    }
    if (shape.kind == FlowKind::step) return paint_step(shape.type, path, has_begun, enqueued);
    FlowNode node;
    node.kind = shape.kind;
    node.path = path;
    const std::size_t first = paging_.of == path ? paging_.first : 0;
    for (std::size_t i = 0; i < shape.parts.size(); ++i) {
      const std::string at = path_of_part(path, shape.kind, i, shape.parts.size());
      const bool is_next = shape.kind == FlowKind::chain && i > 0;
      FlowNode part = is_next ? paint(shape.parts[i], at, is_over(join_before(at)))
                              : paint(shape.parts[i], at, has_begun, enqueued);
      add(node.counts, part.counts);
      if (i < first)
        ++node.parts_before;
      else if (i - first < paging_.at_most)
        node.parts.push_back(std::move(part));
      else
        ++node.parts_after;
    }
    if (shape.kind != FlowKind::chord) return node;
    node.parts.push_back(
        paint_step(shape.type, path_of_finalizer(path), is_over(path + ".b"), nullptr));
    node.parts.back().is_finalizer = true;
    add(node.counts, node.parts.back().counts);
    return node;
  }

  // One that is to be enqueued by a steward may not be yet.
  Status look_up(Session& session, FlowNode& node) {
    for (FlowNode& part : node.parts)
      if (auto done = look_up(session, part); !done.ok()) return done;
    if (node.kind != FlowKind::step || node.state != MemberState::enqueued) return Done{};
    const auto seen = session.get(desk_.clock.now(), {node.job_id});
    if (seen.ok())
      node.job_state = seen->job.state;
    else if (seen.error().code == ErrorCode::not_found)
      node.state = MemberState::waiting;
    else
      return seen.error();
    return Done{};
  }

 private:
  Status read_all(Records& records, Part part,
                  const std::function<void(const std::string&, Record&)>& take) {
    const std::string prefix = key_of(id_, part);
    Scan scan{prefix, {}, most_in_page};
    for (;;) {
      auto page = records.scan(desk_.clock.now(), scan);
      if (!page.ok()) return page.error();
      for (Record& record : page->records) take(record.key.substr(prefix.size()), record);
      if (!page->more || page->records.empty()) return Done{};
      scan.after = page->records.back().key;
    }
  }

  bool is_over(const std::string& join) const {
    const auto found = over_.find(join);
    return found != over_.end() && found->second;
  }

  FlowNode paint_step(const std::string& type, const std::string& path, bool has_begun,
                      std::int64_t* enqueued) {
    FlowNode node;
    node.path = path;
    node.type = type;
    node.job_id = member_name(id_, path);
    if (has_begun && (!enqueued || (*enqueued)-- > 0)) node.state = MemberState::enqueued;
    if (const auto found = members_.find(path); found != members_.end()) {
      const Member& member = found->second;
      if (!member.job_id.empty()) node.job_id = member.job_id;
      node.result_bytes = member.result_bytes;
      node.error = member.error;
      node.state = member.outcome == Outcome::succeeded   ? MemberState::succeeded
                   : member.outcome == Outcome::dead      ? MemberState::dead
                   : member.outcome == Outcome::cancelled ? MemberState::cancelled
                                                          : MemberState::skipped;
    }
    std::int64_t MemberCounts::*const counts[] = {&MemberCounts::waiting,   &MemberCounts::enqueued,
                                                  &MemberCounts::succeeded, &MemberCounts::dead,
                                                  &MemberCounts::cancelled, &MemberCounts::skipped};
    node.counts.*counts[static_cast<std::size_t>(node.state)] = 1;
    return node;
  }

  static void add(MemberCounts& to, const MemberCounts& more) {
    to.waiting += more.waiting;
    to.enqueued += more.enqueued;
    to.succeeded += more.succeeded;
    to.dead += more.dead;
    to.cancelled += more.cancelled;
    to.skipped += more.skipped;
  }

  FlowDesk& desk_;
  const std::string& id_;
  const FlowPaging& paging_;
  std::map<std::string, Member> members_;
  std::map<std::string, bool> over_;  // of joins: what comes next has begun
  std::map<std::string, std::int64_t> launched_;
};

}  // namespace

Result<FlowView> show_flow(FlowDesk& desk, const std::string& id, const FlowPaging& paging) {
  return desk.ask([&](Session& session, Records& records, FlowMoves& moves) -> Result<FlowView> {
    const auto known = known_flow(moves, id);
    if (!known.ok()) return known.error();
    FlowView view;
    view.id = id;
    view.on_failure = known->header.policy;
    view.submitted_at = known->header.at;
    const auto state =
        state_of(records, moves, desk.clock.now(), id, known->header, &view.stopped_by);
    if (!state.ok()) return state.error();
    view.state = *state;
    Painter painter(desk, id, paging);
    if (auto read = painter.read(records); !read.ok()) return read.error();
    view.root = painter.paint(known->shape, root_path, view.state != FlowState::submitting);
    if (paging.looks_up_jobs)
      if (auto looked = painter.look_up(session, view.root); !looked.ok()) return looked.error();
    return view;
  });
}

}  // namespace assay::engine::detail
