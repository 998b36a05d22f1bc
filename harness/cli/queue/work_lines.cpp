#include "harness/cli/queue/work_lines.h"

#include <fmt/format.h>

#include <array>

#include "harness/cli/queue/shown.h"
#include "harness/contract/detail/json_writer.h"
#include "reports/text.h"

namespace assay::cli::queue {

using engine::Event;

namespace {

using Line = std::optional<std::string>;

std::string said(const std::optional<Error>& error) {
  return error ? fmt::format("{}: {}", name_of(error->code), error->message) : "ok";
}

struct Wording {
  Line operator()(const engine::HandlerBegan&) const { return "began"; }
  Line operator()(const engine::HandlerEnded& e) const {
    if (e.succeeded) return "succeeded";
    return fmt::format("failed{}: {}", e.failure.unrecoverable ? " for good" : "", e.failure.error);
  }
  Line operator()(const engine::SettleAnswered& e) const {
    if (e.error) return fmt::format("{} not taken, {}", word(e.kind), said(e.error));
    // A success was told when its handler ended.
    return e.kind == engine::SettleKind::ack ? Line{} : word(e.kind);
  }
  Line operator()(const engine::LeaseLost& e) const { return "lost its lease: " + e.how; }
  Line operator()(const engine::Interrupted& e) const {
    return fmt::format("interrupted: {}", name_of(e.why));
  }
  Line operator()(const engine::NotDispatched& e) const {
    return fmt::format("not run: {}", name_of(e.why));
  }
  Line operator()(const engine::LeftToLapse& e) const { return "left to lapse: " + e.why; }
  Line operator()(const engine::DidNotReturn&) const { return "did not return: its lease lapses"; }
  Line operator()(const engine::BackingOff& e) const {
    return fmt::format("waits {:.1f} s for the store, {}", e.delay.count() / 1000.0, said(e.error));
  }
  Line operator()(const engine::WindowFired& e) const {
    return fmt::format("made by schedule {}", e.schedule);
  }
  Line operator()(const engine::PhaseBegan& e) const {
    static constexpr std::array<const char*, 4> lines{
        "waits for jobs", "claims no more, and lets its jobs end", "interrupts its jobs", "ended"};
    return lines[static_cast<std::size_t>(e.phase)];
  }
  template <class Other>
  Line operator()(const Other&) const {
    return std::nullopt;
  }

  static std::string word(engine::SettleKind kind) {
    static constexpr std::array<const char*, 6> words{"success",  "will be retried",
                                                      "is dead",  "failure taken by the store",
                                                      "put back", "put back for later"};
    return words[static_cast<std::size_t>(kind)];
  }
};

struct JsonName {
  assay::detail::JsonObject& to;
  const Event& whole;

  void event(const char* name) { to.text("event", name); }
  void operator()(const engine::Claimed& e) {
    event("claimed");
    to.text("queue", e.queue);
    to.instant("expires_at_ms", e.expires_at);
  }
  void operator()(const engine::HandlerBegan&) { event("began"); }
  void operator()(const engine::HandlerEnded& e) {
    event(e.succeeded ? "succeeded" : "failed");
    if (e.succeeded) return;
    to.text("error", e.failure.error);
    to.flag("unrecoverable", e.failure.unrecoverable);
  }
  void operator()(const engine::HeartbeatSent&) { event("heartbeat_sent"); }
  void operator()(const engine::HeartbeatAnswered& e) {
    event("heartbeat_answered");
    answer(e.error);
  }
  void operator()(const engine::LeaseLost& e) {
    event("lease_lost");
    to.text("how", e.how);
  }
  void operator()(const engine::Interrupted& e) {
    event("interrupted");
    to.text("why", std::string_view(name_of(e.why)));
  }
  void operator()(const engine::NotDispatched& e) {
    event("not_run");
    to.text("why", std::string_view(name_of(e.why)));
  }
  void operator()(const engine::SettleSent& e) {
    event("settle_sent");
    to.text("kind", std::string_view(name_of(e.kind)));
  }
  void operator()(const engine::SettleAnswered& e) {
    event("settle_answered");
    to.text("kind", std::string_view(name_of(e.kind)));
    answer(e.error);
  }
  void operator()(const engine::LeftToLapse& e) {
    event("left_to_lapse");
    to.text("why", e.why);
  }
  void operator()(const engine::DidNotReturn&) { event("did_not_return"); }
  void operator()(const engine::Idle&) { event("idle"); }
  void operator()(const engine::BackingOff& e) {
    event("backing_off");
    to.duration("delay_ms", e.delay);
    answer(e.error);
  }
  void operator()(const engine::WokenUp&) { event("woken_up"); }
  void operator()(const engine::PhaseBegan& e) {
    static constexpr std::array<const char*, 4> names{"started", "draining", "interrupting",
                                                      "ended"};
    event(names[static_cast<std::size_t>(e.phase)]);
  }

