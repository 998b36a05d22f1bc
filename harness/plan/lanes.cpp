#include "harness/plan/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/plan/detail/wording.h"
#include "harness/plan/story.h"

namespace assay {
namespace {

constexpr std::size_t calls_at_most = 24;  // more are not seen at a glance

// The jobs that a call names, or that it was given.
struct JobsOf {
  std::set<JobId>& jobs;

  void operator()(const Enqueue& r) {
    if (r.job.id) jobs.insert(*r.job.id);
  }
  void operator()(const Reserve& r) {
    if (r.job_id) jobs.insert(*r.job_id);
  }
  template <class R>
  requires requires(const R& r) { r.hold; }
  void operator()(const R& r) { jobs.insert(r.hold.job_id); }
  template <class R>
  requires(requires(const R& r) { r.job_id; } && !std::is_same_v<R, Reserve>) void operator()(
      const R& r) {
    jobs.insert(r.job_id);
  }
  void operator()(const Enqueued& r) { jobs.insert(r.id); }
  void operator()(const Claims& r) {
    for (const Claim& claim : r.claims) jobs.insert(claim.job.id);
  }
  void operator()(const JobView& r) { jobs.insert(r.job.id); }
  void operator()(const auto&) {}
};

struct Operation {
  const CallEvent* call = nullptr;
  const ReturnEvent* end = nullptr;

  std::set<JobId> jobs() const {
    std::set<JobId> all;
    std::visit(JobsOf{all}, call->request);
    if (end && end->outcome == OutcomeKind::ok) std::visit(JobsOf{all}, end->response);
    return all;
  }
};

using Operations = std::map<OpId, Operation>;

Operations operations_of(const History& history) {
  Operations all;
  for (const Event& event : history.events) {
    if (const auto* call = std::get_if<CallEvent>(&event)) all[call->op].call = call;
    if (const auto* end = std::get_if<ReturnEvent>(&event))
      if (const auto at = all.find(end->op); at != all.end()) at->second.end = end;
  }
  return all;
}

bool shares(const std::set<JobId>& one, const std::set<JobId>& other) {
  return std::ranges::any_of(one, [&](const JobId& id) { return other.contains(id); });
}

// The last of those that concern the witness's jobs; looks at whole queues are not among them.
std::set<OpId> worth_showing(const Operations& all, std::span<const OpId> witness) {
  std::set<OpId> shown;
  if (all.size() <= calls_at_most) {
    for (const auto& [op, operation] : all) shown.insert(op);
    return shown;
  }
  shown.insert(witness.begin(), witness.end());
  std::set<JobId> jobs;
  for (const OpId op : witness)
    if (const auto at = all.find(op); at != all.end()) jobs.merge(at->second.jobs());
  for (auto at = all.rbegin(); at != all.rend() && shown.size() < calls_at_most; ++at) {
    if (!witness.empty() && at->first > witness.back()) continue;
    if (shares(at->second.jobs(), jobs)) shown.insert(at->first);
  }
  std::erase_if(shown, [&](OpId op) { return !all.contains(op); });
  return shown;
}

// The name alone: "A" of "job A", or the text itself where the story has no name for it.
std::string bare(const std::string& named) {
  const auto blank = named.find(' ');
  return blank == named.npos ? named : named.substr(blank + 1);
}

class Draughtsman {
 public:
  Draughtsman(const History& history, std::span<const OpId> witness, Instant start)
      : history_(history), witness_(witness), operations_(operations_of(history)), words_(start) {
    shown_ = worth_showing(operations_, witness);
    leave_bystanders_out();
    lanes_.left_out = operations_.size() - shown_.size();
    learn_names();
  }

  Lanes make() {
    const std::vector<const Event*> events = shown_events();
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (const auto* clock = std::get_if<ClockEvent>(events[i])) {
        tick(*clock);
      } else if (const auto* fault = std::get_if<FaultEvent>(events[i])) {
        mark(*fault);
      } else if (const auto* call = std::get_if<CallEvent>(events[i])) {
        const bool at_once = i + 1 < events.size() && answers(*events[i + 1], call->op);
        begin(*call);
        if (at_once) end(std::get<ReturnEvent>(*events[++i]));
        ++lanes_.rows;
      } else {
        end(std::get<ReturnEvent>(*events[i]));
        ++lanes_.rows;
      }
    }
    for (const Held& held : held_) lanes_.leases[held.lease].until = lanes_.rows - 1;
    return std::move(lanes_);
  }

