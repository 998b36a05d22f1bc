#include "harness/plan/story.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/history/payload.h"
#include "harness/plan/detail/dispatch_story.h"
#include "harness/plan/detail/wording.h"

namespace assay {
namespace {

using detail::length;
using detail::quoted;
using detail::Wording;

std::string payload_size(std::string_view payload) {
  if (!payload.starts_with(payload_digest_marker)) return fmt::format("{} bytes", payload.size());
  payload.remove_prefix(payload_digest_marker.size());
  return fmt::format("{} bytes", payload.substr(0, payload.find(':')));
}

// What a producer may ask for, of a NewJob or a Job.
template <class AnyJob>
std::string terms(const AnyJob& job) {
  std::string text;
  if (job.max_attempts) text += fmt::format(", limit {}", *job.max_attempts);
  if (job.timeout) text += ", timeout " + length(*job.timeout);
  if (job.key) text += ", key " + quoted(*job.key);
  return text;
}

// What the client does: "reserves from "q" for 30 s".
struct Doing {
  const Wording& words;

  std::string held(const Hold& hold) const {
    std::string text =
        fmt::format("{} with {}", words.named_job(hold.job_id), words.named_token(hold.token));
    if (hold.attempt) text += fmt::format(", attempt {}", *hold.attempt);
    return text;
  }

  std::string because(const std::string& error) const {
    return error.empty() ? "" : ", error " + quoted(error);
  }

  std::string operator()(const Enqueue& r) const {
    const NewJob& job = r.job;
    std::string text =
        fmt::format("enqueues a job of type {} into {}", quoted(job.type), quoted(job.queue));
    if (job.id) text += ", with the id " + quoted(*job.id);
    if (!job.payload.empty()) text += ", " + payload_size(job.payload);
    if (job.run_at) text += ", to run at " + words.at(*job.run_at);
    text += terms(job);
    if (job.priority) text += fmt::format(", priority {}", *job.priority);
    if (job.attempts) text += fmt::format(", counter {}", *job.attempts);
    return text;
  }
  std::string operator()(const Reserve& r) const {
    std::string queues;
    for (const auto& queue : r.queues) queues += (queues.empty() ? "" : ", ") + quoted(queue);
    std::string text = fmt::format("reserves from {} for {}", queues.empty() ? "nothing" : queues,
                                   length(r.lease));
    if (r.max != 1) text += fmt::format(", at most {}", r.max);
    if (r.job_id) text += ", only " + words.named_job(*r.job_id);
    return text;
  }
  std::string operator()(const Extend& r) const {
    return fmt::format("extends {}, by {}", held(r.hold), length(r.lease));
  }
  std::string operator()(const Ack& r) const { return "acks " + held(r.hold); }
  std::string operator()(const Retry& r) const {
    return fmt::format("retries {}, to run at {}, counter {}{}", held(r.hold), words.at(r.run_at),
                       r.attempts, because(r.error));
  }
  std::string operator()(const Fail& r) const {
    const std::string reason = r.reason.empty() ? "" : ", reason " + quoted(r.reason);
    return fmt::format("fails {}, counter {}{}{}", held(r.hold), r.attempts, reason,
                       because(r.error));
  }
  std::string operator()(const Nack& r) const {
    return fmt::format("nacks {}{}{}", held(r.hold), because(r.error),
                       r.unrecoverable ? ", unrecoverable" : "");
  }
  std::string operator()(const Cancel& r) const { return "cancels " + words.named_job(r.job_id); }
  std::string operator()(const Pause& r) const { return "pauses " + quoted(r.queue); }
  std::string operator()(const Resume& r) const { return "resumes " + quoted(r.queue); }
  std::string operator()(const Get& r) const { return "looks at " + words.named_job(r.job_id); }
  std::string operator()(const List& r) const {
    const std::string what = r.state ? fmt::format("the {} jobs", name_of(*r.state)) : "the jobs";
    return page(what, r.queue, r.limit, r.cursor);
  }
  std::string operator()(const Dead& r) const {
    return page("the dead letters", r.queue, r.limit, r.cursor);
  }
  std::string page(std::string_view what, const std::string& queue, std::int64_t limit,
                   const std::optional<std::string>& cursor) const {
    return fmt::format("lists {} of {}, {} a page{}", what, quoted(queue), limit,
                       cursor ? ", from cursor " + quoted(*cursor) : "");
  }
  std::string operator()(const Requeue& r) const {
    std::string text = "requeues " + words.named_job(r.job_id);
    if (r.run_at) text += ", to run at " + words.at(*r.run_at);
    return text + (r.reset_attempts ? ", counter reset" : "");
  }
  std::string operator()(const Close&) const { return "closes its session"; }
};

// What it gets for it.
struct Getting {
  Wording& words;

  std::string operator()(const Done&) { return "ok"; }
  std::string operator()(const Enqueued& r) {
    return r.existed ? fmt::format("{} is there already", words.shown_job(r.id))
                     : "makes " + words.shown_job(r.id);
  }

