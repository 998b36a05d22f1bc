// Store: the jobs of one namespace, and what each call does to them. It asks Decisions wherever a
// queue could be wrong.
//
// Not thread-safe: whoever shares it locks around it. `now` is the time that counts, already
// chosen.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "drivers/memory/decisions.h"
#include "drivers/memory/queue.h"
#include "harness/contract/records.h"

namespace assay::memory_queue {

class Store {
 public:
  // The decisions are borrowed for life. The seed decides every id, token and delay.
  // `let_others_in` gives the lock up and takes it again.
  Store(const Decisions& decisions, std::uint64_t seed, std::function<void()> let_others_in);

  Result<Enqueued> enqueue(Instant now, const Enqueue& request);
  Result<Claims> reserve(Instant now, const Reserve& request);
  Result<Extended> extend(Instant now, const Extend& request);
  Status ack(Instant now, const Ack& request);
  Status retry(Instant now, const Retry& request);
  Status fail(Instant now, const Fail& request);
  Result<Nacked> nack(Instant now, const Nack& request);
  Result<Cancelled> cancel(Instant now, const Cancel& request);
  Status pause(const Pause& request);
  Status resume(const Resume& request);
  Result<JobView> get(Instant now, const Get& request) const;
  Result<JobPage> list(Instant now, const List& request);
  Result<DeadPage> dead(Instant now, const Dead& request);
  Result<Requeued> requeue(Instant now, const Requeue& request);

  Result<Committed> commit(Instant now, const Commit& commit);
  Result<std::optional<assay::Record>> read(const std::string& key) const;
  Result<RecordPage> scan(const Scan& scan) const;

  // From here on, those that come into a line are remembered, or are not.
  void watch_lines(bool watched) { lines_are_watched_ = watched; }
  // The jobs that came into a line since, and can be claimed.
  std::vector<const Record*> take_arrivals(Instant now);

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  template <class T>
  using ByText = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

  // Whether others were let in.
  bool at(Seam seam, const Record* record = nullptr) {
    const bool lets = decisions_.lets_others_in(seam, record);
    if (lets) let_others_in_();
    return lets;
  }

  Record* find(std::string_view id) const;
  Queue* find_queue(std::string_view name);

  Record& insert(const NewJob& job, Instant now);
  JobId new_id();
  Record* holder_of_key(const Job& job) const;
  void take_key(Record& record);
  void release_key(const Record& record);
  void enter(Record& record, Stage stage);  // and stand where that stage stands
  void change(Record& record, const Outcome& after);

  std::vector<Queue*> open_queues(const Reserve& request);
  void expire(Record& record, Instant now);
  void sweep(Queue& queue, Instant now);
  bool is_eligible(const Record& record, Instant now) const;
  Record* next_in(const std::vector<Queue*>& queues, Instant now);
  // Nothing where somebody was let in and it cannot be claimed any more.
  std::optional<Claim> claim(Record& record, Instant now, const Reserve& request);

  struct Settlement {
    Record* record = nullptr;
    bool repeated = false;
  };
  // Called before a settle that is no repetition changes the record.
  using Change = std::function<void(Record&)>;
  Result<Settlement> admit(Instant now, const Hold& hold, SettleKind kind);
  Result<Record*> admit_extension(Instant now, const Hold& hold);
  Error refuse(Record& record, LeaseReason reason);
  void settle(Record& record, SettleKind kind, const Outcome& after);
  Objection refuses(const Ack& request) const;
  Objection refuses(const Retry& request) const;
  Objection refuses(const Fail& request) const;
  Objection refuses(const Nack& request) const;
  Result<Settlement> settle(Instant now, const Ack& request, const Change& before = {});
  Result<Settlement> settle(Instant now, const Retry& request, const Change& before = {});
  Result<Settlement> settle(Instant now, const Fail& request, const Change& before = {});
  Result<Settlement> settle(Instant now, const Nack& request, const Change& before = {});

  // A record beside the jobs.
  struct Kept {
    std::string value = {};
    std::int64_t version = 0;
    std::optional<std::int64_t> left = {};  // of a countdown
    std::unordered_set<std::string> marks = {};
  };
  class Undo;
  struct Committer;
  const Kept* kept(const std::string& key) const;
  static assay::Record shown(const std::string& key, const Kept& kept);
  Objection conflicts(const Commit& commit) const;
  void write(const Commit& commit, Committed& answer);

  Result<Requeued> replay_same(Instant now, Record& record, const Requeue& request);
  Result<Requeued> replay_fresh(Instant now, Record& record, const Requeue& request);

  Job show(const Record& record, Instant now) const;

  const Decisions& decisions_;
  const std::function<void()> let_others_in_;
  Random ids_;
  Random tokens_;
  Random jitter_;
  std::int64_t jobs_made_ = 0;
  std::uint64_t tokens_made_ = 0;

  std::deque<Record> records_;
  std::unordered_map<std::string_view, Record*> by_id_;  // the texts belong to the records
  ByText<Queue> queues_;
  ByText<Record*> keys_;
  std::map<std::string, Kept, std::less<>> kept_;

  bool lines_are_watched_ = false;
  std::vector<const Record*> arrivals_;
};

}  // namespace assay::memory_queue
