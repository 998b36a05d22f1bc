#include "harness/proxy/detail/chain.h"

#include <algorithm>

namespace assay::proxy {

void Chain::add(std::string name, std::unique_ptr<Toxic> toxic) {
  stages_.push_back({std::move(name), std::move(toxic), {}});
}

Toxic* Chain::find(std::string_view name) {
  for (Stage& stage : stages_)
    if (stage.name == name) return stage.toxic.get();
  return nullptr;
}

void Chain::remove(std::string_view name) {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (stages_[i].name != name) continue;
    Stream& next = behind(i);
    if (stages_[i].toxic->breaks_when_removed()) out.end = End::close;
    for (Chunk& chunk : stages_[i].in.chunks) next.push(std::move(chunk));
    if (next.end == End::none) next.end = stages_[i].in.end;
    stages_.erase(stages_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

void Chain::take(std::string_view bytes, Moment now) {
  if (first().end == End::none) first().push({std::string(bytes), now});
}

void Chain::end(End end) { first().end = std::max(first().end, end); }

bool Chain::wants_more() const {
  return stages_.empty() || stages_.front().in.has_room(stages_.front().toxic->patience());
}

std::optional<Moment> Chain::work(Moment now, std::size_t room, Effects& effects) {
  std::optional<Moment> next;
  // Each round moves something on, or is the last.
  for (bool moves = true; moves;) {
    moves = false;
    next.reset();
    for (std::size_t i = 0; i < stages_.size() && out.end != End::reset; ++i) {
      Stream& in = stages_[i].in;
      Stream& to = behind(i);
      const bool is_last = i + 1 == stages_.size();
      Toxic::Stage stage{in, to, is_last ? room : stages_[i + 1].toxic->patience(), now, effects};
      // Behind an end nothing follows.
      if (to.end != End::none) {
        stage.drop();
        to.end = std::max(to.end, in.end);
        continue;
      }
      const std::size_t size = in.size;
      const auto again = stages_[i].toxic->work(stage);
      moves |= in.size != size || to.end != End::none;
      if (again) next = next ? std::min(*next, *again) : again;
      if (to.end == End::reset) out.end = End::reset;
    }
  }
  return next;
}

}  // namespace assay::proxy