  std::string claim(const Claim& claim) {
    std::string text = words.shown_job(claim.job.id);
    text += " with " + words.shown_token(claim.token);
    if (claim.attempt) text += fmt::format(", attempt {}", *claim.attempt);
    if (claim.version) text += fmt::format(", version {}", *claim.version);
    if (claim.job.attempts != 0) text += fmt::format(", counter {}", claim.job.attempts);
    return text + ", until " + words.at(claim.expires_at);
  }
  std::string operator()(const Claims& r) {
    if (r.claims.empty()) return "gets nothing";
    std::string text;
    for (const auto& each : r.claims) text += (text.empty() ? "gets " : "; and ") + claim(each);
    return text;
  }

  std::string operator()(const Extended& r) { return "holds it until " + words.at(r.expires_at); }
  std::string operator()(const Nacked& r) {
    const std::string when = r.run_at ? ", to run at " + words.at(*r.run_at) : "";
    return fmt::format("it is {}{}", name_of(r.state), when);
  }
  std::string operator()(const Cancelled& r) { return fmt::format("it is {}", name_of(r.state)); }

  std::string standing(const Job& job) {
    std::string text = fmt::format("{}, counter {}", name_of(job.state), job.attempts);
    if (job.run_at && (job.state == JobState::scheduled || job.state == JobState::ready))
      text += ", to run at " + words.at(*job.run_at);
    if (job.last_error) text += ", last error " + quoted(*job.last_error);
    return text;
  }
  std::string operator()(const JobView& r) {
    std::string text = fmt::format("{} is {}", words.shown_job(r.job.id), standing(r.job));
    if (!r.job.payload.empty()) text += ", " + payload_size(r.job.payload);
    text += terms(r.job);
    if (r.job.priority != 0) text += fmt::format(", priority {}", r.job.priority);
    if (r.job.created_at && *r.job.created_at != words.start())
      text += ", made at " + words.at(*r.job.created_at);
    if (r.lease) {
      text += ", held with " + words.shown_token(r.lease->token);
      if (r.lease->worker) text += " by " + detail::person(*r.lease->worker);
      text += " until " + words.at(r.lease->expires_at);
    }
    if (r.dead) text += ", dead " + since(r.dead->at, r.dead->reason);
    return text;
  }

  std::string since(Instant when, const std::string& reason) {
    return "since " + words.at(when) + (reason.empty() ? "" : " for " + quoted(reason));
  }

