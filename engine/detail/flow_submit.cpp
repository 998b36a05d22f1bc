// How a flow comes into the store: its records first, in as many commits as it takes, and with the
// last of them its first jobs.
#include <fmt/format.h>

#include <map>
#include <set>

#include "engine/detail/flow_desk.h"

namespace assay::engine::detail {
namespace {

// What a join, which everybody who counts for it carries along, may hold of what comes next: more
// where only one counts.
constexpr std::size_t starts_of_many = 32, bytes_of_many = 16 << 10;
constexpr std::size_t starts_of_one = 400, bytes_of_one = 900'000;
constexpr std::size_t most_shape_bytes = 900'000;
// Of one commit.
constexpr std::size_t parts_at_once = 900;
constexpr std::size_t bytes_at_once = std::size_t{8} << 20U;

class Draft {
 public:
  Draft(FlowDesk& desk, std::string id, const FlowSubmission& submission)
      : desk_(desk), id_(std::move(id)), shape_(shape_of(submission.flow)) {
    header_.policy = submission.on_failure;
    header_.shape = packed(shape_);
    header_.steps = count_steps(shape_);
    header_.nonce = desk.random.hex(16);
    header_.at = desk.clock.now();
    take_steps(submission.flow, root_path);
    header_.fingerprint = fmt::format("{:016x}{:016x}", one_, other_);
    header_.queues.assign(queues_.begin(), queues_.end());
    const std::vector<NamedStep> first = starts_of(root_path);
    header_.queue = *first.front().step.queue;
    draft_joins(shape_, root_path);
    draft_join(root_path);
    begin_with(first);
  }

  std::optional<Error> objection() const {
    if (header_.shape.size() <= most_shape_bytes) return std::nullopt;
    return invalid("the flow is of too many different parts to be kept");
  }

  Result<FlowHandedIn> write(Session& session, Records& records, FlowMoves& moves);
  const Header& header() const { return header_; }
  std::vector<Happening> told() const;

 private:
  void take_steps(const Flow& flow, const std::string& path);
  void take_step(const Step& step, const std::string& path);
  void draft_joins(const Shape& shape, const std::string& path);
  void draft_join(const std::string& join);
  void begin_with(const std::vector<NamedStep>& first);
  std::vector<NamedStep> starts_of(const std::string& path) const;
  void keep_steps(const std::vector<NamedStep>& steps);
  std::string written(bool is_whole) const {
    Header header = header_;
    header.is_whole = is_whole;
    return packed(header);
  }
  bool fits_at_once() const {
    return puts_.size() + enqueues_.size() + 2 <= parts_at_once &&
           bytes_ + header_.shape.size() <= bytes_at_once;
  }
  Status write_parts(Records& records);
  Commit last_commit(std::int64_t version, bool with_parts) const;

