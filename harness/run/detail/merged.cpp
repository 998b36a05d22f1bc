#include "harness/run/detail/merged.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "harness/history/reader.h"

namespace assay::detail {

void Merged::add(std::vector<StampedEvent> events, const std::vector<std::string>& clients) {
  const int first_client = static_cast<int>(clients_.size());
  for (const std::string& name : clients) {
    std::string own = name;
    for (int n = 2; std::ranges::find(clients_, own) != clients_.end(); ++n)
      own = fmt::format("{} #{}", name, n);
    clients_.push_back(std::move(own));
  }
  std::map<OpId, OpId> ops;
  const auto op_of = [&](OpId op) {
    const auto [at, is_new] = ops.emplace(op, next_op_);
    if (is_new) ++next_op_;
    return at->second;
  };
  for (StampedEvent& one : events) {
    if (auto* call = std::get_if<CallEvent>(&one.event)) {
      call->op = op_of(call->op);
      call->client += first_client;
    } else if (auto* end = std::get_if<ReturnEvent>(&one.event)) {
      end->op = op_of(end->op);
    } else if (auto* engine = std::get_if<EngineEvent>(&one.event)) {
      if (engine->client) *engine->client += first_client;
    }
    events_.push_back(std::move(one));
  }
}

Status Merged::add(const std::vector<StampedLine>& lines) {
  if (lines.empty()) return Done{};
  std::stringstream text;
  for (const StampedLine& line : lines) text << line.event << "\n";
  HistoryReader reader(text);
  if (const auto head = reader.open(); !head.ok()) return head.error();
  std::vector<StampedEvent> events;
  for (;;) {
    auto next = reader.next();
    if (!next.ok()) return next.error();
    if (!*next) break;
    if (events.size() == lines.size()) return invalid("more events than lines");
    events.push_back({lines[events.size()].stamp, std::move(**next)});
  }
  if (events.size() != lines.size())
    return invalid(
        fmt::format("a worker's lines make no sense: {}",
                    reader.notes().empty() ? "some are gone" : reader.notes().front().what));
  add(std::move(events), reader.clients());
  return Done{};
}

void Merged::into(History& history) {
  std::ranges::stable_sort(events_, {}, &StampedEvent::stamp);
  history.clients = std::move(clients_);
  history.events.clear();
  std::map<OpId, OpId> in_order;
  for (StampedEvent& one : events_) {
    if (auto* call = std::get_if<CallEvent>(&one.event))
      call->op = in_order.emplace(call->op, in_order.size()).first->second;
    else if (auto* end = std::get_if<ReturnEvent>(&one.event))
      end->op = in_order.at(end->op);
    history.events.push_back(std::move(one.event));
  }
}

}  // namespace assay::detail
