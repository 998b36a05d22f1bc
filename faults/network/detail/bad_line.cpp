#include "faults/network/detail/bad_line.h"

#include <fmt/format.h>

namespace assay::faults {

// What a proxy does not find is no sign that the fault met nobody.
static Error of_the_line(const Error& error) {
  return {ErrorCode::unavailable, error.message, error.reason, error.definite};
}

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
  // What got through until now, or was under way by then, met a line that was whole.
  lines_->settle(line);
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
    lines_->settle(line);
    auto now = lines_->counters(line);
    if (!now.ok()) return of_the_line(now.error());
    now->cut -= before.cut;
    now->reset -= before.reset;
    now->bytes_up -= before.bytes_up;
    now->bytes_down -= before.bytes_down;
    now->bytes_dropped -= before.bytes_dropped;
    now->chunks_delayed -= before.chunks_delayed;
    now->chunks_split -= before.chunks_split;
    now->ends_delayed -= before.ends_delayed;
    times += struck_(*now);
    untouched += got_through(*now);
  }
  if (times > 0) return told_;
  if (untouched == 0) return met_nobody("nothing that it strikes came over the line meanwhile");
  return Error{ErrorCode::unavailable,
               fmt::format("{} bytes went over the line as if nothing were wrong", untouched)};
}

// So many bytes may pass before it strikes.
static std::uint64_t let_through(const proxy::ToxicSpec& toxic) {
  const auto number = [&](const char* name) {
    const auto found = toxic.attributes.find(name);
    return found == toxic.attributes.end() ? 0 : static_cast<std::uint64_t>(found->second);
  };
  if (toxic.type == "limit_data") return number("bytes");
  if (toxic.type == "slicer") return number("average_size") + number("size_variation");
  if (toxic.type == "slow_close") return UINT64_MAX;  // it befalls ends alone
  return 0;
}

// So many bytes went where they should not have got, or not so.
std::uint64_t BadLine::got_through(const proxy::ProxyCounters& grown) const {
  std::uint64_t bytes = 0;
  for (const proxy::ToxicSpec& toxic : toxics_) {
    const bool is_up = proxy::direction_from(toxic.stream) == proxy::Direction::upstream;
    const std::uint64_t passed = is_up ? grown.bytes_up : grown.bytes_down;
    bytes += passed <= let_through(toxic) ? 0 : passed;
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

std::vector<proxy::ToxicSpec> both_ways(const std::string& type,
                                        const proxy::Attributes& attributes) {
  return {{.type = type, .stream = "upstream", .attributes = attributes},
          {.type = type, .stream = "downstream", .attributes = attributes}};
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
