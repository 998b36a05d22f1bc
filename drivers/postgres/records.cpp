// Records, and commits: one call of one function.
#include <iterator>

#include "drivers/postgres/detail/many_jobs.h"
#include "harness/contract/check.h"

namespace assay::pg {

// A commit as the function takes it.
struct PostgresSession::Parts {
  std::string kind = {};
  Hold hold = {};
  std::int64_t attempts = 0;
  std::optional<std::int64_t> run_at = {};
  std::optional<std::string> reason = {};
  std::string error = {};
  bool unrecoverable = false;

  std::vector<const Put*> puts = {};
  std::vector<const Drop*> drops = {};
  std::vector<const Count*> counts = {};
  std::vector<const NewJob*> jobs = {};
  std::vector<std::int64_t> ofs = {};  // of which count each job is, from 1 on; 0: of none

  explicit Parts(const Commit& commit) {
    std::visit([this](const auto& settle) { take(settle); }, commit.settle);
    for (const Put& put : commit.puts) puts.push_back(&put);
    for (const Drop& drop : commit.drops) drops.push_back(&drop);
    for (const Count& count : commit.counts) {
      counts.push_back(&count);
      for (const Enqueue& then : count.then) add(then, std::ssize(counts));
    }
    for (const Enqueue& enqueue : commit.enqueues) add(enqueue, 0);
  }

