// Records, and commits of everything at once: what was done before a refusal is taken back.
#include "drivers/memory/store.h"

namespace assay::memory_queue {

// What a commit has done so far, taken back unless it is kept.
class Store::Undo {
 public:
  explicit Undo(Store& store) : store_(store) {}
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  ~Undo() {
    for (auto made = made_.rbegin(); made != made_.rend(); ++made) unmake(**made);
    if (settled_) restore();
  }

  void settles(Record& record) {
    settled_ = &record;
    was_ = record;
    held_its_key_ = store_.holder_of_key(record.job) == &record;
  }
  void made(Record& record) { made_.push_back(&record); }
  void keep() {
    settled_ = nullptr;
    made_.clear();
  }

 private:
  // The record itself stays where it is: somebody who was let in may be looking at it.
  void unmake(Record& record) {
    record.queue->withdraw(record);
    record.queue->strike(record);
    store_.release_key(record);
    store_.by_id_.erase(record.job.id);
  }
  void restore() {
    settled_->queue->withdraw(*settled_);
    was_.in_line.reset();
    was_.in_leases.reset();
    was_.in_graves.reset();
    *settled_ = was_;
    store_.enter(*settled_, was_.stage);
    if (held_its_key_) store_.take_key(*settled_);
  }

  Store& store_;
  Record* settled_ = nullptr;
  Record was_ = {};
  bool held_its_key_ = false;
  std::vector<Record*> made_;
};

struct Store::Committer {
  Store& store;
  Instant now;
  Undo& undo;

  Objection refuses(const std::monostate&) const { return std::nullopt; }
  Objection refuses(const Hold& hold) const { return objection_to(hold); }
  Objection refuses(const auto& settle) const { return store.refuses(settle); }

  Result<Settlement> settle(const std::monostate&) { return Settlement{}; }
  Result<Settlement> settle(const Hold& hold) {
    const auto held = store.admit_extension(now, hold);
    if (!held) return held.error();
    return Settlement{*held, false};
  }
  Result<Settlement> settle(const auto& request) {
    return store.settle(now, request, [&](Record& record) { undo.settles(record); });
  }

  Objection enqueue(const std::vector<Enqueue>& requests, std::vector<Enqueued>& answers) {
    for (const Enqueue& request : requests) {
      const auto enqueued = store.enqueue(now, request);
      if (!enqueued) return enqueued.error();
      if (!enqueued->existed) undo.made(*store.find(enqueued->id));
      answers.push_back(*enqueued);
    }
    return std::nullopt;
  }
};

const Store::Kept* Store::kept(const std::string& key) const {
  const auto found = kept_.find(key);
  return found == kept_.end() ? nullptr : &found->second;
}

assay::Record Store::shown(const std::string& key, const Kept& kept) {
  return {key, kept.left ? std::to_string(*kept.left) : kept.value, kept.version};
}

static Objection conflict_of(std::int64_t version, const std::optional<std::int64_t>& wanted,
                             const std::string& key) {
  if (!wanted || *wanted == version) return std::nullopt;
  if (version == 0) return conflict("there is no record '" + key + "'");
  return conflict("the record '" + key + "' is at version " + std::to_string(version) + ", not " +
                  std::to_string(*wanted));
}

Objection Store::conflicts(const Commit& commit) const {
  for (const Put& put : commit.puts) {
    const Kept* old = kept(put.key);
    if (auto objection = conflict_of(old ? old->version : 0, put.if_version, put.key))
      return objection;
    if (old && old->left) return conflict("'" + put.key + "' is a countdown");
  }
  for (const Drop& drop : commit.drops) {
    const Kept* old = kept(drop.key);
    if (auto objection = conflict_of(old ? old->version : 0, drop.if_version, drop.key))
      return objection;
  }
  for (const Count& count : commit.counts)
    if (const Kept* old = kept(count.key); old && !old->left)
      return conflict("the record '" + count.key + "' is no countdown");
  return std::nullopt;
}

// Requires: nothing conflicts.
void Store::write(const Commit& commit, Committed& answer) {
  for (const Put& put : commit.puts) {
    Kept& record = kept_[put.key];
    record.value = put.value;
    answer.versions.push_back(++record.version);
  }
  for (const Drop& drop : commit.drops) kept_.erase(drop.key);
  for (std::size_t i = 0; i < commit.counts.size(); ++i) {
    if (!answer.counts[i].counted) continue;
    Kept& record = kept_[commit.counts[i].key];
    record.left = answer.counts[i].left;
    record.marks.insert(commit.counts[i].once);
    ++record.version;
  }
}

Result<Committed> Store::commit(Instant now, const Commit& commit) {
  Undo undo(*this);
  Committer committer{*this, now, undo};
  if (auto objection = assay::objection_to(commit)) return *objection;
  if (auto objection =
          std::visit([&](const auto& one) { return committer.refuses(one); }, commit.settle))
    return *objection;
  for (const Count& count : commit.counts)
    for (const Enqueue& request : count.then)
      if (auto objection = objection_to(request)) return *objection;
  for (const Enqueue& request : commit.enqueues)
    if (auto objection = objection_to(request)) return *objection;

  const auto settled =
      std::visit([&](const auto& one) { return committer.settle(one); }, commit.settle);
  if (!settled) return settled.error();
  Committed answer;
  if (std::holds_alternative<Nack>(commit.settle))
    answer.nacked = settled.value().record->settled->answer;
  answer.applied = !settled.value().repeated;
  if (!answer.applied) return answer;

  if (auto objection = conflicts(commit)) return *objection;
  for (const Count& count : commit.counts) {
    const Kept* old = kept(count.key);
    const std::int64_t left = old ? *old->left : count.from;
    const bool counts = left > 0 && !(old && old->marks.contains(count.once));
    answer.counts.push_back({left - (counts ? 1 : 0), counts, {}});
  }
  for (std::size_t i = 0; i < commit.counts.size(); ++i)
    if (Counted& counted = answer.counts[i]; counted.counted && counted.left == 0)
      if (auto objection = committer.enqueue(commit.counts[i].then, counted.then))
        return *objection;
  if (auto objection = committer.enqueue(commit.enqueues, answer.enqueued)) return *objection;
  write(commit, answer);
  undo.keep();
  return answer;
}

Result<std::optional<assay::Record>> Store::read(const std::string& key) const {
  if (auto objection = objection_to_key(key)) return *objection;
  const Kept* found = kept(key);
  return found ? std::optional(shown(key, *found)) : std::nullopt;
}

Result<RecordPage> Store::scan(const Scan& scan) const {
  if (auto objection = assay::objection_to(scan)) return *objection;
  RecordPage page;
  std::size_t bytes = 0;
  const bool begins_behind = scan.after && *scan.after >= scan.prefix;
  auto next = begins_behind ? kept_.upper_bound(*scan.after) : kept_.lower_bound(scan.prefix);
  for (; next != kept_.end() && next->first.starts_with(scan.prefix); ++next) {
    page.more = std::ssize(page.records) == scan.limit || bytes >= most_values_bytes;
    if (page.more) break;
    page.records.push_back(shown(next->first, next->second));
    bytes += next->second.value.size();
  }
  return page;
}

}  // namespace assay::memory_queue