  std::string rest(const std::optional<std::string>& cursor) {
    return cursor ? "; more behind cursor " + quoted(*cursor) : "";
  }
  std::string operator()(const JobPage& r) {
    std::string text;
    for (const auto& job : r.jobs)
      text += fmt::format("{}{} {}", text.empty() ? "sees " : "; ", words.shown_job(job.id),
                          standing(job));
    return (text.empty() ? "sees none" : text) + rest(r.cursor);
  }
  std::string operator()(const DeadPage& r) {
    std::string text;
    for (const auto& entry : r.entries)
      text += fmt::format("{}{} {}", text.empty() ? "sees " : "; ", words.shown_job(entry.job_id),
                          since(entry.at, entry.reason));
    return (text.empty() ? "sees none" : text) + rest(r.cursor);
  }
  std::string operator()(const Requeued& r) {
    return "it is " + words.shown_job(r.job_id) + " now";
  }
};

std::string in_words(const Error& error) {
  std::string text(name_of(error.code));
  if (error.reason != LeaseReason::unstated) text += fmt::format(" ({})", name_of(error.reason));
  return error.message.empty() ? text : fmt::format("{}, {}", text, quoted(error.message));
}

std::string ending(const ReturnEvent* answer, Wording& words) {
  if (!answer) return "no answer";
  if (answer->outcome == OutcomeKind::ok) return std::visit(Getting{words}, answer->response);
  if (answer->outcome == OutcomeKind::refused) return "refused as " + in_words(answer->error);
  return "outcome unknown: " + in_words(answer->error);
}

std::string client_name(const History& history, int client) {
  const auto index = static_cast<std::size_t>(client);
  return index < history.clients.size() ? detail::person(history.clients[index])
                                        : fmt::format("#{}", client);
}

// What overlaps a call that begins: ", at once with 3 and 4,".
std::string meanwhile(const std::set<OpId>& open) {
  constexpr std::size_t at_most = 4;
  std::string text;
  std::size_t told = 0;
  for (const OpId op : open) {
    const bool is_last = ++told == open.size();
    if (told > at_most) return text + " and others,";
    text += fmt::format("{}{}", told == 1 ? ", at once with " : is_last ? " and " : ", ", op + 1);
  }
  return text.empty() ? text : text + ",";
}

// What an engine's people do; empty where that is of no use to a reader.
std::string of_engine(const EngineEvent& event, Wording& words) {
  using Kind = EngineEvent::Kind;
  const std::string who = detail::person(event.worker);
  const auto at = [&] { return words.at(event.now); };
  const auto run = [&] {
    return fmt::format("{}'s handler of {} (run {})", who, words.named_job(event.job_id),
                       event.run);
  };
  switch (event.kind) {
    case Kind::begins:
    case Kind::worker_connected:
      return "";
    case Kind::worker_started:
      return fmt::format("{} starts at {}", who, at());
    case Kind::worker_stopping:
      return fmt::format("{} is asked to end at {}", who, at());
    case Kind::worker_ended:
      return fmt::format("{} has ended at {}", who, at());
    case Kind::worker_died:
      return fmt::format("{} dies at {}", who, at());
    case Kind::line_lost:
      return fmt::format("{} gets no answers any more at {}", who, at());
    case Kind::line_back:
      return fmt::format("{} gets answers again at {}", who, at());
    case Kind::handler_began:
      return fmt::format("{} begins at {}", run(), at());
    case Kind::handler_told_to_stop:
      return fmt::format("{} is told to stop at {}: {}", run(), at(), event.word);
    case Kind::event_sent:
      return fmt::format("{} sends an event to {} at {}", run(), event.word, at());
    case Kind::handler_ended:
      return fmt::format("{} ends at {}: {}", run(), at(), event.word);
    case Kind::surfaced:
      return fmt::format("{} tells of an error at {}: {}", who, at(), event.word);
    case Kind::held_back:
      return fmt::format("{} does not run {} yet at {}: {}", who, words.named_job(event.job_id),
                         at(), event.word);
    case Kind::watched:
      return fmt::format("at {} every job has ended, or had its time", at());
    case Kind::schedule_declared:
      return fmt::format("at {} a schedule is declared: {}", at(), event.word);
    case Kind::schedule_paused:
      return fmt::format("at {} the schedule {} is paused", at(), event.word);
    case Kind::schedule_resumed:
      return fmt::format("at {} the schedule {} is resumed", at(), event.word);
    case Kind::caller_asked:
      return fmt::format("{} makes order {} at {}: {}", who, event.run, at(), event.word);
    case Kind::caller_answered:
      return fmt::format("{} is answered order {} at {}: {} {}", who, event.run, at(), event.word,
                         event.job_id.empty() ? "" : words.named_job(event.job_id));
    case Kind::flow_declared:
      return fmt::format("at {} a flow is handed in: {}", at(), event.word);
    case Kind::flow_answered:
      return fmt::format("at {} whoever handed it in is told of flow {}", at(), event.word);
    case Kind::flow_seen:
      return fmt::format("in the end flow {}", event.word);
    case Kind::member_seen:
      return fmt::format("in the end step {}", event.word);
    case Kind::output_asked:
      return fmt::format("{} asks at {} to {}", run(), at(), event.word);
    case Kind::output_answered:
      return fmt::format("{} is answered at {}: {}", run(), at(), event.word);
    case Kind::outputs_seen:
      return fmt::format("in the end the outputs of {} are read: {}", words.named_job(event.job_id),
                         event.word);
    case Kind::output_seen:
      return fmt::format("in the end {} has the output {}", words.named_job(event.job_id),
                         event.word);
    default:
      return detail::of_dispatch(event, words);
  }
}

std::vector<std::string> tell_in(Wording& words, const History& history) {
  std::map<OpId, const ReturnEvent*> answers;
  for (const auto& event : history.events)
    if (const auto* answer = std::get_if<ReturnEvent>(&event)) answers.emplace(answer->op, answer);
  std::vector<std::string> story;
  std::set<OpId> open;
  for (const auto& event : history.events) {
    if (const auto* call = std::get_if<CallEvent>(&event)) {
      const auto answer = answers.find(call->op);
      const std::string doing = std::visit(Doing{words}, call->request);
      story.push_back(fmt::format(
          "{}. {}{} {}: {}", call->op + 1, client_name(history, call->client), meanwhile(open),
          doing, ending(answer == answers.end() ? nullptr : answer->second, words)));
      open.insert(call->op);
    } else if (const auto* end = std::get_if<ReturnEvent>(&event)) {
      open.erase(end->op);
    } else if (const auto* clock = std::get_if<ClockEvent>(&event)) {
      story.push_back(fmt::format("   the clock moves to {}", words.at(clock->now)));
    } else if (const auto* fault = std::get_if<FaultEvent>(&event)) {
      if (fault->stage == FaultEvent::Stage::proven) continue;
      story.push_back(fmt::format(
          "   {} {}{}", fault->fault, fault->stage == FaultEvent::Stage::begun ? "begins" : "ends",
          fault->client ? ": " + client_name(history, *fault->client) : std::string()));
    } else if (const auto* engine = std::get_if<EngineEvent>(&event)) {
      if (auto line = of_engine(*engine, words); !line.empty())
        story.push_back("   " + std::move(line));
    }
  }
  return story;
}

}  // namespace

std::vector<std::string> tell(const History& history) { return tell(history, start_of(history)); }

std::vector<std::string> tell(const History& history, Instant start) {
  Wording words(start);
  return tell_in(words, history);
}

std::string tell(const History& history, const Finding& finding) {
  return tell(history, finding, start_of(history));
}

std::string tell(const History& history, const Finding& finding, Instant start) {
  Wording words(start);
  tell_in(words, history);
  const std::string step =
      finding.ops.empty() ? ""
                          : fmt::format("step {}: ", finding.at.value_or(finding.ops.back()) + 1);
  return step + words.renamed(finding.story);
}

}  // namespace assay