 private:
  void add(const Enqueue& enqueue, std::int64_t of) {
    jobs.push_back(&enqueue.job);
    ofs.push_back(of);
  }
  void take(const std::monostate&) {}
  void take(const Hold& held) {
    kind = "hold";
    hold = held;
  }
  void take(const Ack& ack) {
    kind = "ack";
    hold = ack.hold;
  }
  void take(const Retry& retry) {
    kind = "retry";
    hold = retry.hold;
    attempts = retry.attempts;
    run_at = to_ms(retry.run_at);
    error = retry.error;
  }
  void take(const Fail& fail) {
    kind = "fail";
    hold = fail.hold;
    attempts = fail.attempts;
    reason = fail.reason;
    error = fail.error;
  }
  void take(const Nack& nack) {
    kind = "nack";
    hold = nack.hold;
    error = nack.error;
    unrecoverable = nack.unrecoverable;
  }
};

pqxx::result PostgresSession::ask_to_commit(const Present& at, const Parts& parts) {
  const Profile& profile = shared_.profile;
  std::vector<const std::int64_t*> ofs;
  for (const std::int64_t& of : parts.ofs) ofs.push_back(&of);
  const auto key = [](const auto& part) { return std::optional(part.key); };
  const auto version = [](const auto& part) { return part.if_version; };
  const bool existing = profile.idem == Idem::return_existing;
  return with_all(parts.jobs, [&](const auto&... jobs) {
    return ask_held(
        "commit_all", at, parts.hold, strict(), releases(), parts.kind, parts.attempts,
        parts.run_at, to_hex(parts.reason), to_hex(parts.error), counter_name(profile.counter),
        parts.unrecoverable, hidden(), profile.limit_unit == LimitUnit::retries,
        profile.default_limit, to_ms(profile.backoff.base), to_ms(profile.backoff.cap), draw(),
        array_of_bytes(parts.puts, key),
        array_of_bytes(parts.puts, [](const Put& put) { return std::optional(put.value); }),
        array_of_numbers(parts.puts, version), array_of_bytes(parts.drops, key),
        array_of_numbers(parts.drops, version), array_of_bytes(parts.counts, key),
        array_of_numbers(parts.counts,
                         [](const Count& count) { return std::optional(count.from); }),
        array_of_bytes(parts.counts, [](const Count& count) { return std::optional(count.once); }),
        jobs..., array_of_numbers(ofs, [](std::int64_t of) { return std::optional(of); }),
        random_.hex(8), keyed(), scope(), profile.has("schedule_at_enqueue"), existing);
  });
}

// By the two rows that end an answer.
Error PostgresSession::refused(const pqxx::row& place, const pqxx::row& why,
                               const Parts& parts) const {
  const std::string what = verdict_of(why);
  const auto at = static_cast<std::size_t>(part_of(place).place - 1);
  if (what == "count") return stored::no_countdown_conflict(parts.counts.at(at)->key);
  if (what == "put" || what == "drop") {
    const std::string& key = what == "put" ? parts.puts.at(at)->key : parts.drops.at(at)->key;
    const auto& wanted =
        what == "put" ? parts.puts.at(at)->if_version : parts.drops.at(at)->if_version;
    const auto conflict = stored::version_conflict(key, part_of(why).number, wanted);
    return conflict ? *conflict : stored::countdown_conflict(key);
  }
  const auto enqueue = enqueued(why, *parts.jobs.at(at));
  CHECK(!enqueue.ok());
  return enqueue.error();
}

Result<Committed> PostgresSession::committed(const pqxx::result& answers,
                                             const Parts& parts) const {
  Committed answer;
  auto row = answers.begin();
  if (!parts.kind.empty()) {
    Nacked told;
    const auto applied =
        parts.kind == "nack"
            ? nacked(*row, parts.hold, told)
            : settled(*row, parts.hold, parts.kind == "hold" ? "extend" : parts.kind);
    if (!applied.ok()) return applied.error();
    if (parts.kind == "nack") answer.nacked = told;
    answer.applied = *applied;
    if (!answer.applied) return answer;
    ++row;
  }
  answer.versions.resize(parts.puts.size());
  answer.counts.resize(parts.counts.size());
  for (; row != answers.end(); ++row) {
    const std::string verdict = verdict_of(*row);
    if (verdict == "refusal") return refused(*row, *std::next(row), parts);
    const PartAnswer part = part_of(*row);
    const auto at = static_cast<std::size_t>(part.place - 1);
    if (verdict == "put") {
      answer.versions.at(at) = part.number;
    } else if (verdict == "count") {
      answer.counts.at(at).left = part.number;
      answer.counts.at(at).counted = part.counted;
    } else if (verdict != "drop") {
      auto made = enqueued(*row, *parts.jobs.at(at));
      if (!made.ok()) return made.error();
      const auto of = static_cast<std::size_t>(parts.ofs.at(at));
      (of == 0 ? answer.enqueued : answer.counts.at(of - 1).then).push_back(*std::move(made));
    }
  }
  return answer;
}

Result<Committed> PostgresSession::commit(Instant now, const Commit& request) {
  return call<Committed>(Phase::writing, now, request, [&](Present at) {
    const Parts parts(request);
    // Jobs of the same ids that others enqueue in another order may make a circle of waiting: the
    // server takes one of them back whole.
    constexpr int tries = 5;
    for (int tried = 1;; ++tried) try {
        return committed(ask_to_commit(at, parts), parts);
      } catch (const pqxx::deadlock_detected&) {
        if (tried == tries) throw;
      }
  });
}

static Record read_record(const pqxx::row& row) {
  return {from_hex(row[0]), row[2].is_null() ? from_hex(row[3]) : std::string(row[2].c_str()),
          row[1].as<std::int64_t>()};
}

static Error namespace_is_gone() {
  return {ErrorCode::unavailable, "the namespace is gone: set it up again and open new sessions",
          LeaseReason::unstated, true};
}

Result<std::optional<Record>> PostgresSession::read(Instant now, const std::string& key) {
  using Found = std::optional<Record>;
  return call<Found>(Phase::reading, now, stored::RecordKey{key}, [&](Present at) -> Result<Found> {
    const auto answers = ask_plainly(shared_.sql.record, at, to_hex(key));
    if (answers.empty()) return namespace_is_gone();
    if (answers[0][0].is_null()) return Found();
    return Found(read_record(answers[0]));
  });
}

Result<RecordPage> PostgresSession::scan(Instant now, const Scan& request) {
  return call<RecordPage>(Phase::reading, now, request, [&](Present at) -> Result<RecordPage> {
    const auto answers = ask_plainly(shared_.sql.scan, at, to_hex(request.prefix),
                                     to_hex(request.after), request.limit);
    if (answers.empty()) return namespace_is_gone();
    RecordPage page;
    if (answers[0][0].is_null()) return page;
    for (const pqxx::row row : answers) page.records.push_back(read_record(row));
    page.more = answers[0][4].as<std::int64_t>() > std::ssize(page.records);
    return page;
  });
}

}  // namespace assay::pg
