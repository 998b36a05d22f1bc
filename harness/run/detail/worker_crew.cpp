#include "harness/run/detail/worker_crew.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::detail {

static constexpr double end_seconds = 60;            // beyond what it may take by its own numbers
static constexpr Duration patience_on_lines{1'000};  // of one whose line may be dead

WorkerCrew::WorkerCrew(const Plan& plan, const ProcessGrounds& grounds, WorkerOrder order,
                       std::function<void(EngineEvent)> tell)
    : plan_(plan),
      grounds_(grounds),
      order_(std::move(order)),
      tell_(std::move(tell)),
      members_(plan.workers.size()) {}

bool WorkerCrew::suffers(std::size_t index, bool (*is)(const FaultInfo&)) const {
  return std::ranges::any_of(plan_.steps, [&](const Step& step) {
    if (!step.fault || (step.worker >= 0 && step.worker != static_cast<int>(index))) return false;
    const auto info = find_fault(grounds_.faults, *step.fault);
    return info.ok() && is(**info);
  });
}

Result<WorkerOrder> WorkerCrew::order_for(std::size_t index) {
  WorkerOrder order = order_;
  order.worker = plan_.workers[index];
  order.seed += ++starts_;
  if (!suffers(index, [](const FaultInfo& fault) { return fault.family == "network"; }))
    return order;
  if (!grounds_.network) return unsupported("its workers have no lines that could be made bad");
  auto url = grounds_.network->url_of(static_cast<int>(index));
  if (!url.ok()) return url.error();
  const auto& impatient = grounds_.driver.impatient;
  order.url = impatient ? impatient(std::move(*url), patience_on_lines) : std::move(*url);
  return order;
}

Result<Command> WorkerCrew::command_for(std::size_t index) {
  Command command{grounds_.program, {}, std::nullopt};
  if (!suffers(index, [](const FaultInfo& fault) { return fault.needs_process_clock; }))
    return command;
  auto& clock = clocks_[index];
  if (!clock) {
    auto made = ProcessClock::make(grounds_.scratch);
    if (!made.ok()) return made.error();
    clock = std::move(*made);
  }
  for (const auto& entry : clock->environment()) command.environment.push_back(entry);
  return command;
}

Status WorkerCrew::start(std::size_t index) {
  Member& member = members_[index];
  if (member.process && !member.is_ending && !member.is_doomed) return Done{};
  if (Status buried = bury(member); !buried.ok()) return buried;
  const auto order = order_for(index);
  if (!order.ok()) return order.error();
  const auto command = command_for(index);
  if (!command.ok()) return command.error();
  const std::string log = grounds_.log_folder.empty()
                              ? ""
                              : fmt::format("{}/{}.log", grounds_.log_folder, order->worker.name);
  auto process = WorkerProcess::start(*command, *order, log);
  if (!process.ok()) return process.error();
  member.process = std::move(*process);
  return Done{};
}

void WorkerCrew::stop(std::size_t index) {
  Member& member = members_[index];
  if (!member.process || member.is_ending || member.is_doomed) return;
  member.is_ending = true;
  member.process->stop();
}

Status WorkerCrew::bury(Member& member) {
  if (!member.process) return Done{};
  const auto ended = member.process->ending(end_seconds);
  if (!ended)
    return Error{ErrorCode::internal, "a worker did not end in the time that it was given"};
  said_.push_back(member.process->said());
  member = Member{};
  return Done{};
}

Status WorkerCrew::start_all() {
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (Status started = start(i); !started.ok()) return started;
  return Done{};
}

Status WorkerCrew::end_all() {
  for (std::size_t i = 0; i < members_.size(); ++i) stop(i);
  Status first = Done{};
  for (Member& member : members_)
    if (Status buried = bury(member); !buried.ok() && first.ok()) first = buried;
  return first;
}

std::optional<Error> WorkerCrew::unforeseen() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    if (!member.process || member.is_ending || member.is_doomed) continue;
    if (const auto ended = member.process->ending(0))
      return Error{ErrorCode::internal,
                   fmt::format("the process of worker {} {}", plan_.workers[i].name, *ended)};
  }
  return std::nullopt;
}

Status WorkerCrew::add_to(Merged& merged) {
  for (const auto& lines : said_)
    if (Status added = merged.add(lines); !added.ok()) return added;
  return Done{};
}

// --- what befalls them ---

Result<ClientProcess*> WorkerCrew::process_of(int worker) {
  if (const Status there = start(static_cast<std::size_t>(worker)); !there.ok())
    return there.error();
  return members_[static_cast<std::size_t>(worker)].process.get();
}

void WorkerCrew::doom(int worker) { members_[static_cast<std::size_t>(worker)].is_doomed = true; }

void WorkerCrew::lose(int worker) {
  tell_({.kind = EngineEvent::Kind::worker_died, .worker = name_of(worker)});
}

// A judge that knows of lines excuses as much as it must: whoever stands still says nothing.
void WorkerCrew::stall(int worker, bool is_stalled) {
  using Kind = EngineEvent::Kind;
  tell_({.kind = is_stalled ? Kind::line_lost : Kind::line_back, .worker = name_of(worker)});
}

Status WorkerCrew::skew(int, Duration, double) {
  return unsupported("a worker asks its machine for the time");
}

Result<Surroundings::Line> WorkerCrew::line_of(int worker) {
  if (!grounds_.network) return unsupported("its workers have no lines that could be made bad");
  return Line{&grounds_.network->lines(), Network::line_of(worker)};
}

Result<ProcessClock*> WorkerCrew::clock_of(int worker) {
  if (const auto process = process_of(worker); !process.ok()) return process.error();
  const auto clock = clocks_.find(static_cast<std::size_t>(worker));
  if (clock == clocks_.end()) return unsupported("its process lives by the machine's clock");
  return clock->second.get();
}

Result<Backend*> WorkerCrew::store() {
  if (grounds_.has_foreign_server)
    return unsupported("the store has a server that we did not start");
  if (!grounds_.backend) return unsupported("the store has no server");
  return grounds_.backend;
}

Result<Disk*> WorkerCrew::disk() { return unsupported("no disk is lost under an engine"); }

}  // namespace assay::detail
