#include "harness/search/detail/pass.h"

#include <algorithm>

namespace assay::search::detail {
namespace {

constexpr TrailId root = ~TrailId{0};
constexpr std::uint32_t no_link = ~std::uint32_t{0};

}  // namespace

Pass::Pass(Steps& steps, const Timeline& line, Walk walk, const std::function<bool()>& stop,
           std::uint64_t& steps_left)
    : steps_(steps),
      line_(line),
      walk_(walk),
      stop_(stop),
      steps_left_(steps_left),
      used_(line.possible.size()),
      places_(used_) {}

Finding Pass::run() {
  const StateId state = steps_.initial();
  progress_ = {};
  const TrailId trail = take_reads(state, root);
  if (progress_.complete(line_)) complete_ = trail;
  most_done_ = progress_.done();
  enter(places_.add(progress_, state, 0, trail), 0);
  while (!complete_ && bound_ == Bound::none) {
    if (open_.empty() && !refill()) break;
    if (!open_.empty()) advance();
  }
  return finding();
}

bool Pass::asked_too_much() {
  if (bound_ != Bound::none) return true;
  if (steps_left_ == 0) {
    bound_ = Bound::steps;
  } else if (--steps_left_ % 1024 == 0 && stop_ && stop_()) {
    bound_ = Bound::time;
  }
  return bound_ != Bound::none;
}

// Past the bound nothing is possible any more: the walk ends soon, and its caller sees the bound.
void Pass::after(StateId state, OpIndex op, std::vector<StateId>& out) {
  out.clear();
  if (!asked_too_much()) steps_.after(state, op, out);
}

TrailId Pass::effect(TrailId before, OpIndex op) {
  trail_.push_back({before, op});
  return static_cast<TrailId>(trail_.size() - 1);
}

void Pass::advance() {
  Frame& frame = open_.back();
  if (!frame.opened) {
    frame.opened = true;
    frame.first = frame.cursor = candidates_.size();
    places_.load(frame.place, progress_);
    candidates(line_, progress_, candidates_);
  }
  if (frame.cursor < candidates_.size()) return try_definite(frame);
  const PlaceId place = frame.place;
  candidates_.resize(frame.first);
  open_.pop_back();
  if (!line_.possible.empty()) turn_to_chains(place, 1);
}

void Pass::try_definite(Frame& frame) {
  const std::uint32_t position = candidates_[frame.cursor++];
  const Place place = places_[frame.place];
  const PlaceId id = frame.place;
  after(place.state, line_.definite[position].op, after_definite_);
  for (const StateId state : after_definite_) {
    places_.load(id, progress_);
    go(state, place.used, place.trail, position);
    if (complete_) return;
  }
}

void Pass::turn_to_chains(PlaceId place, std::uint32_t length) {
  if (walk_ == Walk::deep) {
    if (length == 1) return try_chains(place, 1);
    return put_off({place, length}, length);
  }
  put_off({place, length}, used_.size(places_[place].used) + length);
}

void Pass::put_off(const Task& task, std::size_t level) {
  level = std::max(level, level_);
  if (later_.size() <= level) later_.resize(level + 1);
  later_[level].push_back(task);
}

bool Pass::refill() {
  while (level_ < later_.size() && later_[level_].empty()) ++level_;
  if (level_ >= later_.size()) return false;
  const Task task = later_[level_].back();
  later_[level_].pop_back();
  if (task.length > 0) {
    try_chains(task.place, task.length);
  } else if (!places_.is_outdone(task.place)) {
    open_.push_back({task.place, 0, 0, false});
  }
  return true;
}

void Pass::try_chains(PlaceId place, std::uint32_t length) {
  if (places_.is_outdone(place)) return;
  places_.load(place, progress_);
  targets_.clear();
  const std::int64_t first_end = candidates(line_, progress_, targets_);
  floor_ = latest_change(line_, progress_);
  bool has_longer = false;
  if (steps_.knows_what_matters()) {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const auto target = std::span(targets_).subspan(i, 1);
      has_longer = grow_chains(place, target, first_end, length) || has_longer;
    }
  } else {
    has_longer = grow_chains(place, targets_, first_end, length);
  }
  if (has_longer) turn_to_chains(place, length + 1);
}

// Whether there is a chain of that length. One that leads to the same state as a shorter one is of
// no use.
bool Pass::grow_chains(PlaceId place, std::span<const std::uint32_t> targets,
                       std::int64_t first_end, std::uint32_t length) {
  const std::size_t places_before = places_.size();
  const std::size_t sets_before = used_.count();
  const std::size_t trail_before = trail_.size();
  const std::size_t open_before = open_.size();
  const Place start = places_[place];
  links_.assign(1, {start.state, start.state, 0, start.used, start.trail, no_link, 0});
  links_of_state_.clear();
  links_of_state_[start.state] = 0;
  for (std::size_t i = 0; i < links_.size() && links_[i].length < length; ++i) {
    for (std::uint32_t unknown = 0; unknown < line_.possible.size(); ++unknown) {
      const Possible& one = line_.possible[unknown];
      if (one.call > first_end || asked_too_much()) break;
      reached_ = std::max(reached_, one.call);
      const Link link = links_[i];
      if (!may_take_effect(link, unknown)) continue;
      if (targets.size() == 1 && !matters(link, one, line_.definite[targets[0]])) continue;
      extend(link, unknown);
    }
  }
  const bool found = links_.back().length == length;
  for (const Link& link : links_) {
    if (link.length != length) continue;
    for (const auto target : targets) end_chain(link, target);
  }
  if (places_.size() == places_before && !complete_) {
    used_.rewind(sets_before);
    trail_.resize(trail_before);
  }
  std::reverse(open_.begin() + static_cast<std::ptrdiff_t>(open_before), open_.end());
  return found;
}