 private:
  struct Held {
    std::size_t lease;
    Token token;
    Instant expires;
  };

  // Where there are more clients than can stand beside each other: who has no part in it.
  void leave_bystanders_out() {
    constexpr std::size_t lanes_at_most = 6;
    std::set<int> all, concerned;
    for (const OpId op : shown_) all.insert(operations_.at(op).call->client);
    if (all.size() <= lanes_at_most) return;
    for (const OpId op : witness_)
      if (const auto at = operations_.find(op);
          at != operations_.end() && concerned.size() < lanes_at_most)
        concerned.insert(at->second.call->client);
    std::erase_if(shown_,
                  [&](OpId op) { return !concerned.contains(operations_.at(op).call->client); });
  }

  // In the order in which the story gives them.
  void learn_names() {
    for (const Event& event : history_.events) {
      const auto* call = std::get_if<CallEvent>(&event);
      const ReturnEvent* end = call ? operations_.at(call->op).end : nullptr;
      if (!end || end->outcome != OutcomeKind::ok) continue;
      const Response& response = end->response;
      if (const auto* made = std::get_if<Enqueued>(&response)) words_.shown_job(made->id);
      if (const auto* claims = std::get_if<Claims>(&response))
        for (const Claim& claim : claims->claims) {
          words_.shown_job(claim.job.id);
          words_.shown_token(claim.token);
        }
      if (const auto* view = std::get_if<JobView>(&response)) {
        words_.shown_job(view->job.id);
        if (view->lease) words_.shown_token(view->lease->token);
      }
      if (const auto* page = std::get_if<JobPage>(&response))
        for (const Job& job : page->jobs) words_.shown_job(job.id);
      if (const auto* page = std::get_if<DeadPage>(&response))
        for (const DeadEntry& entry : page->entries) words_.shown_job(entry.job_id);
      if (const auto* again = std::get_if<Requeued>(&response)) words_.shown_job(again->job_id);
    }
  }

  // With the moves of the clock between them, the last of several alone.
  std::vector<const Event*> shown_events() const {
    std::vector<const Event*> events;
    for (const Event& event : history_.events) {
      if (const auto* fault = std::get_if<FaultEvent>(&event)) {
        if (is_shown(*fault)) events.push_back(&event);
        continue;
      }
      if (std::holds_alternative<EngineEvent>(event)) continue;
      if (std::holds_alternative<ClockEvent>(event)) {
        if (!events.empty() && std::holds_alternative<ClockEvent>(*events.back()))
          events.pop_back();
        if (!events.empty()) events.push_back(&event);
        continue;
      }
      const OpId op = std::holds_alternative<CallEvent>(event) ? std::get<CallEvent>(event).op
                                                               : std::get<ReturnEvent>(event).op;
      if (shown_.contains(op)) events.push_back(&event);
    }
    while (!events.empty() && std::holds_alternative<ClockEvent>(*events.back())) events.pop_back();
    return events;
  }

  // Of everybody, or of somebody who has a lane.
  bool is_shown(const FaultEvent& fault) const {
    if (fault.stage == FaultEvent::Stage::proven) return false;
    return !fault.client || std::ranges::any_of(shown_, [&](OpId op) {
      return operations_.at(op).call->client == *fault.client;
    });
  }

  static bool answers(const Event& event, OpId op) {
    const auto* end = std::get_if<ReturnEvent>(&event);
    return end && end->op == op;
  }

  int lane_of(int client) {
    const auto [at, is_new] = by_client_.try_emplace(client, static_cast<int>(by_client_.size()));
    if (is_new) {
      const auto index = static_cast<std::size_t>(client);
      lanes_.clients.push_back(index < history_.clients.size()
                                   ? detail::person(history_.clients[index])
                                   : fmt::format("#{}", client));
    }
    return at->second;
  }

