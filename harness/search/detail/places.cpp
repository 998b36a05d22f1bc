#include "harness/search/detail/places.h"

#include <algorithm>

namespace assay::search::detail {

std::uint64_t Places::hash_of(const Progress& progress, StateId state) const {
  std::uint64_t hash = mixed(std::uint64_t{progress.top} << 32 | state);
  for (const auto at : progress.undone) hash = (hash ^ at) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

bool Places::is_at(PlaceId id, const Progress& progress, StateId state) const {
  const Place& place = places_[id];
  return place.top == progress.top && place.state == state &&
         place.undone_count == progress.undone.size() &&
         std::equal(progress.undone.begin(), progress.undone.end(),
                    undone_.begin() + static_cast<std::ptrdiff_t>(place.undone_at));
}

void Places::load(PlaceId id, Progress& progress) const {
  const Place& place = places_[id];
  const auto first = undone_.begin() + static_cast<std::ptrdiff_t>(place.undone_at);
  progress.top = place.top;
  progress.undone.assign(first, first + place.undone_count);
}

PlaceId Places::add(const Progress& progress, StateId state, UsedId used, TrailId trail) {
  const auto hash = static_cast<std::uint32_t>(hash_of(progress, state));
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != none; slot = (slot + 1) & (slots_.size() - 1)) {
    if (slot_hashes_[slot] == hash && is_at(slots_[slot], progress, state)) break;
  }
  for (PlaceId at = slots_[slot]; at != none; at = places_[at].next) {
    if (used_sets_.is_subset(places_[at].used, used)) return none;
  }
  const auto id = static_cast<PlaceId>(places_.size());
  const PlaceId next = slots_[slot];
  const bool shared = next != none;  // the same list of undone ones
  places_.push_back({progress.top, static_cast<std::uint32_t>(progress.undone.size()),
                     shared ? places_[next].undone_at : undone_.size(), state, used, trail, next});
  if (!shared) undone_.insert(undone_.end(), progress.undone.begin(), progress.undone.end());
  slots_[slot] = id;
  slot_hashes_[slot] = hash;
  if (!shared && ++kinds_ * 2 > slots_.size()) grow();
  return id;
}

// Later ones stand before it in the list.
bool Places::is_outdone(PlaceId id) const {
  const Place& place = places_[id];
  Progress progress;
  load(id, progress);
  const auto hash = static_cast<std::uint32_t>(hash_of(progress, place.state));
  std::size_t slot = hash & (slots_.size() - 1);
  while (slot_hashes_[slot] != hash || !is_at(slots_[slot], progress, place.state)) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  for (PlaceId at = slots_[slot]; at != id; at = places_[at].next) {
    if (used_sets_.is_subset(places_[at].used, place.used)) return true;
  }
  return false;
}

void Places::grow() {
  std::vector<PlaceId> slots(slots_.size() * 2, none);
  std::vector<std::uint32_t> hashes(slots.size());
  for (std::size_t from = 0; from < slots_.size(); ++from) {
    if (slots_[from] == none) continue;
    std::size_t to = slot_hashes_[from] & (slots.size() - 1);
    while (slots[to] != none) to = (to + 1) & (slots.size() - 1);
    slots[to] = slots_[from];
    hashes[to] = slot_hashes_[from];
  }
  slots_.swap(slots);
  slot_hashes_.swap(hashes);
}

}  // namespace assay::search::detail