  // What the engine tells of other parts than workers is told in its own words.
  template <class Other>
  void operator()(const Other&) {
    event("other");
    to.text("told", engine::told(whole));
  }

  void answer(const std::optional<Error>& error) {
    if (!error) return;
    to.text("refused_as", std::string_view(name_of(error->code)));
    to.text("message", error->message);
  }
};

std::string job_of(const Event& event, const std::string& type) {
  if (event.delivery.job_id.empty()) return event.worker;
  if (event.delivery.run == 0) return event.delivery.job_id;
  return fmt::format("{} {} run {}", event.delivery.job_id, type, event.delivery.run);
}

}  // namespace

std::optional<std::string> line_of(const Event& event, const std::string& type) {
  const Line what = std::visit(Wording{}, event.what);
  if (!what) return std::nullopt;
  // Each event has one line, whatever is in an error.
  const std::string line = brief(fmt::format("{}: {}", job_of(event, type), *what), 500);
  return fmt::format("{}  {}", clock_text(event.at).substr(11, 12), line);
}

std::string json_of(const Event& event, const std::string& type) {
  std::string out;
  assay::detail::JsonObject object(out);
  object.instant("at_ms", event.at);
  object.text("worker", event.worker);
  if (event.slot >= 0) object.number("slot", event.slot);
  if (!event.delivery.job_id.empty()) {
    object.text("job", event.delivery.job_id);
    object.text("type", type);
    object.number("run", event.delivery.run);
  }
  std::visit(JsonName{object, event}, event.what);
  object.end();
  return out;
}

void WorkLines::see(const Event& event) {
  if (style_ == Style::none) return;
  const std::lock_guard lock(mutex_);
  if (const auto* claimed = std::get_if<engine::Claimed>(&event.what))
    types_[event.delivery.token] = claimed->type;
  const auto known = types_.find(event.delivery.token);
  const std::string type = known == types_.end() ? "" : known->second;
  if (style_ == Style::json) {
    const bool is_idle = std::holds_alternative<engine::Idle>(event.what);
    if (!is_idle) teller_.say(json_of(event, type));
  } else if (auto line = line_of(event, type)) {
    teller_.say(std::move(*line));
  }
  const bool is_last = std::holds_alternative<engine::SettleAnswered>(event.what) ||
                       std::holds_alternative<engine::LeftToLapse>(event.what);
  // A settle may be tried again: then its type is unknown, and no more.
  if (is_last && known != types_.end() && types_.size() > 1'000) types_.erase(known);
}

void WorkLines::said(const Job& job, const std::string& output) {
  if (style_ == Style::none || output.empty()) return;
  if (style_ == Style::json) {
    std::string out;
    assay::detail::JsonObject object(out);
    object.text("job", job.id);
    object.text("type", job.type);
    object.text("event", "output");
    object.text("output", output);
    object.end();
    return teller_.say(std::move(out));
  }
  constexpr std::size_t most_lines = 20;
  std::size_t lines = 0;
  for (std::size_t from = 0; from < output.size() && lines < most_lines; ++lines) {
    const std::size_t to = std::min(output.find('\n', from), output.size());
    teller_.say("              | " + brief(output.substr(from, to - from), 400));
    from = to + 1;
    if (lines + 1 == most_lines && from < output.size()) teller_.say("              | ...");
  }
}

}  // namespace assay::cli::queue
