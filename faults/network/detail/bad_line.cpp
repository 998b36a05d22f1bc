#include "faults/network/detail/bad_line.h"

#include <fmt/format.h>

namespace assay::faults {

Status BadLine::begin() {
  std::vector<int> clients;
  for (int client = 0; client < around_.clients(); ++client)
    if (client_ < 0 || client == client_) clients.push_back(client);
  for (const int client : clients) {
    const auto line = around_.line_of(client);
    if (!line.ok()) return line.error();
    lines_ = line->lines;
    if (const Status spoilt = spoil(line->name); !spoilt.ok()) return spoilt;
  }
  return Done{};
}

Status BadLine::spoil(const std::string& line) {
  const auto before = lines_->counters(line);
  if (!before.ok()) return before.error();
  bad_[line] = *before;
  if (toxics_.empty()) {
    const auto closed = lines_->change(line, {.enabled = false});
    return closed.ok() ? Status(Done{}) : Status(closed.error());
  }
  for (proxy::ToxicSpec toxic : toxics_) {
    toxic.name = name_for(toxic);
    if (const auto added = lines_->add_toxic(line, toxic); !added.ok()) return added.error();
  }
  if (forsakes_)
    if (const auto forsaken = lines_->forsake(line); !forsaken.ok()) return forsaken.error();
  // What got through until now met a line that was whole.
  const auto now = lines_->counters(line);
  if (!now.ok()) return now.error();
  bad_[line].bytes_up = now->bytes_up;
  bad_[line].bytes_down = now->bytes_down;
  return Done{};
}

// One of its own: another fault may have put the same on the line.
std::string BadLine::name_for(const proxy::ToxicSpec& toxic) const {
  return fmt::format("{}_{}_{}", toxic.type, toxic.stream, fmt::ptr(this));
}

Result<std::string> BadLine::proof() {
  std::uint64_t times = 0, untouched = 0;
  for (const auto& [line, before] : bad_) {
    auto now = lines_->counters(line);
    if (!now.ok()) return now.error();
    now->cut -= before.cut;
    now->reset -= before.reset;
    now->bytes_up -= before.bytes_up;
    now->bytes_down -= before.bytes_down;
    now->bytes_dropped -= before.bytes_dropped;
    now->chunks_delayed -= before.chunks_delayed;
    times += struck_(*now);
    untouched += got_through(*now);
  }
  if (times > 0) return told_;
  if (untouched == 0) return met_nobody("nothing went over the line while it was bad");
  return Error{ErrorCode::unavailable,
               fmt::format("{} bytes went over the line as if nothing were wrong", untouched)};
}

// So many bytes went where they should not have got, or not so.
std::uint64_t BadLine::got_through(const proxy::ProxyCounters& grown) const {
  std::uint64_t bytes = 0;
  for (const proxy::ToxicSpec& toxic : toxics_) {
    const bool is_up = proxy::direction_from(toxic.stream) == proxy::Direction::upstream;
    const std::uint64_t passed = is_up ? grown.bytes_up : grown.bytes_down;
    const auto allowed = toxic.attributes.find("bytes");  // until it strikes
    const bool is_within = toxic.type == "limit_data" && allowed != toxic.attributes.end() &&
                           passed <= static_cast<std::uint64_t>(allowed->second);
    bytes += is_within ? 0 : passed;
  }
  return bytes;
}

Status BadLine::end() {
  Status first = Done{};
  for (const auto& [line, before] : bad_) {
    if (toxics_.empty())
      if (const auto opened = lines_->change(line, {.enabled = true}); !opened.ok() && first.ok())
        first = opened.error();
    for (const proxy::ToxicSpec& toxic : toxics_)
      if (const Status gone = lines_->remove_toxic(line, name_for(toxic)); !gone.ok() && first.ok())
        first = gone;
  }
  bad_.clear();
  return first;
}

FaultInfo bad_line(std::string_view name, std::string_view summary,
                   std::vector<std::pair<std::string_view, std::int64_t>> with,
                   decltype(FaultInfo::make) make) {
  return {.name = name,
          .family = "network",
          .summary = summary,
          .with = std::move(with),
          .needs = "shared_storage",
          .make = make};
}

}  // namespace assay::faults
