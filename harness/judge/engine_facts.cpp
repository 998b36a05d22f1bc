#include "harness/judge/engine_facts.h"

#include <algorithm>

namespace assay {

static const Hold* hold_in(const Request& request, bool& settles) {
  settles = true;
  if (const auto* ack = std::get_if<Ack>(&request)) return &ack->hold;
  if (const auto* retry = std::get_if<Retry>(&request)) return &retry->hold;
  if (const auto* fail = std::get_if<Fail>(&request)) return &fail->hold;
  if (const auto* nack = std::get_if<Nack>(&request)) return &nack->hold;
  settles = false;
  if (const auto* extend = std::get_if<Extend>(&request)) return &extend->hold;
  return nullptr;
}

static std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

std::int64_t EngineWorker::number(const std::string& of) const {
  const auto at = numbers.find(of);
  return at == numbers.end() ? 0 : at->second;
}

void EngineFacts::take(Place place, const Event& event) {
  if (const auto* call = std::get_if<CallEvent>(&event))
    take_call(place, *call);
  else if (const auto* end = std::get_if<ReturnEvent>(&event))
    take_return(place, *end);
  else if (const auto* fault = std::get_if<FaultEvent>(&event))
    take_fault(place, *fault);
  else if (const auto* engine = std::get_if<EngineEvent>(&event))
    take_engine(place, *engine);
  else
    now_ = std::get<ClockEvent>(event).now;
  last = {place, now_};
}

void EngineFacts::take_call(Place place, const CallEvent& event) {
  // A close brings no clock of its own.
  now_ = std::max(now_, event.now);
  EngineCall call;
  call.op = event.op;
  call.began = {place, now_};
  call.request = event.request;
  if (const auto at = worker_of_.find(event.client); at != worker_of_.end())
    call.worker = at->second;
  open_[event.op] = calls.size();
  calls.push_back(std::move(call));
  const std::size_t index = calls.size() - 1;
  bool settles = false;
  if (const Hold* hold = hold_in(calls[index].request, settles)) note_hold(index, *hold, settles);
}

void EngineFacts::note_hold(std::size_t call, const Hold& hold, bool settles) {
  if (settles) jobs_[hold.job_id].changes.push_back(call);
  const auto at = by_token_.find(hold.token);
  if (at == by_token_.end()) return;
  Assignment& assignment = assignments[at->second];
  if (assignment.claim.job.id != hold.job_id) return;
  (settles ? assignment.settles : assignment.heartbeats).push_back(call);
}

void EngineFacts::take_return(Place place, const ReturnEvent& event) {
  const auto at = open_.find(event.op);
  if (at == open_.end()) return;
  EngineCall& call = calls[at->second];
  const std::size_t index = at->second;
  open_.erase(at);
  if (event.now) now_ = std::max(now_, *event.now);
  call.ended = Mark{place, now_};
  call.outcome = event.outcome;
  call.response = event.response;
  call.error = event.error;
  learn(index);
}

void EngineFacts::learn(std::size_t index) {
  const EngineCall& call = calls[index];
  if (call.refused()) return;
  // Without an answer they may have been made all the same.
  if (const auto* cancel = std::get_if<Cancel>(&call.request))
    jobs_[cancel->job_id].changes.push_back(index);
  if (const auto* requeue = std::get_if<Requeue>(&call.request))
    jobs_[requeue->job_id].changes.push_back(index);
  if (!call.ok()) return;
  if (const auto* made = std::get_if<Enqueued>(&call.response)) {
    JobStory& story = jobs_[made->id];
    if (!story.enqueued) story.enqueued = index;
  } else if (const auto* claims = std::get_if<Claims>(&call.response)) {
    assign(index, *claims);
  } else if (const auto* view = std::get_if<JobView>(&call.response)) {
    jobs_[view->job.id].last_seen = view->job.state;
    jobs_[view->job.id].last_seen_at = call.ended->place;
  } else if (const auto* extended = std::get_if<Extended>(&call.response)) {
    const auto at = by_token_.find(std::get<Extend>(call.request).hold.token);
    if (at != by_token_.end()) assignments[at->second].expires_at = extended->expires_at;
  }
}

// What it does with jobs that it makes for itself is its own business.
bool EngineFacts::is_own(int worker, const std::string& type) const {
  if (worker < 0) return false;
  const auto& own = workers[static_cast<std::size_t>(worker)].own;
  return std::ranges::find(own, type) != own.end();
}

void EngineFacts::assign(std::size_t call, const Claims& claims) {
  for (const Claim& claim : claims.claims) {
    if (is_own(calls[call].worker, claim.job.type)) continue;
    Assignment assignment;
    assignment.claimed = call;
    assignment.worker = calls[call].worker;
    assignment.claim = claim;
    assignment.at = *calls[call].ended;
    assignment.expires_at = claim.expires_at;
    by_token_[claim.token] = assignments.size();
    jobs_[claim.job.id].assignments.push_back(assignments.size());
    assignments.push_back(std::move(assignment));
  }
}

void EngineFacts::take_fault(Place place, const FaultEvent& event) {
  if (event.effect != FaultEffect::store_away) return;
  if (event.stage == FaultEvent::Stage::begun) outages.push_back({{}, {place, now_}, {}});
  if (event.stage == FaultEvent::Stage::ended) end_outage(std::nullopt, {place, now_});
}

void EngineFacts::end_outage(std::optional<int> worker, Mark here) {
  for (TimeAway& outage : outages)
    if (!outage.ended && outage.worker == worker) outage.ended = here;
}

// The line is that of its name: whoever starts under it has it as it is.
void EngineFacts::take_line_over(int before, Mark here) {
  const bool is_lost = before >= 0 && std::ranges::any_of(outages, [&](const TimeAway& outage) {
                         return outage.worker == before && !outage.ended;
                       });
  if (!is_lost) return;
  end_outage(before, here);
  outages.push_back({static_cast<int>(workers.size()) - 1, here, {}});
}

int EngineFacts::worker_named(const std::string& name) const {
  for (std::size_t i = workers.size(); i-- > 0;)
    if (workers[i].name == name) return static_cast<int>(i);
  return -1;
}

static std::int64_t handler_of(const EngineEvent& event) {
  const auto at = event.numbers.find("handler");
  return at == event.numbers.end() ? 0 : at->second;
}

// The same run may go on twice in one worker: that of a lease that was lost, and the next one.
HandlerRun* EngineFacts::open_run(int worker, const EngineEvent& event) {
  const JobStory& story = jobs_[event.job_id];
  for (std::size_t i = story.runs.size(); i-- > 0;) {
    HandlerRun& run = runs[story.runs[i]];
    if (run.worker == worker && run.number == event.run && run.handler == handler_of(event) &&
        !run.ended)
      return &run;
  }
  return nullptr;
}

void EngineFacts::take_engine(Place place, const EngineEvent& event) {
  using Kind = EngineEvent::Kind;
  now_ = event.now;
  if (!start) start = event.now;
  const Mark here{place, event.now};
  const int index = worker_named(event.worker);
  EngineWorker* const worker = index < 0 ? nullptr : &workers[static_cast<std::size_t>(index)];
  switch (event.kind) {
    case Kind::begins:
      break;
    case Kind::watched:
      watched = here;
      break;
    case Kind::worker_started: {
      // "type,type;queue,queue;own,own"
      const std::size_t apart = std::min(event.word.find(';'), event.word.size());
      const std::size_t behind = std::min(event.word.find(';', apart + 1), event.word.size());
      EngineWorker fresh;
      fresh.name = event.worker;
      fresh.numbers = event.numbers;
      fresh.types = listed(event.word.substr(0, apart));
      if (apart < behind) fresh.queues = listed(event.word.substr(apart + 1, behind - apart - 1));
      if (behind < event.word.size()) fresh.own = listed(event.word.substr(behind + 1));
      fresh.started = here;
      workers.push_back(std::move(fresh));
      take_line_over(index, here);
      break;
    }
    case Kind::worker_connected:
      if (event.client && worker) worker_of_[*event.client] = index;
      break;
    case Kind::worker_stopping:
      if (worker) worker->stopping = here;
      break;
    case Kind::worker_ended:
      if (worker) worker->ended = here;
      break;
    case Kind::worker_died:
      if (worker) worker->died = here;
      break;
    case Kind::line_lost:
      if (worker) outages.push_back({index, here, {}});
      break;
    case Kind::line_back:
      if (worker) end_outage(index, here);
      break;
    case Kind::handler_began: {
      HandlerRun run;
      run.worker = index;
      run.job_id = event.job_id;
      run.number = event.run;
      run.handler = handler_of(event);
      run.began = here;
      JobStory& story = jobs_[event.job_id];
      // Each claim is good for one run.
      for (const std::size_t i : story.assignments) {
        Assignment& assignment = assignments[i];
        if (assignment.worker != index || assignment.run) continue;
        run.under = i;
      }
      if (run.under) assignments[*run.under].run = runs.size();
      story.runs.push_back(runs.size());
      runs.push_back(std::move(run));
      break;
    }
    case Kind::handler_told_to_stop:
      if (HandlerRun* run = open_run(index, event); run && !run->told_to_stop) {
        run->told_to_stop = here;
        run->why = event.word;
      }
      break;
    case Kind::event_sent:
      if (HandlerRun* run = open_run(index, event))
        run->sent.push_back(event.word);
      break;
    case Kind::handler_ended:
      if (HandlerRun* run = open_run(index, event)) {
        run->ended = here;
        run->how = event.word;
      }
      break;
    case Kind::surfaced:
      surfaced.push_back({index, event.job_id, event.word, here});
      break;
    case Kind::flow_declared:
    case Kind::flow_answered:
    case Kind::flow_seen:
    case Kind::member_seen:
    case Kind::output_asked:
    case Kind::output_answered:
    case Kind::outputs_seen:
    case Kind::output_seen:
      said.push_back({here, event});
      break;
    case Kind::held_back: {
      const JobStory& story = jobs_[event.job_id];
      for (const std::size_t i : story.assignments)
        if (assignments[i].worker == index && !assignments[i].run) assignments[i].held_back = here;
      break;
    }
    case Kind::schedule_declared:
    case Kind::schedule_paused:
    case Kind::schedule_resumed:
      schedules.push_back({event.kind, event.word, event.run == 1, here});
      break;
    case Kind::caller_asked:
    case Kind::caller_answered:
      take_caller(index, here, event);
      break;
    default:
      dispatch.take(here, event, index);
  }
}

void EngineFacts::take_caller(int worker, Mark here, const EngineEvent& event) {
  if (event.kind == EngineEvent::Kind::caller_asked) {
    const std::size_t blank = std::min(event.word.find(' '), event.word.size());
    callers.push_back({worker, event.run, event.word.substr(0, blank),
                       event.word.substr(std::min(blank + 1, event.word.size())), here});
    return;
  }
  for (CallerStory& story : callers) {
    if (story.worker != worker || story.number != event.run || story.answered) continue;
    story.answered = here;
    story.how = event.word;
    story.job_id = event.job_id;
    story.existed = event.numbers.contains("existed");
  }
}

const EngineFacts::JobStory* EngineFacts::job(const JobId& id) const {
  const auto at = jobs_.find(id);
  return at == jobs_.end() ? nullptr : &at->second;
}

Duration EngineFacts::lease_of(const Assignment& assignment) const {
  return std::get<Reserve>(calls[assignment.claimed].request).lease;
}

std::optional<Duration> EngineFacts::timeout_of(const HandlerRun& run) const {
  if (!run.under) return std::nullopt;
  const auto own = assignments[*run.under].claim.job.timeout;
  if (own && *own > Duration{0}) return own;
  const Duration usual = workers[static_cast<std::size_t>(run.worker)].length("timeout_ms");
  return usual > Duration{0} ? std::optional(usual) : std::nullopt;
}

bool EngineFacts::was_reachable(int worker, Mark from, Mark to) const {
  return std::ranges::none_of(outages, [&](const TimeAway& outage) {
    if (outage.worker && *outage.worker != worker) return false;
    return outage.began.place <= to.place && (!outage.ended || outage.ended->place >= from.place);
  });
}

std::optional<SettleMeans> meaning_of(const EngineFacts& facts, const EngineCall& settle,
                                      const Claim& claim) {
  if (std::holds_alternative<Ack>(settle.request)) return SettleMeans::success;
  if (std::holds_alternative<Fail>(settle.request)) return SettleMeans::last_failure;
  if (const auto* nack = std::get_if<Nack>(&settle.request))
    return nack->unrecoverable ? SettleMeans::last_failure : SettleMeans::failure;
  const auto* retry = std::get_if<Retry>(&settle.request);
  if (!retry) return std::nullopt;
  // Where starts are counted, the claim itself was one.
  const std::int64_t untouched =
      claim.job.attempts - (facts.profile.counter == Counter::starts ? 1 : 0);
  return retry->attempts > untouched ? SettleMeans::failure : SettleMeans::put_back;
}

}  // namespace assay
