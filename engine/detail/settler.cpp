#include "engine/detail/settler.h"

#include <algorithm>

namespace assay::engine::detail {

std::vector<OutboxRow> rows_of_events(const Run& run) {
  std::vector<OutboxRow> rows;
  for (const OutgoingEvent& event : run.events)
    rows.push_back({RowKind::route_event, run.claim.job.id, run.number, event.target, event.body});
  return rows;
}

namespace {

// What is written in the commit of the settle.
struct Rows {
  const Floor& floor;
  const Run& run;

  OutboxRow announcement(std::int64_t number, std::optional<Instant> due_at) const {
    const Job& job = run.claim.job;
    return {RowKind::announce_task, job.id, number, job.queue, {}, due_at};
  }

  std::vector<OutboxRow> operator()(const Ack&) const { return rows_of_events(run); }
  std::vector<OutboxRow> operator()(const Retry& retry) const {
    if (!floor.options.outbox) return {};
    Job after = run.claim.job;
    after.attempts = retry.attempts;
    // When it is due the store knows, whatever our own clock says.
    const bool can_be_asked = floor.profile.has("inspect");
    return {announcement(next_run(floor.profile, after),
                         can_be_asked ? std::nullopt : std::optional(retry.run_at))};
  }
  std::vector<OutboxRow> operator()(const Fail&) const { return {}; }
  // It writes its own.
  std::vector<OutboxRow> operator()(const Closing&) const { return {}; }
  // So it does whether it may run again.
  std::vector<OutboxRow> operator()(const Nack& nack) const {
    if (!floor.options.outbox || nack.unrecoverable) return {};
    return {announcement(run.number + 1, std::nullopt)};
  }
};

struct Committing {
  CommitSettle operator()(const Closing&) const { return {}; }  // has no rows
  CommitSettle operator()(const auto& settle) const { return settle; }
};

Status commit(Session& session, Instant now, const Settle& settle,
              const std::vector<OutboxRow>& rows) {
  Records* records = session.records();
  if (!records) return unsupported("the driver keeps no records, so no outbox");
  Commit commit;
  commit.settle = std::visit(Committing{}, settle);
  for (const OutboxRow& row : rows) commit.puts.push_back(put_of(row));
  const auto done = records->commit(now, commit);
  if (!done.ok()) return done.error();
  return Done{};
}

struct Sender {
  Session& session;
  Instant now;

  Status operator()(const Ack& ack) { return session.ack(now, ack); }
  Status operator()(const Retry& retry) { return session.retry(now, retry); }
  Status operator()(const Fail& fail) { return session.fail(now, fail); }
  Status operator()(const Nack& nack) {
    const auto answer = session.nack(now, nack);
    if (!answer.ok()) return answer.error();
    return Done{};
  }
  Status operator()(const Closing& closing) { return closing.make(session); }
};

}  // namespace

Status Settler::settle(Held& held, Line& line, const Run& run, SettleKind kind,
                       const Settle& settle) {
  bool in_doubt = false;
  Duration pause = std::max(floor_.lease / 100, Duration{1});
  for (int tries = 1;; ++tries) {
    const Status answer = send(held, line, run, kind, settle, tries);
    std::optional<Error> error;
    if (!answer.ok()) error = answer.error();
    floor_.tell(run, SettleAnswered{kind, tries, error, in_doubt});
    if (!error || !is_trouble(*error)) return answer;
    in_doubt = in_doubt || !is_definite(*error);
    // The same token again is harmless, but none is of use once the lease is over.
    const Instant since = floor_.now();
    const Instant again_at = later(since, pause);
    // A clock that is set back must not make it wait for as long again.
    while (!floor_.gives_up && again_at < run.expires_at && floor_.now() >= since &&
           floor_.monitor->wait_until(again_at)) {
    }
    if (floor_.gives_up || floor_.now() >= run.expires_at || again_at >= run.expires_at) {
      floor_.tell(run, LeftToLapse{"no answer to its settle: " + error->message});
      return answer;
    }
    pause = std::min(pause * 2, std::max(floor_.lease / 10, Duration{1}));
  }
}

Status Settler::send(Held& held, Line& line, const Run& run, SettleKind kind, const Settle& settle,
                     int tries) {
  const std::vector<OutboxRow> rows = std::visit(Rows{floor_, run}, settle);
  if (std::holds_alternative<Ack>(settle) && floor_.options.group_acks && rows.empty())
    return send_with_others(held, line, run, std::get<Ack>(settle), tries);
  floor_.tell(run, SettleSent{kind, tries});
  held.unlock();
  const Status answer = line.call([&](Session& s) {
    return rows.empty() ? std::visit(Sender{s, floor_.now()}, settle)
                        : commit(s, floor_.now(), settle, rows);
  });
  held.lock();
  if (answer.ok())
    for (const OutboxRow& row : rows) floor_.tell(run, RowWritten{row_id(row)});
  return answer;
}

Status Settler::send_with_others(Held& held, Line& line, const Run& run, const Ack& ack,
                                 int tries) {
  Waiting mine{run, ack, tries};
  waiting_.push_back(&mine);
  while (!mine.answer) {
    if (is_sending_)
      floor_.monitor->wait_until(std::nullopt);
    else
      send_all(held, line);
  }
  return *mine.answer;
}

void Settler::send_all(Held& held, Line& line) {
  const std::vector<Waiting*> batch = std::exchange(waiting_, {});
  std::vector<Ack> acks;
  for (const Waiting* one : batch) {
    floor_.tell(one->run, SettleSent{SettleKind::ack, one->tries});
    acks.push_back(one->ack);
  }
  is_sending_ = true;
  held.unlock();
  std::optional<Error> trouble;
  std::vector<Status> answers;
  if (Session* session = line.session(trouble)) answers = session->ack_all(floor_.now(), acks);
  const bool is_troubled = std::ranges::any_of(
      answers, [](const Status& s) { return !s.ok() && is_trouble(s.error()); });
  if (is_troubled) line.hang_up();
  held.lock();
  is_sending_ = false;
  // One that the driver forgot has no answer.
  const Error missing{ErrorCode::internal, "there was no answer to this one of several acks"};
  for (std::size_t i = 0; i < batch.size(); ++i)
    batch[i]->answer = i < answers.size() ? answers[i] : Status(trouble ? *trouble : missing);
  floor_.monitor->notify_all();
}

}  // namespace assay::engine::detail