// What cannot wait until after the target is tried in any case.
bool Pass::matters(const Link& link, const Possible& one, const Definite& target) const {
  return one.end < target.call || steps_.matters(link.state, one.op, target.op);
}

bool Pass::may_take_effect(const Link& link, std::uint32_t unknown) const {
  const Possible& one = line_.possible[unknown];
  if (one.end < floor_ || used_.has(link.used, unknown)) return false;
  return one.before < 0 || used_.has(link.used, static_cast<std::uint32_t>(one.before));
}

void Pass::extend(const Link& link, std::uint32_t unknown) {
  const OpIndex op = line_.possible[unknown].op;
  after(link.state, op, after_unknown_);
  for (const StateId state : after_unknown_) {
    if (state == link.state) continue;
    const std::size_t sets_before = used_.count();
    Link longer{state, link.state, unknown,        used_.with(link.used, unknown),
                0,     no_link,    link.length + 1};
    if (is_known(longer)) {
      used_.rewind(sets_before);
      continue;
    }
    longer.trail = effect(link.trail, op);
    const auto [head, fresh] = links_of_state_.try_emplace(state, no_link);
    longer.next = head->second;
    head->second = static_cast<std::uint32_t>(links_.size());
    links_.push_back(longer);
  }
}

bool Pass::is_known(const Link& link) const {
  const auto head = links_of_state_.find(link.state);
  if (head == links_of_state_.end()) return false;
  for (auto at = head->second; at != no_link; at = links_[at].next) {
    if (used_.is_subset(links_[at].used, link.used)) return true;
  }
  return false;
}

void Pass::end_chain(const Link& link, std::uint32_t target) {
  after(link.state, line_.definite[target].op, after_target_);
  for (const StateId state : after_target_) {
    if (complete_ || may_wait(link.before, link.last, target, state)) continue;
    const Progress progress = progress_;
    go(state, link.used, link.trail, target);
    progress_ = progress;
  }
}

// The same comes of it with the unknown operation later: that way is walked too, so this need not.
bool Pass::may_wait(StateId before, std::uint32_t unknown, std::uint32_t target, StateId result) {
  const Possible& one = line_.possible[unknown];
  const Definite& definite = line_.definite[target];
  if (one.end < definite.call) return false;
  after(before, definite.op, swapped_);
  for (const StateId between : swapped_) {
    after(between, one.op, swapped_too_);
    if (std::ranges::find(swapped_too_, result) != swapped_too_.end()) return true;
  }
  return false;
}

// The definite operation at `position` takes effect, from where progress_ stands.
void Pass::go(StateId state, UsedId used, TrailId trail, std::uint32_t position) {
  const std::size_t trail_before = trail_.size();
  progress_.place(position);
  trail = take_reads(state, effect(trail, line_.definite[position].op));
  if (progress_.complete(line_)) {
    complete_ = trail;
    return;
  }
  if (line_.has_optional) {
    const std::int64_t floor = latest_change(line_, progress_);
    used = used_.without(used, [&](auto member) { return line_.possible[member].end < floor; });
  }
  const PlaceId place = places_.add(progress_, state, used, trail);
  if (place == Places::none) {
    trail_.resize(trail_before);
    return;
  }
  if (progress_.done() > most_done_) {
    most_done_ = progress_.done();
    furthest_ = place;
  }
  enter(place, used);
}

// All that only read and can take effect do. What was refused once is refused again in the same
// state, and what takes effect holds nobody up: so once through is enough.
TrailId Pass::take_reads(StateId state, TrailId trail) {
  const auto takes_effect = [&](const Definite& one) {
    reached_ = std::max(reached_, one.call);
    if (!one.only_reads) return false;
    after(state, one.op, after_read_);
    if (after_read_.empty()) return false;
    trail = effect(trail, one.op);
    return true;
  };
  std::int64_t first_end = never;
  std::size_t kept = 0;
  for (const auto at : progress_.undone) {
    if (takes_effect(line_.definite[at])) continue;
    first_end = std::min(first_end, line_.definite[at].end);
    progress_.undone[kept++] = at;
  }
  progress_.undone.resize(kept);
  for (auto at = progress_.top; at < line_.definite.size(); ++at) {
    if (line_.definite[at].call > first_end) break;
    if (takes_effect(line_.definite[at])) {
      progress_.place(at);
    } else {
      first_end = std::min(first_end, line_.definite[at].end);
    }
  }
  return trail;
}

void Pass::enter(PlaceId place, UsedId used) {
  const std::size_t level = walk_ == Walk::level ? used_.size(used) : 0;
  if (level > level_) return put_off({place, 0}, level);
  open_.push_back({place, 0, 0, false});
}

std::vector<OpIndex> Pass::order_of(TrailId trail) const {
  std::vector<OpIndex> order;
  for (; trail != root; trail = trail_[trail].before) order.push_back(trail_[trail].op);
  std::ranges::reverse(order);
  return order;
}

Finding Pass::finding() {
  Finding finding;
  finding.bound = complete_ ? Bound::none : bound_;
  finding.reached = reached_;
  if (complete_) {
    finding.answer = Answer::explained;
    finding.order = order_of(*complete_);
    return finding;
  }
  finding.answer = bound_ == Bound::none ? Answer::impossible : Answer::undecided;
  finding.order = order_of(places_[furthest_].trail);
  places_.load(furthest_, progress_);
  targets_.clear();
  candidates(line_, progress_, targets_);
  for (const auto at : targets_) finding.tried.push_back(line_.definite[at].op);
  finding.stuck = line_
                      .definite[*std::ranges::min_element(
                          targets_, {}, [&](auto at) { return line_.definite[at].end; })]
                      .op;
  return finding;
}

}  // namespace assay::search::detail
