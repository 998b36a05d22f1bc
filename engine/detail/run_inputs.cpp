#include "engine/detail/run_inputs.h"

#include <algorithm>

namespace assay::engine::detail {

Result<std::optional<std::string>> RunInputs::result() {
  using Found = Result<std::optional<std::string>>;
  const std::string before = member_ ? join_before(member_->path) : "";
  if (before.empty()) return std::optional<std::string>();
  return desk_.call_on([&](Session& session) -> Found {
    const auto records = records_of(session);
    if (!records.ok()) return records.error();
    Clock& clock = desk_.floor().clock;
    std::vector<Happening> told;
    const auto join = FlowMoves(**records, clock, told).join(member_->flow, before);
    if (!join.ok()) return join.error();
    if (!*join || (*join)->value.only_end.empty()) return std::optional<std::string>();
    const auto found =
        (*records)->read(clock.now(), key_of(member_->flow, Part::output, (*join)->value.only_end));
    if (!found.ok()) return found.error();
    return *found ? std::optional((*found)->value) : std::nullopt;
  });
}

Result<InputPage> RunInputs::page(const std::optional<std::string>& after, int limit) {
  const std::string before = member_ ? join_before(member_->path) : "";
  if (before.empty()) return InputPage{};
  if (limit < 1) return invalid("a page holds one or more");
  return desk_.call_on([&](Session& session) -> Result<InputPage> {
    const auto records = records_of(session);
    if (!records.ok()) return records.error();
    return read_page(**records, before, after.value_or(""), limit);
  });
}

// Both stand in the same order.
Status RunInputs::add_results(Records& records, InputPage& page, Scan scan,
                              const std::string& after) {
  const std::string prefix = key_of(member_->flow, Part::output);
  if (!after.empty()) scan.after = prefix + after;
  for (auto input = page.inputs.begin();;) {
    auto found = records.scan(desk_.floor().now(), scan);
    if (!found.ok()) return found.error();
    for (Record& record : found->records) {
      const std::string path = record.key.substr(prefix.size());
      while (input != page.inputs.end() && input->path < path) ++input;
      if (input == page.inputs.end()) return Done{};
      if (input->path == path) input->result = std::move(record.value);
    }
    if (!found->more || found->records.empty()) return Done{};
    scan.after = found->records.back().key;
  }
}

// Some of the records are of steps on the way, whose ends led to others.
Result<InputPage> RunInputs::read_page(Records& records, const std::string& join,
                                       const std::string& after, int limit) {
  Clock& clock = desk_.floor().clock;
  const std::string prefix = key_of(member_->flow, Part::member);
  const std::string results = key_of(member_->flow, Part::output);
  InputPage page;
  bool has_results = false;
  Scan scan{prefix + join, {}, std::min<std::int64_t>(limit, most_in_page)};
  if (!after.empty()) scan.after = prefix + after;
  const auto found = records.scan(clock.now(), scan);
  if (!found.ok()) return found.error();
  for (const Record& record : found->records) {
    const std::string path = record.key.substr(prefix.size());
    page.after = path;
    if (!ends(path, join)) continue;
    const auto member = unpacked_member(record.value);
    if (!member)
      return Error{ErrorCode::internal, "the record '" + record.key + "' is damaged",
                   LeaseReason::unstated, true};
    page.inputs.push_back(
        {path, member->job_id, member->outcome == Outcome::succeeded, {}, member->error});
    has_results = has_results || member->result_bytes;
  }
  if (has_results)
    if (auto added = add_results(records, page, {results + join, {}, scan.limit}, after);
        !added.ok())
      return added.error();
  if (!found->more || found->records.empty()) page.after.reset();
  return page;
}

}  // namespace assay::engine::detail
