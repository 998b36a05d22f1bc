// Records, and commits: the calls that settle and enqueue, and the records, in one transaction.
#include "drivers/sqlite/detail/session.h"

namespace assay::lite {

static Record read_record(const Query& query) {
  const auto remaining = query.maybe_number(2);
  return {query.bytes(0), remaining ? std::to_string(*remaining) : query.bytes(3), query.number(1)};
}

// The parts of a commit. What they did is rolled back where one of them is refused.
struct SqliteSession::Committer {
  SqliteSession& session;
  std::int64_t now;
  Committed answer = {};

  const SqliteStatements& sql() const { return session.shared_.sql; }

  Settled settle(const std::monostate&) { return true; }
  Settled settle(const Hold& hold) {
    const auto held = session.extend_at(now, {hold, Duration{0}});  // never shortens
    if (!held.ok()) return held.error();
    return true;
  }
  Settled settle(const Nack& nack) { return session.settle_at(now, nack, answer.nacked.emplace()); }
  Settled settle(const auto& request) { return session.settle_at(now, request); }

  // The version, 0 where there is none, and whether it is a countdown.
  std::pair<std::int64_t, bool> there(const std::string& key) {
    Query query = session.ask(sql().record);
    if (!query.with(":key", key).next()) return {0, false};
    return {query.number(1), !query.is_null(2)};
  }

  Status put(const Put& put) {
    const auto& how = !put.if_version        ? sql().put
                      : *put.if_version == 0 ? sql().put_new
                                             : sql().put_version;
    {
      Query query = session.ask(how);
      query.with(":key", put.key).with(":value", put.value).with(":version", put.if_version);
      if (query.next()) {
        answer.versions.push_back(query.number(0));
        return Done{};
      }
    }
    const auto [version, is_countdown] = there(put.key);
    if (auto refused = stored::version_conflict(put.key, version, put.if_version)) return *refused;
    return stored::countdown_conflict(put.key);
  }

  Status drop(const Drop& drop) {
    const auto [version, is_countdown] = there(drop.key);
    if (auto refused = stored::version_conflict(drop.key, version, drop.if_version))
      return *refused;
    session.ask(sql().drop).with(":key", drop.key).execute();
    if (is_countdown) session.ask(sql().drop_marks).with(":key", drop.key).execute();
    return Done{};
  }

  Status count(const Count& count) {
    session.ask(sql().begin_countdown).with(":key", count.key).with(":from", count.from).execute();
    std::int64_t left = 0;
    {
      Query query = session.ask(sql().record);
      CHECK(query.with(":key", count.key).next());
      if (query.is_null(2)) return stored::no_countdown_conflict(count.key);
      left = query.number(2);
    }
    const bool counts =
        left > 0 &&
        session.ask(sql().mark).with(":key", count.key).with(":mark", count.once).execute() == 1;
    if (counts) {
      Query query = session.ask(sql().count);
      CHECK(query.with(":key", count.key).next());
      left = query.number(0);
    }
    answer.counts.push_back({left, counts, {}});
    return Done{};
  }

  Status enqueue(const std::vector<Enqueue>& requests, std::vector<Enqueued>& answers) {
    for (const Enqueue& request : requests) {
      auto enqueued = session.enqueue_at(now, request.job);
      if (!enqueued.ok()) return enqueued.error();
      answers.push_back(*std::move(enqueued));
    }
    return Done{};
  }
};

Result<Committed> SqliteSession::commit_at(std::int64_t now, const Commit& request) {
  Committer committer{*this, now};
  Committed& answer = committer.answer;
  const Settled settled =
      std::visit([&](const auto& one) { return committer.settle(one); }, request.settle);
  if (!settled.ok()) return settled.error();
  answer.applied = *settled;
  if (!answer.applied) return std::move(answer);
  for (const Put& put : request.puts)
    if (Status done = committer.put(put); !done.ok()) return done.error();
  for (const Drop& drop : request.drops)
    if (Status done = committer.drop(drop); !done.ok()) return done.error();
  for (const Count& count : request.counts)
    if (Status done = committer.count(count); !done.ok()) return done.error();
  for (std::size_t i = 0; i < request.counts.size(); ++i)
    if (Counted& counted = answer.counts[i]; counted.counted && counted.left == 0)
      if (Status done = committer.enqueue(request.counts[i].then, counted.then); !done.ok())
        return done.error();
  if (Status done = committer.enqueue(request.enqueues, answer.enqueued); !done.ok())
    return done.error();
  return std::move(answer);
}

Result<Committed> SqliteSession::commit(Instant now, const Commit& request) {
  return call<Committed>(Kind::write, now, request,
                         [&](std::int64_t at) { return commit_at(at, request); });
}

Result<std::optional<Record>> SqliteSession::read(Instant now, const std::string& key) {
  using Found = std::optional<Record>;
  return call<Found>(Kind::read, now, stored::RecordKey{key}, [&](std::int64_t) -> Result<Found> {
    Query query = ask(shared_.sql.record);
    if (!query.with(":key", key).next()) return Found();
    return Found(read_record(query));
  });
}

Result<RecordPage> SqliteSession::scan(Instant now, const Scan& request) {
  return call<RecordPage>(Kind::read, now, request, [&](std::int64_t) -> Result<RecordPage> {
    RecordPage page;
    std::size_t bytes = 0;
    Query query = ask(shared_.sql.scan);
    query.with(":from", request.prefix)
        .with(":after", request.after)
        .with(":limit", request.limit + 1);
    while (query.next()) {
      Record record = read_record(query);
      if (!record.key.starts_with(request.prefix)) break;
      page.more = std::ssize(page.records) == request.limit || bytes >= most_values_bytes;
      if (page.more) break;
      bytes += record.value.size();
      page.records.push_back(std::move(record));
    }
    return page;
  });
}

}  // namespace assay::lite
