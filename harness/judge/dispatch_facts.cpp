#include "harness/judge/dispatch_facts.h"

#include <sstream>

namespace assay {

static std::int64_t number_in(const EngineEvent& event, const std::string& name) {
  const auto at = event.numbers.find(name);
  return at == event.numbers.end() ? 0 : at->second;
}

void DispatchFacts::take(Mark here, const EngineEvent& event, int worker) {
  using Kind = EngineEvent::Kind;
  switch (event.kind) {
    case Kind::wakeup_sent:
      sent_about_[event.job_id].push_back(sent.size());
      sent.push_back({number_in(event, "message"), event.job_id, worker, here});
      break;
    case Kind::wakeup_received:
      take_heard(here, event, worker);
      break;
    case Kind::wakeup_prolonged:
      if (WakeUpHeard* one = delivery(event))
        one->prolonged.emplace_back(here, instant_from_ms(number_in(event, "until_ms")));
      break;
    case Kind::wakeup_deleted:
      if (WakeUpHeard* one = delivery(event)) one->deleted = here;
      break;
    case Kind::wakeup_spoiled:
      take_spoiled(here, event);
      break;
    case Kind::row_written:
      take_written(here, event, worker);
      break;
    case Kind::row_dropped:
    case Kind::row_parked:
    case Kind::event_routed:
      take_row(here, event, worker);
      break;
    default:
      break;
  }
}

WakeUpHeard* DispatchFacts::delivery(const EngineEvent& event) {
  const auto at = by_receipt_.find(number_in(event, "receipt"));
  return at == by_receipt_.end() ? nullptr : &heard[at->second];
}

void DispatchFacts::take_heard(Mark here, const EngineEvent& event, int worker) {
  const std::int64_t number = number_in(event, "message");
  WakeUpHeard fresh{number, number_in(event, "receipt"), event.job_id, worker, here};
  fresh.hidden_until = instant_from_ms(number_in(event, "until_ms"));
  auto& about = heard_about_[event.job_id];
  // A doubled one is two of the same number: only one that had its time is this one again.
  for (const std::size_t i : about)
    if (WakeUpHeard& other = heard[i];
        other.number == number && !other.deleted && !other.heard_again) {
      const Instant until =
          other.prolonged.empty() ? other.hidden_until : other.prolonged.back().second;
      bool shown_again = false;
      for (const WakeUpSent& one : sent)
        if (one.number == number) shown_again = one.is_shown_again;
      if (until <= here.now || shown_again) {
        other.heard_again = here;
        break;
      }
    }
  by_receipt_[fresh.receipt] = heard.size();
  about.push_back(heard.size());
  heard.push_back(std::move(fresh));
}

void DispatchFacts::take_spoiled(Mark here, const EngineEvent& event) {
  for (std::size_t i = sent.size(); i-- > 0;) {
    WakeUpSent& one = sent[i];
    if (one.number != number_in(event, "message")) continue;
    if (event.word == "dropped") one.dropped = here;
    if (event.word == "doubled") one.is_doubled = true;
    if (event.word == "shown_again") one.is_shown_again = true;
    return;
  }
}

// "KIND COMPANION TARGET"
void DispatchFacts::take_written(Mark here, const EngineEvent& event, int worker) {
  std::istringstream words(event.word);
  RowSeen::Writing writing{here, worker, {}};
  RowSeen row;
  row.id = event.row;
  words >> row.kind >> writing.companion;
  std::getline(words >> std::ws, row.target);
  row.task = event.job_id;
  row.run = event.run;
  if (const auto open = open_.find(event.row); open != open_.end()) {
    rows[open->second].written.push_back(std::move(writing));
    return;
  }
  row.written.push_back(std::move(writing));
  open_[event.row] = rows.size();
  rows.push_back(std::move(row));
}

void DispatchFacts::take_row(Mark here, const EngineEvent& event, int worker) {
  const auto open = open_.find(event.row);
  if (open == open_.end()) return;
  RowSeen& row = rows[open->second];
  if (event.kind == EngineEvent::Kind::event_routed) {
    (event.numbers.contains("refused") ? row.refused : row.routed).push_back(here);
    row.routed_elsewhere = row.routed_elsewhere || event.word != row.target;
    return;
  }
  if (event.kind == EngineEvent::Kind::row_parked) {
    row.parked = here;
  } else {
    row.dropped = here;
    row.dropped_by = worker;
    row.made_job = event.word == "enqueue";
  }
  open_.erase(open);
}

std::vector<const WakeUpSent*> DispatchFacts::sent_about(const JobId& id) const {
  std::vector<const WakeUpSent*> about;
  if (const auto at = sent_about_.find(id); at != sent_about_.end())
    for (const std::size_t i : at->second) about.push_back(&sent[i]);
  return about;
}

std::vector<const WakeUpHeard*> DispatchFacts::heard_about(const JobId& id) const {
  std::vector<const WakeUpHeard*> about;
  if (const auto at = heard_about_.find(id); at != heard_about_.end())
    for (const std::size_t i : at->second) about.push_back(&heard[i]);
  return about;
}

}  // namespace assay
