#include "harness/contract/session.h"

#include <array>

namespace assay {

static Error no_such_call(const char* call) {
  return unsupported(std::string("this driver has no ") + call);
}

std::vector<Result<Enqueued>> Session::enqueue_all(Instant now, std::span<const Enqueue> requests) {
  std::vector<Result<Enqueued>> answers;
  for (const Enqueue& request : requests) answers.push_back(enqueue(now, request));
  return answers;
}

std::vector<Status> Session::ack_all(Instant now, std::span<const Ack> requests) {
  std::vector<Status> answers;
  for (const Ack& request : requests) answers.push_back(ack(now, request));
  return answers;
}

Status Session::retry(Instant, const Retry&) { return no_such_call("retry"); }
Status Session::fail(Instant, const Fail&) { return no_such_call("fail"); }
Result<Nacked> Session::nack(Instant, const Nack&) { return no_such_call("nack"); }
Result<Cancelled> Session::cancel(Instant, const Cancel&) { return no_such_call("cancel"); }
Status Session::pause(Instant, const Pause&) { return no_such_call("pause"); }
Status Session::resume(Instant, const Resume&) { return no_such_call("resume"); }
Result<JobView> Session::get(Instant, const Get&) { return no_such_call("get"); }
Result<JobPage> Session::list(Instant, const List&) { return no_such_call("list"); }
Result<DeadPage> Session::dead(Instant, const Dead&) { return no_such_call("dead"); }
Result<Requeued> Session::requeue(Instant, const Requeue&) { return no_such_call("requeue"); }

namespace {

template <class T>
Result<Response> widen(Result<T> result) {
  if (!result.ok()) return result.error();
  return Response(std::move(result).value());
}

struct Performer {
  Session& session;
  Instant now;

  Result<Response> operator()(const Enqueue& r) { return widen(session.enqueue(now, r)); }
  Result<Response> operator()(const Reserve& r) { return widen(session.reserve(now, r)); }
  Result<Response> operator()(const Extend& r) { return widen(session.extend(now, r)); }
  Result<Response> operator()(const Ack& r) { return widen(session.ack(now, r)); }
  Result<Response> operator()(const Retry& r) { return widen(session.retry(now, r)); }
  Result<Response> operator()(const Fail& r) { return widen(session.fail(now, r)); }
  Result<Response> operator()(const Nack& r) { return widen(session.nack(now, r)); }
  Result<Response> operator()(const Cancel& r) { return widen(session.cancel(now, r)); }
  Result<Response> operator()(const Pause& r) { return widen(session.pause(now, r)); }
  Result<Response> operator()(const Resume& r) { return widen(session.resume(now, r)); }
  Result<Response> operator()(const Get& r) { return widen(session.get(now, r)); }
  Result<Response> operator()(const List& r) { return widen(session.list(now, r)); }
  Result<Response> operator()(const Dead& r) { return widen(session.dead(now, r)); }
  Result<Response> operator()(const Requeue& r) { return widen(session.requeue(now, r)); }
  Result<Response> operator()(const Close&) { return widen(session.close()); }
};

}  // namespace

Result<Response> perform(Session& session, Instant now, const Request& request) {
  return std::visit(Performer{session, now}, request);
}

std::string_view name_of(const Request& request) {
  static constexpr std::array<std::string_view, std::variant_size_v<Request>> names{
      "enqueue", "reserve", "extend", "ack",  "retry", "fail",    "nack", "cancel",
      "pause",   "resume",  "get",    "list", "dead",  "requeue", "close"};
  return names[request.index()];
}

}  // namespace assay