  std::string job(const JobId& id) const { return bare(words_.named_job(id)); }
  std::string token(const Token& text) const { return bare(words_.named_token(text)); }

  std::string what(const Request& request) const {
    std::string text(name_of(request));
    std::visit(
        [&](const auto& r) {
          if constexpr (requires { r.hold; })
            text += fmt::format(" {} {}", job(r.hold.job_id), token(r.hold.token));
          else if constexpr (requires { r.job_id.size(); })
            text += " " + job(r.job_id);
        },
        request);
    return text;
  }

  std::string claims(const Claims& got) const {
    std::string text;
    for (const Claim& claim : got.claims)
      text +=
          fmt::format("{}{} {}", text.empty() ? "" : ", ", job(claim.job.id), token(claim.token));
    return text.empty() ? "nothing" : text;
  }

  std::string answer(const ReturnEvent& end) const {
    if (end.outcome == OutcomeKind::unknown) return "?";
    if (end.outcome == OutcomeKind::refused)
      return fmt::format("refused: {}", name_of(end.error.code));
    if (const auto* made = std::get_if<Enqueued>(&end.response))
      return job(made->id) + (made->existed ? ", known" : "");
    if (const auto* got = std::get_if<Claims>(&end.response)) return claims(*got);
    if (const auto* view = std::get_if<JobView>(&end.response))
      return std::string(name_of(view->job.state));
    if (const auto* nacked = std::get_if<Nacked>(&end.response))
      return std::string(name_of(nacked->state));
    if (const auto* page = std::get_if<JobPage>(&end.response))
      return fmt::format("{} jobs", page->jobs.size());
    if (const auto* page = std::get_if<DeadPage>(&end.response))
      return fmt::format("{} dead", page->entries.size());
    if (const auto* again = std::get_if<Requeued>(&end.response)) return job(again->job_id);
    return "ok";
  }

  void begin(const CallEvent& call) {
    calls_[call.op] = lanes_.calls.size();
    lanes_.calls.push_back({call.op, lane_of(call.client), lanes_.rows, std::nullopt,
                            what(call.request), "",
                            std::ranges::find(witness_, call.op) != witness_.end()});
  }

  void end(const ReturnEvent& end) {
    const auto at = calls_.find(end.op);
    if (at == calls_.end()) return;
    Lanes::Call& call = lanes_.calls[at->second];
    call.ends = lanes_.rows;
    call.answer = answer(end);
    if (end.outcome == OutcomeKind::ok) leases(*operations_.at(end.op).call, end, call.lane);
  }

  void leases(const CallEvent& call, const ReturnEvent& end, int lane) {
    if (const auto* got = std::get_if<Claims>(&end.response))
      for (const Claim& claim : got->claims) {
        held_.push_back({lanes_.leases.size(), claim.token, claim.expires_at});
        lanes_.leases.push_back(
            {lane, job(claim.job.id), token(claim.token), lanes_.rows, lanes_.rows});
      }
    if (const auto* extend = std::get_if<Extend>(&call.request)) {
      for (Held& held : held_)
        if (held.token == extend->hold.token)
          held.expires = std::get<Extended>(end.response).expires_at;
      return;
    }
    std::visit(
        [&](const auto& r) {
          if constexpr (requires { r.hold; })
            give_up([&](const Held& held) { return held.token == r.hold.token; }, lanes_.rows);
        },
        call.request);
  }

  template <class Over>
  void give_up(Over over, std::size_t last_row) {
    for (const Held& held : held_)
      if (over(held)) lanes_.leases[held.lease].until = last_row;
    std::erase_if(held_, over);
  }

  void mark(const FaultEvent& fault) {
    const bool ends = fault.stage == FaultEvent::Stage::ended;
    const auto lane = fault.client ? std::optional(lane_of(*fault.client)) : std::nullopt;
    lanes_.faults.push_back({lanes_.rows++, lane, fault.fault + (ends ? " ends" : "")});
  }

