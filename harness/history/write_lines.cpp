#include <algorithm>

#include "harness/contract/detail/operation_json.h"
#include "harness/history/detail/lines.h"
#include "harness/history/jsonl.h"
#include "harness/history/payload.h"

namespace assay {
namespace {

using detail::JsonObject;

void write_payload(JsonObject& object, std::string_view payload) {
  if (payload.starts_with(payload_digest_marker))
    object.text("payload_digest", payload.substr(payload_digest_marker.size()));
  else
    detail::write_whole_payload(object, payload);
}

constexpr std::string_view name_of(OutcomeKind outcome) {
  return outcome == OutcomeKind::ok        ? "ok"
         : outcome == OutcomeKind::refused ? "refused"
                                           : "unknown";
}

struct EventWriter {
  JsonObject& object;
  std::span<const std::string> clients;

  void operator()(const CallEvent& event) {
    object.text("kind", "call");
    object.unsigned_number("op", event.op);
    client(event.client);
    object.instant("now_ms", event.now);
    object.text("request", name_of(event.request));
    detail::write_request(object, event.request, write_payload);
  }

  // By name only where the name leads back to the same client.
  void client(int index) {
    const auto at = static_cast<std::size_t>(index);
    if (at < clients.size() && std::find(clients.begin(), clients.end(), clients[at]) ==
                                   clients.begin() + static_cast<std::ptrdiff_t>(at))
      object.text("client", clients[at]);
    else
      object.number("client", index);
  }

  void operator()(const ReturnEvent& event) {
    object.text("kind", "return");
    object.unsigned_number("op", event.op);
    if (event.now) object.instant("now_ms", *event.now);
    object.text("outcome", name_of(event.outcome));
    if (event.outcome == OutcomeKind::ok) {
      detail::write_response(object.member("ok"), event.response, write_payload);
      return;
    }
    detail::write_error(object.member("error"), event.error);
  }

  void operator()(const ClockEvent& event) {
    object.text("kind", "clock");
    object.instant("now_ms", event.now);
  }

  void operator()(const FaultEvent& event) {
    object.text("kind", "fault");
    object.text("stage", name_of(event.stage));
    object.unsigned_number("number", event.number);
    object.text("fault", event.fault);
    object.text("effect", name_of(event.effect));
    if (event.client) client(*event.client);
    if (!event.proof.empty()) object.text("proof", event.proof);
    if (event.in_flight.empty()) return;
    std::string& ops = object.member("in_flight");
    detail::append_array(ops, event.in_flight,
                         [](std::string& to, OpId op) { to += std::to_string(op); });
  }

  void operator()(const EngineEvent& event) {
    object.text("kind", "engine");
    object.text("event", name_of(event.kind));
    object.instant("now_ms", event.now);
    if (!event.worker.empty()) object.text("worker", event.worker);
    if (event.client) client(*event.client);
    if (!event.job_id.empty()) object.text("job_id", event.job_id);
    if (event.run != 0) object.number("run", event.run);
    if (!event.word.empty()) object.text("word", event.word);
    if (!event.row.empty()) object.text("row", event.row);
    if (event.numbers.empty()) return;
    JsonObject numbers(object.member("numbers"));
    for (const auto& [name, number] : event.numbers) numbers.number(name, number);
    numbers.end();
  }
};

}  // namespace

std::string event_line(const Event& event, std::span<const std::string> clients) {
  std::string line;
  JsonObject object(line);
  std::visit(EventWriter{object, clients}, event);
  object.end();
  return line;
}

}  // namespace assay
