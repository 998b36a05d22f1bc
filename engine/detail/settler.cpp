#include "engine/detail/settler.h"

#include <algorithm>

namespace assay::engine::detail {
namespace {

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
};

}  // namespace

void Settler::settle(Held& held, Line& line, const Run& run, SettleKind kind,
                     const Settle& settle) {
  bool in_doubt = false;
  Duration pause = std::max(floor_.lease / 100, Duration{1});
  for (int tries = 1;; ++tries) {
    const Status answer = send(held, line, run, kind, settle, tries);
    std::optional<Error> error;
    if (!answer.ok()) error = answer.error();
    floor_.tell(run, SettleAnswered{kind, tries, error, in_doubt});
    if (!error || !is_trouble(*error)) return;
    in_doubt = in_doubt || !is_definite(*error);
    // The same token again is harmless, but none is of use once the lease is over.
    const Instant since = floor_.now();
    const Instant again_at = later(since, pause);
    // A clock that is set back must not make it wait for as long again.
    while (!floor_.gives_up && again_at < run.expires_at && floor_.now() >= since &&
           floor_.monitor->wait_until(again_at)) {
    }
    if (floor_.gives_up || floor_.now() >= run.expires_at || again_at >= run.expires_at)
      return floor_.tell(run, LeftToLapse{"no answer to its settle: " + error->message});
    pause = std::min(pause * 2, std::max(floor_.lease / 10, Duration{1}));
  }
}

Status Settler::send(Held& held, Line& line, const Run& run, SettleKind kind, const Settle& settle,
                     int tries) {
  if (kind == SettleKind::ack && floor_.options.group_acks)
    return send_with_others(held, line, run, std::get<Ack>(settle), tries);
  floor_.tell(run, SettleSent{kind, tries});
  held.unlock();
  const Status answer = line.call([&](Session& s) {
    return std::visit(Sender{s, floor_.now()}, settle);
  });
  held.lock();
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
