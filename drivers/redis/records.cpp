// Records, and commits: one script.
#include "drivers/redis/detail/session.h"

namespace assay::rds {

// The parts of a commit in the order in which the script knows them.
struct RedisSession::Parts {
  const Commit& commit;
  JobId settled = {};
  std::vector<const NewJob*> jobs = {};
  std::vector<std::int64_t> ofs = {};  // of which count each job is, from 1 on; 0: of none

  explicit Parts(const Commit& of) : commit(of) {
    for (const Count& count : commit.counts)
      for (const Enqueue& then : count.then) add(then, &count - commit.counts.data() + 1);
    for (const Enqueue& enqueue : commit.enqueues) add(enqueue, 0);
  }

 private:
  void add(const Enqueue& enqueue, std::int64_t of) {
    jobs.push_back(&enqueue.job);
    ofs.push_back(of);
  }
};

static std::int64_t count_of(const auto& all) { return std::ssize(all); }

Result<Committed> RedisSession::commit(Instant now, const Commit& request) {
  return call<Committed>(request, [&]() -> Result<Committed> {
    Parts parts(request);
    Words words = commit_words(now, parts);
    words.add(count_of(request.puts));
    for (const Put& put : request.puts) words.add(put.key).add(put.value).add(put.if_version);
    words.add(count_of(request.drops));
    for (const Drop& drop : request.drops) words.add(drop.key).add(drop.if_version);
    words.add(count_of(request.counts));
    for (const Count& count : request.counts) words.add(count.key).add(count.from).add(count.once);
    words.add(count_of(parts.jobs));
    for (std::size_t i = 0; i < parts.jobs.size(); ++i) {
      words.add(parts.ofs[i]).add(parts.jobs[i]->queue);
      add_job(words, *parts.jobs[i]);
    }
    const Reply reply = shared_.scripts.run(Op::commit, *connection_, words);
    if (reply[0].number() == 0) return refusal_of(reply.value(), parts);
    return committed(reply.value(), parts);
  });
}

// The settle's own words stand where its own script has them.
Words RedisSession::commit_words(Instant now, Parts& parts) {
  constexpr std::size_t own_words = 3;
  const auto with = [&](const Hold& hold, std::string_view kind, auto add) {
    parts.settled = hold.job_id;
    Words words = settling(Op::commit, now, hold);
    for (std::size_t added = add(words); added < own_words; ++added) words.add("");
    words.add(kind);
    return words;
  };
  const auto nothing = [](Words&) { return std::size_t{0}; };
  const auto all_of = [&](const auto& settle) {
    return [&](Words& words) {
      add_settle(words, settle);
      return own_words;
    };
  };
  const CommitSettle& settle = parts.commit.settle;
  if (const auto* ack = std::get_if<Ack>(&settle)) return with(ack->hold, "ack", nothing);
  if (const auto* retry = std::get_if<Retry>(&settle))
    return with(retry->hold, "retry", all_of(*retry));
  if (const auto* fail = std::get_if<Fail>(&settle)) return with(fail->hold, "fail", all_of(*fail));
  if (const auto* nack = std::get_if<Nack>(&settle)) return with(nack->hold, "nack", all_of(*nack));
  if (const auto* hold = std::get_if<Hold>(&settle))
    return with(*hold, "hold", [](Words& words) {
      words.add("0");  // an extension never shortens
      return std::size_t{1};
    });
  return with({}, "", nothing);
}

Error RedisSession::refusal_of(const Value& reply, const Parts& parts) const {
  const std::string_view word = reply[1].text();
  const Commit& commit = parts.commit;
  const auto place = [&] { return static_cast<std::size_t>(reply[2].number() - 1); };
  if (word == "put" || word == "drop") {
    const bool is_put = word == "put";
    const std::string& key = is_put ? commit.puts.at(place()).key : commit.drops.at(place()).key;
    const auto& wanted =
        is_put ? commit.puts.at(place()).if_version : commit.drops.at(place()).if_version;
    const auto conflict = stored::version_conflict(key, reply[3].number(), wanted);
    return conflict ? *conflict : stored::countdown_conflict(key);
  }
  if (word == "count") return stored::no_countdown_conflict(commit.counts.at(place()).key);
  if (word == "enqueue") return *refusal_in(reply[3], parts.jobs.at(place())->id.value_or(""));
  return *refusal_in(reply, parts.settled);
}

Committed RedisSession::committed(const Value& reply, const Parts& parts) {
  Committed answer;
  answer.applied = reply[1].number() == 1;
  if (std::holds_alternative<Nack>(parts.commit.settle))
    answer.nacked = read_nacked(reply[2].text());
  if (!answer.applied) return answer;
  for (std::size_t i = 0; i < parts.commit.puts.size(); ++i)
    answer.versions.push_back(reply[3][i].number());
  for (std::size_t i = 0; i < parts.commit.counts.size(); ++i)
    answer.counts.push_back({reply[4][2 * i].number(), reply[4][2 * i + 1].number() == 1, {}});
  const Value made = reply[5];
  for (std::size_t i = 0; i + 1 < made.size(); i += 2) {
    const auto of =
        static_cast<std::size_t>(parts.ofs.at(static_cast<std::size_t>(made[i].number() - 1)));
    (of == 0 ? answer.enqueued : answer.counts.at(of - 1).then).push_back(enqueued(made[i + 1]));
  }
  return answer;
}

// A countdown has something left and no value.
static Record record_of(std::string key, const Value& version, const Value& left,
                        const Value& value) {
  return {std::move(key), left.maybe_text().value_or(value.maybe_text().value_or("")),
          version.number()};
}

Result<std::optional<Record>> RedisSession::read(Instant now, const std::string& key) {
  using Found = std::optional<Record>;
  return call<Found>(stored::RecordKey{key}, [&]() -> Result<Found> {
    const auto reply = run(Op::record, begin(Op::record, now, key));
    if (!reply.ok()) return reply.error();
    if ((*reply)[1].is_nil()) return Found();
    return Found(record_of(key, (*reply)[1], (*reply)[2], (*reply)[3]));
  });
}

Result<RecordPage> RedisSession::scan(Instant now, const Scan& request) {
  return call<RecordPage>(request, [&]() -> Result<RecordPage> {
    const bool begins_behind = request.after && *request.after >= request.prefix;
    Words words = begin(Op::scan, now, "");
    words.add(begins_behind ? "(" + *request.after : "[" + request.prefix).add(request.prefix);
    words.add(request.limit).add(static_cast<std::int64_t>(most_values_bytes));
    const auto reply = run(Op::scan, words);
    if (!reply.ok()) return reply.error();
    const Value answer = reply->value();
    RecordPage page;
    page.more = answer[1].number() == 1;
    for (std::size_t i = 2; i + 3 < answer.size(); i += 4)
      page.records.push_back(
          record_of(std::string(answer[i].text()), answer[i + 1], answer[i + 2], answer[i + 3]));
    return page;
  });
}

}  // namespace assay::rds