  FlowDesk& desk_;
  const std::string id_;
  const Shape shape_;
  Header header_;
  std::map<std::string, const Step*> steps_;
  std::set<std::string> queues_;
  std::uint64_t one_ = stable_hash("flow"), other_ = stable_hash("of another kind");
  std::vector<Put> puts_;
  std::size_t bytes_ = 0;
  std::vector<Enqueue> enqueues_;
};

void Draft::take_step(const Step& step, const std::string& path) {
  steps_[path] = &step;
  queues_.insert(step.queue.value_or(desk_.options.queue));
  const std::string text = path + packed(step);
  one_ = stable_hash(text, one_);
  other_ = stable_hash(text, other_);
}

void Draft::take_steps(const Flow& flow, const std::string& path) {
  if (flow.kind == FlowKind::step) return take_step(flow.step, path);
  for (std::size_t i = 0; i < flow.parts.size(); ++i)
    take_steps(flow.parts[i], path_of_part(path, flow, i));
  if (flow.kind == FlowKind::chord) take_step(flow.step, path_of_finalizer(path));
}

std::vector<NamedStep> Draft::starts_of(const std::string& path) const {
  std::vector<NamedStep> starts;
  const auto add = [&](const std::string& at, const Shape&) {
    NamedStep start{at, *steps_.at(at)};
    if (!start.step.queue) start.step.queue = desk_.options.queue;
    starts.push_back(std::move(start));
  };
  const Shape* part = part_at(shape_, path);
  if (is_finalizer(path))
    add(path, *part);
  else
    visit_starts(*part, path, add);
  return starts;
}

void Draft::keep_steps(const std::vector<NamedStep>& steps) {
  for (const NamedStep& one : steps) {
    puts_.push_back({key_of(id_, Part::step, one.path), packed(one.step), {}});
    bytes_ += puts_.back().value.size();
  }
}

void Draft::draft_joins(const Shape& shape, const std::string& path) {
  for (std::size_t i = 0; i < shape.parts.size(); ++i) {
    const std::string part = path_of_part(path, shape.kind, i, shape.parts.size());
    draft_joins(shape.parts[i], part);
    if (shape.kind == FlowKind::chain && i + 1 < shape.parts.size()) draft_join(part);
  }
  if (shape.kind == FlowKind::chord) draft_join(path + ".b");
}

void Draft::draft_join(const std::string& at) {
  Join join;
  join.policy = header_.policy;
  join.from = ends_before(shape_, at);
  join.queue = header_.queue;
  const bool is_one = join.from == 1;
  if (is_one) {
    const auto note = [&](const std::string& path, const Shape&) { join.only_end = path; };
    const Shape* shape = part_at(shape_, at);
    if (kind_of_join(at) == JoinKind::chord)
      visit_ends(shape->parts.front(), at + ".g000000", note);
    else
      visit_ends(*shape, at, note);
  }
  const std::string next = next_of(shape_, at);
  if (!next.empty()) {
    join.starts = starts_of(next);
    const bool is_too_much = join.starts.size() > (is_one ? starts_of_one : starts_of_many) ||
                             packed(join).size() > (is_one ? bytes_of_one : bytes_of_many);
    if (is_too_much) {
      keep_steps(join.starts);
      join.starts.clear();
      join.launch = next;
    }
  }
  puts_.push_back({key_of(id_, Part::join, at), packed(join), {}});
  bytes_ += puts_.back().value.size();
}

void Draft::begin_with(const std::vector<NamedStep>& first) {
  std::size_t bytes = 0;
  for (const NamedStep& one : first) bytes += one.step.payload.size();
  if (first.size() > starts_of_one || bytes > bytes_at_once / 2) {
    keep_steps(first);
    enqueues_.push_back(errand_of(id_, "launch", root_path, header_.queue));
    return;
  }
  for (const NamedStep& one : first) enqueues_.push_back(job_of(id_, one, desk_.clock.now()));
}

// They may be written again: each is the same whoever writes it.
Status Draft::write_parts(Records& records) {
  Commit commit;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < puts_.size(); ++i) {
    commit.puts.push_back(puts_[i]);
    bytes += puts_[i].value.size();
    if (commit.puts.size() < parts_at_once && bytes < bytes_at_once && i + 1 < puts_.size())
      continue;
    const auto done = records.commit(desk_.clock.now(), commit);
    if (!done.ok()) return done.error();
    commit.puts.clear();
    bytes = 0;
  }
  return Done{};
}

Commit Draft::last_commit(std::int64_t version, bool with_parts) const {
  Commit commit;
  if (with_parts) commit.puts = puts_;
  commit.puts.push_back({headers + id_, written(true), version});
  commit.puts.push_back({open_ones + id_, "", {}});
  commit.enqueues = enqueues_;
  return commit;
}

// Whoever finds it half written writes all of it: the version of the header lets one end it.
Result<FlowHandedIn> Draft::write(Session& session, Records& records, FlowMoves& moves) {
  for (int tries = 0; tries < 100; ++tries) {
    const auto there = moves.header(id_);
    if (!there.ok()) return there.error();
    std::int64_t version = 0;
    if (*there) {
      const Header& found = (*there)->value;
      if (found.fingerprint != header_.fingerprint || found.policy != header_.policy)
        return conflict("another flow is called " + id_);
      if (found.is_whole) return FlowHandedIn{id_, found.nonce != header_.nonce};
      version = (*there)->version;
    } else {
      const std::string first = *enqueues_.front().job.id;
      if (session.get(desk_.clock.now(), {first}).ok())
        return conflict("a flow was called " + id_ + " before: there is a job " + first);
    }
    const bool at_once = version == 0 && fits_at_once();
    if (!at_once && version == 0) {
      Commit commit;
      commit.puts.push_back({headers + id_, written(false), 0});
      const auto begun = records.commit(desk_.clock.now(), commit);
      if (!begun.ok() && !is_conflict(begun.error())) return begun.error();
      if (!begun.ok()) continue;
      version = 1;
    }
    if (!at_once)
      if (auto done = write_parts(records); !done.ok()) return done.error();
    const auto done = records.commit(desk_.clock.now(), last_commit(version, at_once));
    if (done.ok()) return FlowHandedIn{id_, false};
    if (!is_conflict(done.error())) return done.error();
  }
  return Error{ErrorCode::unavailable, "others were faster each time", LeaseReason::unstated, true};
}

std::vector<Happening> Draft::told() const {
  std::vector<Happening> all;
  for (const Enqueue& one : enqueues_) {
    const std::string path = one.job.id->substr(member_prefix.size() + id_.size() + 1);
    all.push_back(MemberEnqueued{id_, path, *one.job.id, "its submission", false});
  }
  return all;
}

}  // namespace

Result<FlowHandedIn> submit_flow(FlowDesk& desk, const FlowSubmission& submission) {
  const std::string id = submission.id ? *submission.id : desk.random.hex(24);
  if (auto objection = objection_to(id, submission.flow, desk.options.bounds, desk.profile))
    return *objection;
  Draft draft(desk, id, submission);
  if (auto objection = draft.objection()) return *objection;
  const auto handed_in = desk.ask([&](Session& session, Records& records, FlowMoves& moves) {
    return draft.write(session, records, moves);
  });
  if (!handed_in.ok()) return handed_in;
  desk.tell(FlowSubmitted{id, draft.header().steps, handed_in->existed});
  if (!handed_in->existed)
    for (Happening& what : draft.told()) desk.tell(std::move(what));
  return handed_in;
}

}  // namespace assay::engine::detail