  void tick(const ClockEvent& clock) {
    if (lanes_.rows > 0)
      give_up([&](const Held& held) { return held.expires <= clock.now; }, lanes_.rows - 1);
    lanes_.ticks.push_back({lanes_.rows++, words_.at(clock.now)});
  }

  const History& history_;
  std::span<const OpId> witness_;
  Operations operations_;
  detail::Wording words_;
  std::set<OpId> shown_;
  Lanes lanes_;
  std::map<int, int> by_client_;
  std::map<OpId, std::size_t> calls_;
  std::vector<Held> held_;
};

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string fitted(std::string text, std::size_t width) {
  while (columns(text) > width) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U)
      text.pop_back();
    text.pop_back();
  }
  return text + std::string(width - columns(text), ' ');
}

// One lane in one row.
struct Cell {
  std::string bar = " ";
  std::string text;
};

}  // namespace

Lanes lanes_of(const History& history, std::span<const OpId> witness, Instant start) {
  return Draughtsman(history, witness, start).make();
}
Lanes lanes_of(const History& history, std::span<const OpId> witness) {
  return lanes_of(history, witness, start_of(history));
}

std::vector<std::string> draw(const Lanes& lanes, std::size_t width) {
  constexpr std::size_t narrowest = 14, widest = 30, gap = 2;
  const std::size_t count = lanes.clients.size();
  if (count == 0 || lanes.rows == 0) return {};
  const std::size_t lane = std::min(widest, width / count);
  if (lane < narrowest) return {};
  std::vector<std::vector<Cell>> cells(lanes.rows, std::vector<Cell>(count));
  for (const Lanes::Lease& lease : lanes.leases)
    for (std::size_t row = lease.from; row <= lease.until; ++row)
      cells[row][static_cast<std::size_t>(lease.lane)].bar = "┃";
  for (const Lanes::Call& call : lanes.calls) {
    const auto at = static_cast<std::size_t>(call.lane);
    const std::string mark = call.is_witness ? "*" : " ";
    if (call.ends == call.begins) {
      cells[call.begins][at].text =
          fmt::format("{}{} {}: {}", mark, call.op + 1, call.what, call.answer);
      continue;
    }
    cells[call.begins][at].text = fmt::format("{}{} ┌ {}", mark, call.op + 1, call.what);
    const std::string indent(columns(fmt::format("{} ", call.op + 1)) + 1, ' ');
    for (std::size_t row = call.begins + 1; row < call.ends.value_or(lanes.rows); ++row)
      cells[row][at].text = indent + "│";
    if (call.ends)
      cells[*call.ends][at].text = fmt::format("{}{} └ {}", mark, call.op + 1, call.answer);
  }
  for (const Lanes::Mark& fault : lanes.faults)
    if (fault.lane)
      cells[fault.row][static_cast<std::size_t>(*fault.lane)].text = " ! " + fault.what;
  std::vector<std::string> lines(1);
  for (const std::string& client : lanes.clients) lines[0] += "  " + fitted(client, lane - gap);
  for (std::size_t row = 0; row < lanes.rows; ++row) {
    const auto tick = std::ranges::find(lanes.ticks, row, &Lanes::Tick::row);
    const auto fault = std::ranges::find(lanes.faults, row, &Lanes::Mark::row);
    const bool is_everybodys = fault != lanes.faults.end() && !fault->lane;
    if (tick != lanes.ticks.end() || is_everybodys) {
      std::string line = is_everybodys ? "── ! " + fault->what + " " : "── " + tick->now + " ";
      while (columns(line) < lane * count) line += "─";
      lines.push_back(std::move(line));
      continue;
    }
    std::string line;
    for (const Cell& cell : cells[row]) line += cell.bar + fitted(cell.text, lane - gap) + " ";
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  lines[0].erase(lines[0].find_last_not_of(' ') + 1);
  if (lanes.left_out > 0)
    lines.push_back(fmt::format("({} other call{} not shown)", lanes.left_out,
                                lanes.left_out == 1 ? " is" : "s are"));
  return lines;
}

}  // namespace assay
