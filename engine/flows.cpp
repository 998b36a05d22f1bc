#include "engine/flows.h"

#include <array>
#include <mutex>

#include "engine/detail/flow_desk.h"

namespace assay::engine {

std::string_view name_of(FlowState state) {
  static constexpr std::array<std::string_view, 5> names{"submitting", "running", "done", "failed",
                                                         "cancelled"};
  return names[static_cast<std::size_t>(state)];
}

std::string_view name_of(MemberState state) {
  static constexpr std::array<std::string_view, 6> names{"waiting", "enqueued",  "succeeded",
                                                         "dead",    "cancelled", "skipped"};
  return names[static_cast<std::size_t>(state)];
}

class Flows::Body {
 public:
  Body(Runtime& runtime, Driver& driver, FlowsOptions options)
      : monitor(runtime.monitor("the lock of flows")), desk(runtime, driver, std::move(options)) {}

  const std::unique_ptr<Monitor> monitor;
  detail::FlowDesk desk;
};

Flows::Flows(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Flows::~Flows() = default;

Result<std::unique_ptr<Flows>> Flows::make(Runtime& runtime, Driver& driver, FlowsOptions options) {
  if (options.queue.empty()) return invalid("the queue's name is empty");
  if (auto objection = objection_to(options.tries)) return *objection;
  auto body = std::make_unique<Body>(runtime, driver, std::move(options));
  const Status asked =
      body->desk.ask([](Session&, Records&, detail::FlowMoves&) -> Status { return Done{}; });
  if (!asked.ok()) return asked.error();
  return std::unique_ptr<Flows>(new Flows(std::move(body)));
}

Result<FlowHandedIn> Flows::submit(const FlowSubmission& submission) {
  const std::lock_guard lock(*body_->monitor);
  return detail::submit_flow(body_->desk, submission);
}

Result<FlowView> Flows::show(const std::string& id, const FlowPaging& paging) {
  const std::lock_guard lock(*body_->monitor);
  return detail::show_flow(body_->desk, id, paging);
}

Result<FlowCancelled> Flows::cancel(const std::string& id) {
  const std::lock_guard lock(*body_->monitor);
  return detail::cancel_flow(body_->desk, id);
}

Result<Swept> Flows::sweep(const std::optional<std::string>& id) {
  const std::lock_guard lock(*body_->monitor);
  return detail::sweep_flows(body_->desk, id);
}

Status Flows::forget(const std::string& id) {
  const std::lock_guard lock(*body_->monitor);
  return detail::forget_flow(body_->desk, id);
}

Result<std::optional<std::string>> Flows::result(const std::string& id, const std::string& path) {
  using Found = Result<std::optional<std::string>>;
  const std::lock_guard lock(*body_->monitor);
  detail::FlowDesk& desk = body_->desk;
  return desk.ask([&](Session&, Records& records, detail::FlowMoves&) -> Found {
    const auto found =
        records.read(desk.clock.now(), detail::key_of(id, detail::Part::output, path));
    if (!found.ok()) return found.error();
    return *found ? std::optional((*found)->value) : std::nullopt;
  });
}

Result<FlowPage> Flows::list(const std::optional<std::string>& after, int limit) {
  const std::lock_guard lock(*body_->monitor);
  detail::FlowDesk& desk = body_->desk;
  return desk.ask([&](Session&, Records& records, detail::FlowMoves&) -> Result<FlowPage> {
    Scan scan{detail::headers, {}, limit};
    if (after) scan.after = detail::headers + *after;
    const auto found = records.scan(desk.clock.now(), scan);
    if (!found.ok()) return found.error();
    FlowPage page;
    for (const Record& record : found->records) {
      const std::string id = record.key.substr(std::string_view(detail::headers).size());
      page.after = id;
      const auto header = detail::unpacked_header(record.value);
      if (!header) continue;
      const auto open = records.read(desk.clock.now(), detail::open_ones + id);
      if (!open.ok()) return open.error();
      page.flows.push_back({id, header->policy, header->steps, header->is_whole,
                            open.value().has_value(), header->at});
    }
    if (!found->more) page.after.reset();
    return page;
  });
}

}  // namespace assay::engine
