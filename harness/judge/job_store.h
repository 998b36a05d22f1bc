// JobStore: the jobs of a history, by number and by id, however many there are. Those that were not
// looked at lately are packed.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/judge/chunks.h"
#include "harness/judge/hash_index.h"
#include "harness/judge/job_facts.h"
#include "harness/judge/ring.h"
#include "harness/judge/text_hash.h"

namespace assay {

class JobStore {
 public:
  JobStore();
  ~JobStore();
  JobStore(const JobStore&) = delete;
  JobStore& operator=(const JobStore&) = delete;

  // Most questions are about the job that was asked for last.
  std::optional<JobIndex> find(std::string_view id) const {
    if (last_found_ && same_text(last_found_->id, id)) return last_found_->index;
    if (last_missed_ && same_text(*last_missed_, id)) return std::nullopt;
    return look_up(id);
  }
  // The job of that id; null where there is none. It stays where it is until rest().
  JobFacts* job(std::string_view id) { return found(id); }
  const JobFacts* job(std::string_view id) const { return found(id); }

  // One whose id has this hash will be asked for soon: into the processor's caches with the place
  // where its number is found, a little later with that of the job, then with the job itself, and
  // at last with what the job points to. Gives back the number, if there is one.
  void fetch_place(std::size_t hash) const { by_id_.fetch(hash); }
  std::optional<JobIndex> fetch_slot(std::size_t hash) const;
  void fetch(JobIndex index) const;
  void fetch_claims(JobIndex index) const;
  // It is the one that will be asked for next, if that is its id.
  void turn_to(JobIndex index, std::string_view id) const;

  // A job that nothing is known of but its id and its number; what it was given is for the caller
  // to say.
  JobFacts& add(const JobId& id);

  // It stays where it is until rest().
  JobFacts& operator[](JobIndex index) { return at(index); }
  const JobFacts& operator[](JobIndex index) const { return at(index); }

  // Hardly anybody will look at the job again: it is packed soon.
  void has_ended(JobIndex index) { ended_.push_back(index); }

  // Packs what was not asked for since it was last thought of.
  void rest() {
    if (ended_.size() > ended_at_most) pack_ended();
    if (spread_.size() > spread_at_most()) pack_some();
  }

 private:
  // Many are packed at once: what packs them would otherwise leave the processor's caches in
  // between.
  static constexpr std::size_t ended_at_most = 128, ended_at_least = 16;
  // A share of them, so that those that wait in long queues are not packed for nothing.
  std::size_t spread_at_most() const { return std::max<std::size_t>(2048, slots_.size() / 64); }

  struct Spread;
  struct Slot {
    Spread* spread = nullptr;
    char* packed = nullptr;  // where it is not spread
  };

  JobFacts* found(std::string_view id) const {
    if (last_found_ && same_text(last_found_->id, id)) return last_found_;
    const auto index = find(id);
    return index ? last_found_ = &at(*index) : nullptr;
  }
  std::optional<JobIndex> look_up(std::string_view id) const;
  JobFacts& at(JobIndex index) const;
  Spread& spread(JobIndex index) const;
  static void fetch(const Spread& spread);
  void pack_ended();
  void pack_some();
  void pack_at(std::size_t place);

  mutable std::vector<Slot> slots_;
  mutable Chunks packed_;  // for what the slots point to
  mutable std::vector<std::unique_ptr<Spread>> spread_, unused_;
  mutable JobFacts* last_found_ = nullptr;  // it counts as used
  mutable std::optional<JobId> last_missed_;
  Ring<JobIndex> ended_;
  std::size_t next_ = 0;  // to be thought of
  std::vector<char> scratch_;
  HashIndex by_id_;
};

}  // namespace assay
