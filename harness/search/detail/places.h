// Places: where a search has been: what had taken effect, in which state, with which operations of
// unknown outcome used up.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/search/detail/timeline.h"
#include "harness/search/detail/used.h"

namespace assay::search::detail {

using PlaceId = std::uint32_t;
using TrailId = std::uint32_t;  // the effects that led there, as a list from the last to the first

struct Place {
  std::uint32_t top;
  std::uint32_t undone_count;
  std::uint64_t undone_at;
  StateId state;
  UsedId used;
  TrailId trail;
  PlaceId next;  // another with all the same but `used`
};

class Places {
 public:
  static constexpr PlaceId none = ~PlaceId{0};

  explicit Places(const UsedSets& used) : used_sets_(used) { slots_.resize(256, none); }

  const Place& operator[](PlaceId id) const { return places_[id]; }
  std::size_t size() const { return places_.size(); }

  void load(PlaceId id, Progress& progress) const;

  // The new place, or `none` if a known one is as good: as far, in the same state, with no more
  // used up. Whatever can follow here can follow there.
  PlaceId add(const Progress& progress, StateId state, UsedId used, TrailId trail);

  // A better place was found since.
  bool is_outdone(PlaceId id) const;

 private:
  std::uint64_t hash_of(const Progress& progress, StateId state) const;
  bool is_at(PlaceId id, const Progress& progress, StateId state) const;
  void grow();

  const UsedSets& used_sets_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> undone_;
  std::vector<PlaceId> slots_;  // the youngest place of each kind; open addressing
  std::vector<std::uint32_t> slot_hashes_ = std::vector<std::uint32_t>(256);
  std::size_t kinds_ = 0;
};

}  // namespace assay::search::detail
