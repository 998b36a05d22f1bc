// Pass: one walk through the places that a history's operations can lead to.
//
// After Wing and Gong, and Lowe: effects are chosen one by one, and a place is visited once. Beyond
// that:
// - What only reads takes effect as soon as it can: it hinders nothing, so nothing else need be
//   tried in its stead.
// - An operation of unknown outcome takes effect as late as it can: right before a definite one
//   that comes out differently for it. So they are tried in chains that end in a definite one, a
//   chain of one once everything without it has failed, longer ones after all else.
// - A place is passed over if a known one is as far, in the same state, with no more used up.
#pragma once

#include <unordered_map>

#include "harness/search/detail/places.h"

namespace assay::search::detail {

enum class Walk {
  deep,   // always on from the youngest place: finds an explanation soon, where there is one
  level,  // all places with few operations of unknown outcome used up before those with more: a
          // place then is not reached with many first and with fewer later, again and again
};

class Pass {
 public:
  // Borrows everything. `steps_left` is counted down.
  Pass(Steps& steps, const Timeline& line, Walk walk, const std::function<bool()>& stop,
       std::uint64_t& steps_left);

  Finding run();

 private:
  struct Effect {
    TrailId before;
    OpIndex op;
  };
  struct Frame {
    PlaceId place;
    std::size_t first;  // its candidates begin there in candidates_
    std::size_t cursor;
    bool opened;
  };
  struct Link {  // a chain of operations of unknown outcome, from a place
    StateId state;
    StateId before;  // the state without its last
    std::uint32_t last;
    UsedId used;
    TrailId trail;
    std::uint32_t next;  // another with the same state
    std::uint32_t length;
  };
  struct Task {
    PlaceId place;
    std::uint32_t length;  // of the chains to be tried; 0: the definite operations
  };

  bool asked_too_much();
  void after(StateId state, OpIndex op, std::vector<StateId>& out);
  TrailId effect(TrailId before, OpIndex op);

  void advance();
  void try_definite(Frame& frame);
  void turn_to_chains(PlaceId place, std::uint32_t length);
  void put_off(const Task& task, std::size_t level);
  bool refill();

  void try_chains(PlaceId place, std::uint32_t length);
  bool grow_chains(PlaceId place, std::span<const std::uint32_t> targets, std::int64_t first_end,
                   std::uint32_t length);
  void extend(const Link& link, std::uint32_t unknown);
  void end_chain(const Link& link, std::uint32_t target);
  bool may_take_effect(const Link& link, std::uint32_t unknown) const;
  bool matters(const Link& link, const Possible& one, const Definite& target) const;
  bool is_known(const Link& link) const;
  bool may_wait(StateId before, std::uint32_t unknown, std::uint32_t target, StateId result);

  void go(StateId state, UsedId used, TrailId trail, std::uint32_t position);
  TrailId take_reads(StateId state, TrailId trail);
  void enter(PlaceId place, UsedId used);

  std::vector<OpIndex> order_of(TrailId trail) const;
  Finding finding();

  Steps& steps_;
  const Timeline& line_;
  const Walk walk_;
  const std::function<bool()>& stop_;
  std::uint64_t& steps_left_;

  UsedSets used_;
  Places places_;
  std::vector<Effect> trail_;
  std::vector<Frame> open_;
  std::vector<std::uint32_t> candidates_;  // those of the open frames, one after the other
  std::vector<std::vector<Task>> later_;   // what comes first has the lower level
  std::size_t level_ = 0;

  std::int64_t floor_ = 0;  // what ended before this may not take effect: in grow_chains
  std::vector<Link> links_;
  std::unordered_map<StateId, std::uint32_t> links_of_state_;

  Progress progress_;  // scratch, as are the lists below
  std::vector<std::uint32_t> still_undone_;
  std::vector<std::uint32_t> targets_;
  std::vector<StateId> after_read_, after_definite_, after_unknown_, after_target_, swapped_,
      swapped_too_;

  Bound bound_ = Bound::none;
  std::optional<TrailId> complete_;
  PlaceId furthest_ = 0;
  std::uint32_t most_done_ = 0;
  std::int64_t reached_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace assay::search::detail
