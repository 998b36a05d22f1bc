#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/contract/detail/operation_json.h"
#include "harness/contract/detail/quick_json.h"
#include "harness/history/detail/lines.h"
#include "harness/history/payload.h"

namespace assay::detail {

template <class Fields>
std::string read_kept_payload(Fields& fields) {
  if (fields.has("payload_digest"))
    return std::string(payload_digest_marker) + fields.text("payload_digest");
  if (fields.tolerant() && !fields.has("payload")) return "";
  return read_whole_payload(fields);
}

int EventReader::client(Fields& fields) const {
  if (fields.any("client").is_number()) {
    const int index = fields.small("client");
    if (index < 0 || static_cast<std::size_t>(index) >= clients_.size())
      fields.wrong("client", fmt::format("there is no client {}", index));
    return index;
  }
  const std::string name = fields.text("client");
  const auto found = std::find(clients_.begin(), clients_.end(), name);
  if (found == clients_.end())
    fields.wrong("client", fmt::format("the header names no client \"{}\"", name));
  return static_cast<int>(found - clients_.begin());
}

CallEvent EventReader::call(Fields& fields) {
  CallEvent event{fields.unsigned_number("op"), client(fields), fields.instant("now_ms"),
                  read_request(fields, fields.text("request"), read_kept_payload)};
  if (!open_.emplace(event.op, event.request).second)
    fields.wrong("op", fmt::format("operation {} has begun already", event.op));
  return event;
}

template <class Fields>
void read_outcome(Fields& fields, const Request& of, ReturnEvent& to) {
  const bool lenient = fields.tolerant();
  const auto outcome = fields.word("outcome");
  if (outcome == "ok") {
    Fields ok = lenient && !fields.has("ok") ? Fields::nothing("ok") : fields.object("ok");
    to.response = read_response(ok, of, read_kept_payload);
    ok.finish();
  } else if (outcome == "refused" || outcome == "unknown") {
    to.outcome = outcome == "refused" ? OutcomeKind::refused : OutcomeKind::unknown;
    if (to.outcome == OutcomeKind::unknown && lenient && !fields.has("error")) return;
    to.error = read_error(fields.object("error"));
  } else {
    fields.wrong("outcome", "must be ok, refused or unknown");
  }
}

FaultEvent read_fault(Fields& fields) {
  FaultEvent event;
  const auto stage = fault_stage_from(fields.text("stage"));
  if (!stage) fields.wrong("stage", "must be begun, proven or ended");
  event.stage = *stage;
  if (fields.has("number")) event.number = fields.unsigned_number("number");
  event.fault = fields.text("fault");
  const auto effect = fault_effect_from(fields.text_or("effect", "none"));
  if (!effect)
    fields.wrong("effect", "must be none, client_died, client_stalled, clock_wrong or store_away");
  event.effect = *effect;
  event.proof = fields.text_or("proof", "");
  if (fields.has("in_flight"))
    for (const auto& op : fields.array("in_flight")) {
      if (!op.is_number_unsigned()) fields.wrong("in_flight", "must be numbers of operations");
      event.in_flight.push_back(op.get<OpId>());
    }
  return event;
}

EngineEvent read_engine_event(Fields& fields) {
  EngineEvent event;
  const auto kind = engine_event_from(fields.text("event"));
  if (!kind) fields.wrong("event", "is nothing that an engine does");
  event.kind = *kind;
  event.now = fields.instant("now_ms");
  event.worker = fields.text_or("worker", "");
  event.job_id = fields.text_or("job_id", "");
  event.run = fields.number_or("run", 0);
  event.word = fields.text_or("word", "");
  event.row = fields.text_or("row", "");
  if (!fields.has("numbers")) return event;
  Fields numbers = fields.object("numbers");
  for (const auto& [name, number] : fields.any("numbers").items())
    event.numbers[name] = numbers.number(name);
  return event;
}

template std::string read_kept_payload(Fields&);
template std::string read_kept_payload(QuickFields&);
template void read_outcome(Fields&, const Request&, ReturnEvent&);
template void read_outcome(QuickFields&, const Request&, ReturnEvent&);

ReturnEvent EventReader::answer(Fields& fields) {
  ReturnEvent event;
  event.op = fields.unsigned_number("op");
  const auto call = open_.extract(event.op);
  if (call.empty())
    fields.wrong("op", fmt::format("operation {} has not begun, or has ended already", event.op));
  read_outcome(fields, call.mapped(), event);
  if (fields.has("now_ms")) event.now = fields.instant("now_ms");
  return event;
}

Event EventReader::event(Fields& fields, std::string_view kind) {
  if (kind == "call") return call(fields);
  if (kind == "return") return answer(fields);
  if (kind == "clock") return ClockEvent{fields.instant("now_ms")};
  if (kind == "fault") {
    FaultEvent event = read_fault(fields);
    if (fields.has("client")) event.client = client(fields);
    return event;
  }
  if (kind == "engine") {
    EngineEvent event = read_engine_event(fields);
    if (fields.has("client")) event.client = client(fields);
    return event;
  }
  fields.wrong("kind", fmt::format("\"{}\" is not a kind of line", kind));
}

}  // namespace assay::detail
