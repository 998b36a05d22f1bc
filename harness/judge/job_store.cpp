#include "harness/judge/job_store.h"

#include <cstring>

#include "harness/judge/detail/packed_job.h"
#include "harness/judge/fetch_line.h"

namespace assay {

struct JobStore::Spread {
  JobFacts job;
  std::size_t place = 0;  // among those that are spread
  bool used = true;       // since it was last thought of
};

JobStore::JobStore() = default;
JobStore::~JobStore() = default;

std::optional<JobIndex> JobStore::look_up(std::string_view id) const {
  const auto found = by_id_.find(hash_text(id), [&](std::uint32_t index) {
    const Slot& slot = slots_[index];
    return same_text(slot.spread ? slot.spread->job.id : id_in(slot.packed), id);
  });
  if (!found)
    last_missed_ = id;
  else if (slots_[*found].spread)
    last_found_ = &at(*found);
  return found;
}

void JobStore::fetch(const Spread& spread) { fetch_lines(&spread, sizeof spread); }

// The first of this hash is the one, but for a chance in millions.
std::optional<JobIndex> JobStore::fetch_slot(std::size_t hash) const {
  const auto found = by_id_.find(hash, [](std::uint32_t) { return true; });
  if (found) fetch_line(&slots_[*found]);
  return found;
}

void JobStore::fetch(JobIndex index) const {
  if (const Spread* spread = slots_[index].spread) fetch(*spread);
}

void JobStore::turn_to(JobIndex index, std::string_view id) const {
  const Spread* spread = slots_[index].spread;
  if (spread && same_text(spread->job.id, id)) last_found_ = &at(index);
}

void JobStore::fetch_claims(JobIndex index) const {
  const Spread* spread = slots_[index].spread;
  if (!spread) return;
  // The last, or where the first will be.
  const std::vector<ClaimFact>& claims = spread->job.claims;
  fetch_lines(claims.empty() ? claims.data() : &claims.back(), sizeof(ClaimFact));
}

JobStore::Spread& JobStore::spread(JobIndex index) const {
  std::unique_ptr<Spread> made;
  if (unused_.empty()) {
    made = std::make_unique<Spread>();
  } else {
    made = std::move(unused_.back());
    unused_.pop_back();
  }
  slots_[index].spread = made.get();
  made->place = spread_.size();
  spread_.push_back(std::move(made));
  return *slots_[index].spread;
}

JobFacts& JobStore::add(const JobId& id) {
  const auto index = static_cast<std::uint32_t>(slots_.size());
  slots_.emplace_back();
  Spread& made = spread(index);
  made.job.clear();
  last_missed_.reset();
  made.job.id = id;
  made.job.index = index;
  made.used = true;
  by_id_.add(hash_text(id), index);
  return made.job;
}

JobFacts& JobStore::at(JobIndex index) const {
  Slot& slot = slots_[index];
  if (!slot.spread) {
    packed_.give_back(slot.packed, unpack(slot.packed, spread(index).job));
    slot.packed = nullptr;
  }
  slot.spread->used = true;
  return slot.spread->job;
}

void JobStore::pack_at(std::size_t place) {
  Spread& one = *spread_[place];
  const std::size_t size = pack(one.job, scratch_);
  Slot& slot = slots_[one.job.index];
  slot.packed = packed_.take(size);
  std::memcpy(slot.packed, scratch_.data(), size);
  slot.spread = nullptr;
  unused_.push_back(std::move(spread_[place]));
  spread_[place] = std::move(spread_.back());
  spread_.pop_back();
  if (place < spread_.size()) spread_[place]->place = place;
}

void JobStore::pack_ended() {
  constexpr std::size_t next = 2, soon = 4;
  static_assert(soon <= ended_at_least);
  last_found_ = nullptr;
  while (ended_.size() > ended_at_least) {
    fetch(ended_[soon]);
    fetch_claims(ended_[next]);
    const Spread* one = slots_[ended_.front()].spread;
    ended_.pop_front();
    if (one && one->job.phase == Phase::done) pack_at(one->place);
  }
}

void JobStore::pack_some() {
  last_found_ = nullptr;
  while (spread_.size() > spread_at_most()) {
    next_ = next_ < spread_.size() ? next_ : 0;
    Spread& one = *spread_[next_];
    // One that is done gets no second chance.
    if (one.used && one.job.phase != Phase::done)
      one.used = false;
    else
      pack_at(next_);
    ++next_;
  }
  if (next_ < spread_.size()) fetch(*spread_[next_]);
}

}  // namespace assay
