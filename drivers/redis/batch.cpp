// Many enqueues or acks at once: a chunk of them is sent before the first answer is read.
#include "drivers/redis/detail/session.h"

namespace assay::rds {

static constexpr std::size_t commands_at_once = 1000, bytes_at_once = 1 << 20;

static const JobId& id_of(const Ack& request) { return request.hold.job_id; }
static JobId id_of(const Enqueue& request) { return request.job.id.value_or(""); }

// The beginning of the requests is answered: as much of it as is sent at once.
template <class T, class Request, class Build, class Read>
void RedisSession::call_some(Op op, std::span<const Request> requests,
                             std::vector<Result<T>>& answers, Build build, Read read) {
  std::vector<stored::Refusal> refusals;
  std::vector<Words> commands;
  for (std::size_t bytes = 0; refusals.size() < requests.size() &&
                              commands.size() < commands_at_once && bytes < bytes_at_once;) {
    const Request& request = requests[refusals.size()];
    refusals.push_back(stored::refusal(shared_.profile, request));
    if (refusals.back()) continue;
    commands.push_back(build(request));
    bytes += commands.back().size();
  }
  std::vector<Answer> found;
  if (!commands.empty()) found = shared_.scripts.run_all(op, *connection_, commands);
  const auto answer_of = [&](const Answer& answer, const Request& request) -> Result<T> {
    try {
      if (const Failure* const failure = std::get_if<Failure>(&answer)) throw Failure(*failure);
      const Value value = std::get<Reply>(answer).value();
      if (auto refused = refusal_in(value, id_of(request))) return *refused;
      return read(value);
    } catch (const Failure& failure) {
      return to_error(failure, shared_.where);
    }
  };
  for (std::size_t i = 0, next = 0; i < refusals.size(); ++i)
    answers.push_back(refusals[i] ? Result<T>(*refusals[i])
                                  : answer_of(found[next++], requests[i]));
}

template <class T, class Request, class Build, class Read>
std::vector<Result<T>> RedisSession::call_all(Op op, std::span<const Request> requests, Build build,
                                              Read read) {
  std::vector<Result<T>> answers;
  answers.reserve(requests.size());
  std::optional<Error> ended;
  if (!connection_) ended = Error{ErrorCode::closed, "the session is closed"};
  while (answers.size() < requests.size() && !ended) try {
      call_some(op, requests.subspan(answers.size()), answers, build, read);
    } catch (const std::bad_alloc&) {
      ended = Error{ErrorCode::internal, shared_.where + ": out of memory"};
    }
  while (answers.size() < requests.size()) answers.push_back(*ended);
  return answers;
}

std::vector<Result<Enqueued>> RedisSession::enqueue_all(Instant now,
                                                        std::span<const Enqueue> requests) {
  if (!shared_.scripts.is_one_round(Op::enqueue)) return Session::enqueue_all(now, requests);
  return call_all<Enqueued>(
      Op::enqueue, requests, [&](const Enqueue& request) { return enqueuing(now, request.job); },
      enqueued);
}

std::vector<Status> RedisSession::ack_all(Instant now, std::span<const Ack> requests) {
  if (!shared_.scripts.is_one_round(Op::ack)) return Session::ack_all(now, requests);
  return call_all<Done>(
      Op::ack, requests, [&](const Ack& request) { return settling(Op::ack, now, request.hold); },
      [](const Value&) { return Done{}; });
}

}  // namespace assay::rds
