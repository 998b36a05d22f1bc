#include "harness/run/detail/outbox_watch.h"

#include <fmt/format.h>

#include "harness/run/detail/engine_trouble.h"

namespace assay::detail {

namespace {

struct Settling {
  std::string_view operator()(const Ack&) const { return "ack"; }
  std::string_view operator()(const Retry&) const { return "retry"; }
  std::string_view operator()(const Fail&) const { return "fail"; }
  std::string_view operator()(const Nack&) const { return "nack"; }
  template <class Other>
  std::string_view operator()(const Other&) const {
    return "";
  }
};

// What else is done in the commit.
std::string_view companion_in(const Commit& commit) {
  const std::string_view settle = std::visit(Settling{}, commit.settle);
  if (!settle.empty()) return settle;
  return commit.enqueues.empty() ? "alone" : "enqueue";
}

}  // namespace

Interception OutboxWatch::interception() {
  Interception by;
  if (!engine_.row_in) return by;
  by.commit = [this](const SessionSpec& spec, Instant now, const Commit& commit,
                     const Interception::NextCommit& next) {
    auto answer = next(now, commit);
    if (answer.ok() && answer->applied) see(worker_of(spec), commit);
    return answer;
  };
  return by;
}

void OutboxWatch::see(const std::string& worker, const Commit& commit) {
  for (const Put& put : commit.puts) see_put(worker, commit, put);
  for (const Drop& drop : commit.drops) see_drop(worker, commit, drop);
}

EngineEvent OutboxWatch::event_of(EngineEvent::Kind kind, const std::string& worker,
                                  const EngineRow& row) const {
  EngineEvent event{.kind = kind, .worker = worker};
  event.job_id = row.task;
  event.run = row.run;
  event.row = row.id;
  return event;
}

void OutboxWatch::see_put(const std::string& worker, const Commit& commit, const Put& put) {
  const auto row = engine_.row_in(put.key, &put.value);
  if (!row) return;
  using Kind = EngineEvent::Kind;
  if (row->is_parked) {
    pending_.erase(row->id);
    return tell_(event_of(Kind::row_parked, worker, *row));
  }
  const bool is_anew = !pending_.contains(row->id) || put.if_version.value_or(0) == 0;
  EngineEvent event = event_of(is_anew ? Kind::row_written : Kind::row_changed, worker, *row);
  if (is_anew)
    event.word = fmt::format("{} {} {}", row->kind, companion_in(commit), row->target);
  else
    event.numbers["tries"] = row->tries;
  pending_[row->id] = *row;
  tell_(std::move(event));
}

void OutboxWatch::see_drop(const std::string& worker, const Commit& commit, const Drop& drop) {
  const auto row = engine_.row_in(drop.key, nullptr);
  if (!row || row->is_parked) return;
  const auto at = pending_.extract(row->id);
  if (at.empty()) return;
  EngineEvent event = event_of(EngineEvent::Kind::row_dropped, worker, at.mapped());
  for (const Enqueue& made : commit.enqueues)
    if (made.job.queue == at.mapped().target && made.job.payload == at.mapped().body)
      event.word = "enqueue";
  tell_(std::move(event));
}

}  // namespace assay::detail
