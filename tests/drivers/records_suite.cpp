#include "tests/drivers/records_suite.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "tests/drivers/child.h"

namespace assay::on_store {
namespace {

Put put(std::string key, std::string value, std::optional<std::int64_t> if_version = {}) {
  return {std::move(key), std::move(value), if_version};
}

// Everything that a commit could have changed.
std::string everything(Rig& rig) {
  std::string all;
  const auto page = rig.records().scan(rig.now(), {"", {}, 1000});
  for (const Record& record : page.value().records)
    all += record.key + "=" + record.value + "@" + std::to_string(record.version) + "\n";
  for (const char* queue : {"q", "r"}) {
    const auto jobs = rig.session->list(rig.now(), {queue, {}, 100, {}});
    for (const Job& job : jobs.value().jobs)
      all += job.id + " " + std::string(name_of(job.state)) + " " + std::to_string(job.attempts) +
             job.last_error.value_or("") + "\n";
  }
  return all;
}

// Settles by the name, as far as the profile has them.
std::optional<CommitSettle> settle_named(const std::string& name, const Profile& profile,
                                         const Hold& hold, Instant at) {
  const bool engine = profile.decider == Decider::engine;
  if (name == "hold") return hold;
  if (name == "ack") return Ack{hold};
  if (name == "retry" && engine) return Retry{hold, at, 1, "e"};
  if (name == "fail" && engine) return Fail{hold, 1, "r", "e"};
  if (name == "nack" && !engine) return Nack{hold, "e", false};
  return std::nullopt;
}
constexpr const char* settles[] = {"hold", "ack", "retry", "fail", "nack"};

// The same settle alone; of a hold, an extension.
std::optional<Error> alone(Rig& rig, const CommitSettle& settle) {
  const auto refusal = [](const auto& answer) {
    return answer.ok() ? std::nullopt : std::optional(answer.error());
  };
  const Instant now = rig.now();
  if (const auto* hold = std::get_if<Hold>(&settle))
    return refusal(rig.session->extend(now, {*hold, Duration{1}}));
  if (const auto* ack = std::get_if<Ack>(&settle)) return refusal(rig.session->ack(now, *ack));
  if (const auto* retry = std::get_if<Retry>(&settle))
    return refusal(rig.session->retry(now, *retry));
  if (const auto* fail = std::get_if<Fail>(&settle)) return refusal(rig.session->fail(now, *fail));
  return refusal(rig.session->nack(now, std::get<Nack>(settle)));
}

std::string told(const std::optional<Error>& error) {
  if (!error) return "ok";
  return std::string(name_of(error->code)) + " " + std::string(name_of(error->reason));
}

}  // namespace

TEST_P(RecordsOnStore, WritesReadsAndDropsByVersion) {
  Rig rig = this->rig();
  EXPECT_EQ(rig.value("a"), "none");
  auto made = rig.commit({{}, {put("a", "one"), put("b", "")}, {}, {}, {}});
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->versions, (std::vector<std::int64_t>{1, 1}));
  EXPECT_TRUE(made->applied);
  EXPECT_EQ(rig.value("a"), "one@1");
  EXPECT_EQ(rig.value("b"), "@1");
  EXPECT_EQ(rig.commit({{}, {put("a", "two", 1)}, {}, {}, {}})->versions.at(0), 2);
  EXPECT_EQ(rig.commit({{}, {put("a", "three")}, {}, {}, {}})->versions.at(0), 3);
  for (const std::int64_t wrong : {0, 1, 2, 4}) {
    const auto refused = rig.commit({{}, {put("a", "four", wrong)}, {}, {}, {}});
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_TRUE(is_definite(refused.error()));
  }
  EXPECT_EQ(rig.value("a"), "three@3");
  EXPECT_EQ(rig.commit({{}, {put("new", "x", 5)}, {}, {}, {}}).error().code, ErrorCode::conflict);
  EXPECT_EQ(rig.commit({{}, {put("new", "x", 0)}, {}, {}, {}})->versions.at(0), 1);

  EXPECT_EQ(rig.commit({{}, {}, {{"a", 2}}, {}, {}}).error().code, ErrorCode::conflict);
  EXPECT_EQ(rig.commit({{}, {}, {{"gone", 2}}, {}, {}}).error().code, ErrorCode::conflict);
  EXPECT_EQ(rig.commit({{}, {}, {{"a", 0}}, {}, {}}).error().code, ErrorCode::conflict);
  EXPECT_EQ(rig.value("a"), "three@3");
  EXPECT_TRUE(rig.commit({{}, {}, {{"a", 3}, {"gone", {}}, {"never", 0}}, {}, {}}).ok());
  EXPECT_EQ(rig.value("a"), "none");
  EXPECT_EQ(rig.commit({{}, {put("a", "again", 0)}, {}, {}, {}})->versions.at(0), 1);
}

TEST_P(RecordsOnStore, SettlesWritesCountsAndEnqueuesAtOnce) {
  Rig rig = this->rig();
  const Hold hold = rig.claim("first");
  const auto done = rig.commit({Ack{hold},
                                {put("p", "v")},
                                {},
                                {{"c", 1, "m", {Rig::job("then-1", "r"), Rig::job("then-2", "r")}}},
                                {Rig::job("next", "r")}});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->counts.at(0),
            (Counted{0, true, {Enqueued{"then-1", false}, Enqueued{"then-2", false}}}));
  EXPECT_EQ(done->enqueued, std::vector{(Enqueued{"next", false})});
  EXPECT_FALSE(done->nacked);
  EXPECT_EQ(rig.state("first"), "done");
  for (const char* id : {"then-1", "then-2", "next"}) EXPECT_EQ(rig.state(id), "ready") << id;
  EXPECT_EQ(rig.value("p"), "v@1");
  EXPECT_EQ(rig.value("c"), "0@1");
}

TEST_P(RecordsOnStore, ChangesNothingWhereAnyPartIsRefused) {
  Rig rig = this->rig();
  const bool keeps_keys = rig.profile().idem == Idem::reject_active;
  ASSERT_TRUE(rig.commit({{}, {put("old", "o")}, {}, {{"down", 9, "m0", {}}}, {}}).ok());
  NewJob keyed = Rig::job("keyed", "r").job;
  keyed.key = "k";
  ASSERT_TRUE(rig.session->enqueue(rig.now(), {keyed}).ok());

  NewJob other = keyed;
  other.payload = "of other content";
  NewJob same_key = Rig::job("other", "r").job;
  same_key.key = "k";
  NewJob later = Rig::job("later", "r").job;
  later.run_at = rig.now() + Duration{5000};
  NewJob nameless = Rig::job("nameless", "").job;

  struct Way {
    const char* what;
    ErrorCode code;
    std::function<void(Commit&)> spoil;
  };
  std::vector<Way> ways = {
      {"a lost lease", ErrorCode::lease_lost,
       [](Commit& commit) { std::get<Ack>(commit.settle).hold.token = "forged"; }},
      {"no job", ErrorCode::not_found,
       [](Commit& commit) { std::get<Ack>(commit.settle).hold.job_id = "nobody"; }},
      {"no hold", ErrorCode::invalid,
       [](Commit& commit) { std::get<Ack>(commit.settle).hold.job_id = ""; }},
      {"a put's version", ErrorCode::conflict,
       [](Commit& commit) { commit.puts.push_back(put("old", "n", 7)); }},
      {"a put that must be new", ErrorCode::conflict,
       [](Commit& commit) { commit.puts.push_back(put("old", "n", 0)); }},
      {"a put on a countdown", ErrorCode::conflict,
       [](Commit& commit) { commit.puts.push_back(put("down", "n")); }},
      {"a drop's version", ErrorCode::conflict,
       [](Commit& commit) {
         commit.drops.push_back({"old", 2});
       }},
      {"a drop of nothing", ErrorCode::conflict,
       [](Commit& commit) {
         commit.drops.push_back({"none", 1});
       }},
      {"a count of what is none", ErrorCode::conflict,
       [](Commit& commit) {
         commit.counts.push_back({"old", 3, "m", {}});
       }},
      {"an enqueue", ErrorCode::invalid,
       [&](Commit& commit) { commit.enqueues.push_back({nameless}); }},
      {"an enqueue then", ErrorCode::invalid,
       [&](Commit& commit) {
         commit.counts.push_back({"at-once", 5, "m", {{nameless}}});
       }},
      {"a key named twice", ErrorCode::invalid,
       [](Commit& commit) {
         commit.drops.push_back({"p", {}});
       }},
  };
  if (rig.profile().idem == Idem::none || rig.profile().idem == Idem::reject_active) {
    ways.push_back({"an id", keeps_keys ? ErrorCode::duplicate_key : ErrorCode::duplicate_id,
                    [&](Commit& commit) { commit.enqueues.push_back({other}); }});
    ways.push_back({"an id then", keeps_keys ? ErrorCode::duplicate_key : ErrorCode::duplicate_id,
                    [&](Commit& commit) {
                      commit.counts.push_back({"at-once", 1, "m", {{other}}});
                    }});
  }
  NewJob held_id = Rig::job("held").job;
  held_id.payload = "of other content";
  ways.push_back({"the id of the job itself", ErrorCode::duplicate_id,
                  [&](Commit& commit) { commit.enqueues.push_back({held_id}); }});
  NewJob fresh_again = Rig::job("fresh", "r").job;
  fresh_again.payload = "of other content";
  ways.push_back({"an id of the commit itself", ErrorCode::duplicate_id,
                  [&](Commit& commit) { commit.enqueues.push_back({fresh_again}); }});
  if (keeps_keys)
    ways.push_back({"a key", ErrorCode::duplicate_key,
                    [&](Commit& commit) { commit.enqueues.push_back({same_key}); }});
  if (!rig.profile().has("schedule_at_enqueue"))
    ways.push_back({"a later time", ErrorCode::unsupported,
                    [&](Commit& commit) { commit.enqueues.push_back({later}); }});

  const Hold hold = rig.claim("held");
  const std::string before = everything(rig);
  for (const Way& way : ways) {
    Commit commit{Ack{hold},
                  {put("p", "v"), put("q", "v", 0)},
                  {{"gone", {}}},
                  {{"c", 1, "m", {Rig::job("then", "r")}}},
                  {Rig::job("fresh", "r")}};
    way.spoil(commit);
    const auto refused = rig.commit(commit);
    ASSERT_FALSE(refused.ok()) << way.what;
    EXPECT_EQ(refused.error().code, way.code) << way.what << ": " << refused.error().message;
    EXPECT_FALSE(refused.error().message.empty()) << way.what;
    EXPECT_TRUE(is_definite(refused.error())) << way.what;
    ASSERT_EQ(everything(rig), before) << way.what;
  }
  // The lease is as good as before, and what was refused can be made.
  EXPECT_TRUE(rig.commit({Ack{hold}, {put("p", "v")}, {}, {}, {Rig::job("fresh", "r")}}).ok());
  EXPECT_EQ(rig.state("held"), "done");
}

TEST_P(RecordsOnStore, IsFencedExactlyAsTheSettleAlone) {
  struct Way {
    const char* what;
    std::function<void(Rig&, Hold&)> befalls;
  };
  const std::vector<Way> ways = {
      {"held", [](Rig&, Hold&) {}},
      {"forged", [](Rig&, Hold& hold) { hold.token = "forged"; }},
      {"another attempt", [](Rig&, Hold& hold) { hold.attempt = hold.attempt.value_or(0) + 1; }},
      {"at its expiry", [](Rig& rig, Hold&) { rig.pass(1000); }},
      {"over", [](Rig& rig, Hold&) { rig.pass(1001); }},
      {"reclaimed",
       [](Rig& rig, Hold& hold) {
         rig.pass(1001);
         Reserve reserve{{hold.job_id}, Duration{1000}, "other", 1, {}};
         if (rig.profile().claim_style == ClaimStyle::by_id) reserve.job_id = hold.job_id;
         static_cast<void>(rig.session->reserve(rig.now(), reserve));
       }},
      {"acked",
       [](Rig& rig, Hold& hold) { ASSERT_TRUE(rig.session->ack(rig.now(), {hold}).ok()); }},
      {"acked by another",
       [](Rig& rig, Hold& hold) {
         ASSERT_TRUE(rig.session->ack(rig.now(), {hold}).ok());
         hold.token = "forged";
       }},
      {"cancelled",
       [](Rig& rig, Hold& hold) {
         static_cast<void>(rig.session->cancel(rig.now(), {hold.job_id}));
       }},
      {"of nobody", [](Rig&, Hold& hold) { hold.job_id = "nobody"; }},
  };
  Rig one = rig({"on_store"}), other = rig({"on_store_2"});
  for (const Way& way : ways)
    for (const char* settle : settles) {
      SCOPED_TRACE(std::string(settle) + " of a lease that is " + way.what);
      // Each has a queue of its own, of the same name.
      const std::string id = std::string(settle) + " " + way.what;
      std::optional<CommitSettle> made[2];
      for (Rig* side : {&one, &other}) {
        Hold hold = side->claim(id, Duration{1000}, id);
        way.befalls(*side, hold);
        made[side == &other] = settle_named(settle, side->profile(), hold, side->now());
      }
      if (!made[0]) continue;
      const auto expected = alone(one, *made[0]);
      const auto found = other.commit({*made[1], {put(id, "v")}, {}, {}, {}});
      EXPECT_EQ(told(found.ok() ? std::nullopt : std::optional(found.error())), told(expected));
      EXPECT_EQ(one.state(id), other.state(id));
      EXPECT_EQ(other.value(id), found.ok() && found->applied ? "v@1" : "none");
      const bool repeats = std::string(way.what).starts_with("acked");
      if (found.ok()) {
        EXPECT_EQ(found->applied, !repeats);
      }
    }
  ASSERT_TRUE(one.driver->teardown().ok() && other.driver->teardown().ok());
}

TEST_P(RecordsOnStore, DoesNothingASecondTimeWhereItsSettleIsRepeated) {
  for (const char* settle : {"ack", "retry", "fail", "nack"}) {
    SCOPED_TRACE(settle);
    Rig rig = this->rig();
    const Hold hold = rig.claim("job");
    const Instant later = rig.now() + Duration{60'000};
    const auto made = settle_named(settle, rig.profile(), hold, later);
    if (!made) continue;
    const Commit commit{
        *made, {put("p", "v")}, {}, {{"c", 3, "m", {}}}, {Rig::job("next", "r"), Enqueue{[] {
                                                            NewJob job = Rig::job("", "r").job;
                                                            job.id.reset();
                                                            return job;
                                                          }()}}};
    const auto first = rig.commit(commit);
    ASSERT_TRUE(first.ok()) << first.error().message;
    const std::string after = everything(rig);
    const auto second = rig.commit(commit);
    EXPECT_EQ(everything(rig), after);
    if (rig.profile().resettle == Resettle::ok) {
      ASSERT_TRUE(second.ok()) << second.error().message;
      EXPECT_EQ(*second, (Committed{false, first->nacked, {}, {}, {}}));
    } else {
      ASSERT_FALSE(second.ok());
      EXPECT_EQ(second.error().code, ErrorCode::lease_lost);
    }
    // Nor would anything else that comes with it be done.
    const auto third = rig.commit({*made, {put("p", "w", 99)}, {{"c", {}}}, {}, {}});
    EXPECT_EQ(third.ok(), second.ok());
    EXPECT_EQ(everything(rig), after);
  }
}

TEST_P(RecordsOnStore, KeepsALeaseThatIsOnlyHeld) {
  Rig rig = this->rig();
  const Hold hold = rig.claim("job");
  rig.pass(900);
  for (int i = 1; i <= 2; ++i) {
    const auto done = rig.commit({hold, {put("p", "v")}, {}, {}, {}});
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(done->versions.at(0), i);
  }
  EXPECT_EQ(rig.state("job"), "leased");
  rig.pass(102);  // nor is it extended
  EXPECT_EQ(rig.commit({hold, {put("p", "v")}, {}, {}, {}}).error().reason, LeaseReason::expired);
}

TEST_P(RecordsOnStore, CountsEachMarkOnceAndEnqueuesWhenNothingIsLeft) {
  Rig rig = this->rig();
  const auto count = [&](const std::string& mark, std::int64_t from = 3) {
    return rig.commit({{}, {}, {}, {{"c", from, mark, {Rig::job("join", "r")}}}, {}})
        .value()
        .counts.at(0);
  };
  EXPECT_EQ(count("a"), (Counted{2, true, {}}));
  EXPECT_EQ(count("a"), (Counted{2, false, {}}));
  EXPECT_EQ(count("b", 77), (Counted{1, true, {}}));
  EXPECT_EQ(count("a"), (Counted{1, false, {}}));
  EXPECT_EQ(rig.state("join"), "not_found");
  EXPECT_EQ(rig.value("c"), "1@2");
  EXPECT_EQ(count("c"), (Counted{0, true, {Enqueued{"join", false}}}));
  EXPECT_EQ(rig.state("join"), "ready");
  EXPECT_EQ(count("c"), (Counted{0, false, {}}));
  EXPECT_EQ(count("d"), (Counted{0, false, {}}));
  EXPECT_EQ(rig.value("c"), "0@3");
  // Dropped, it begins again, with none of its marks.
  ASSERT_TRUE(rig.commit({{}, {}, {{"c", 3}}, {}, {}}).ok());
  EXPECT_EQ(count("a", 2), (Counted{1, true, {}}));
  EXPECT_EQ(rig.value("c"), "1@1");
}

TEST_P(RecordsOnStore, LosesNoCountOfManyAtOnce) {
  constexpr int threads = 16, members = 160;
  Rig rig = this->rig();
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < threads; ++i) sessions.push_back(rig.open("s" + std::to_string(i)));
  const Instant now = rig.now();
  std::atomic<int> joined = 0, counted = 0;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i)
      workers.emplace_back([&, i] {
        // Each mark is brought by two of them.
        for (int n = 0; n < members; ++n) {
          if (n % threads != i && (n + 1) % threads != i) continue;
          const Count count{"c", members, "m" + std::to_string(n), {Rig::job("join", "r")}};
          const auto done = sessions[static_cast<std::size_t>(i)]->records()->commit(
              now, {{}, {}, {}, {count}, {}});
          ASSERT_TRUE(done.ok()) << done.error().message;
          counted += done->counts.at(0).counted;
          joined += !done->counts.at(0).then.empty();
        }
      });
  }
  EXPECT_EQ(counted, members);
  EXPECT_EQ(joined, 1);
  EXPECT_EQ(rig.value("c"), "0@" + std::to_string(members));
  EXPECT_EQ(rig.state("join"), "ready");
}

TEST_P(RecordsOnStore, LetsOneOfManyMakeARecord) {
  constexpr int threads = 8, records = 20;
  Rig rig = this->rig();
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < threads; ++i) sessions.push_back(rig.open("s" + std::to_string(i)));
  const Instant now = rig.now();
  std::atomic<int> won = 0;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i)
      workers.emplace_back([&, i] {
        for (int n = 0; n < records; ++n) {
          const auto done = sessions[static_cast<std::size_t>(i)]->records()->commit(
              now, {{}, {put("r" + std::to_string(n), std::to_string(i), 0)}, {}, {}, {}});
          if (done.ok())
            ++won;
          else
            EXPECT_EQ(done.error().code, ErrorCode::conflict) << done.error().message;
        }
      });
  }
  EXPECT_EQ(won, records);
  EXPECT_EQ(rig.value("r0").substr(1), "@1");
}

TEST_P(RecordsOnStore, LetsOneOfManyProcessesMakeARecord) {
  if (!GetParam().store.is_shared) GTEST_SKIP() << "processes do not share it";
  { Rig rig = this->rig(); }
  constexpr int records = 20;
  std::vector<Child> children;
  for (std::uint64_t i = 0; i < 3; ++i)
    children.emplace_back([&, i](const Child::Tell& tell) {
      Rig rig = this->rig({"on_store", Create::never}, i);
      for (int n = 0; n < records; ++n)
        if (rig.commit({{}, {put("r" + std::to_string(n), "v", 0)}, {}, {}, {}}).ok())
          tell(std::to_string(n));
    });
  std::multiset<std::string> won;
  for (Child& child : children) {
    for (auto line = child.next(); line; line = child.next()) won.insert(*line);
    EXPECT_EQ(child.wait(), 0);
  }
  EXPECT_EQ(won.size(), static_cast<std::size_t>(records));
  EXPECT_EQ(std::set<std::string>(won.begin(), won.end()).size(), won.size());
}

TEST_P(RecordsOnStore, ScansPageByPageInTheOrderOfBytes) {
  Rig rig = this->rig();
  const std::vector<std::string> keys = {std::string("\0", 1),
                                         std::string("a\0b", 3),
                                         "a",
                                         "a%",
                                         "a*",
                                         "a[x]",
                                         "ab",
                                         "a\xff",
                                         "b",
                                         "\x80",
                                         "\xff",
                                         "\xff\xff",
                                         "a'",
                                         "a\\",
                                         "a ",
                                         "A"};
  Commit commit;
  for (const std::string& key : keys) commit.puts.push_back(put(key, "of " + key));
  ASSERT_TRUE(rig.commit(commit).ok());
  ASSERT_TRUE(rig.commit({{}, {}, {}, {{"ac", 4, "m", {}}}, {}}).ok());

  const auto scanned = [&](const std::string& prefix, std::int64_t limit,
                           std::optional<std::string> after = {}) {
    std::vector<std::string> found;
    for (bool more = true; more;) {
      const auto page = rig.records().scan(rig.now(), {prefix, after, limit});
      EXPECT_TRUE(page.ok()) << page.error().message;
      if (!page.ok()) break;
      EXPECT_LE(std::ssize(page->records), limit);
      for (const Record& record : page->records) {
        found.push_back(record.key);
        EXPECT_EQ(record.value, record.key == "ac" ? "3" : "of " + record.key);
        EXPECT_EQ(record.version, 1);
      }
      more = page->more;
      EXPECT_TRUE(!more || !page->records.empty());
      if (more) after = page->records.back().key;
    }
    return found;
  };
  const auto expected = [&](const std::string& prefix, const std::string& after = "") {
    std::vector<std::string> all = keys;
    all.push_back("ac");
    std::erase_if(all, [&](const std::string& key) {
      return !key.starts_with(prefix) || (!after.empty() && key <= after);
    });
    std::ranges::sort(all);
    return all;
  };
  for (const std::int64_t limit : {1, 2, 3, 17, 1000})
    for (const char* prefix : {"", "a", "a[", "\xff", "nothing", "ab"})
      EXPECT_EQ(scanned(prefix, limit), expected(prefix)) << prefix << " by " << limit;
  EXPECT_EQ(scanned("a", 2, "aa"), expected("a", "aa"));
  EXPECT_EQ(scanned("a", 2, "A"), expected("a", "A"));
  EXPECT_EQ(scanned("a", 2, "b"), std::vector<std::string>());
  EXPECT_EQ(scanned("", 100, "\xff\xff"), std::vector<std::string>());
}

TEST_P(RecordsOnStore, RefusesBadArgumentsWithASentence) {
  Rig rig = this->rig();
  const std::string long_key(513, 'k'), large(most_value_bytes + 1, 'v');
  std::vector<Put> many;
  for (std::size_t i = 0; i <= most_parts; ++i) many.push_back(put(std::to_string(i), ""));
  std::vector<Put> heavy;
  for (int i = 0; i < 17; ++i)
    heavy.push_back(put(std::to_string(i), std::string(most_value_bytes, 'v')));
  std::vector<Enqueue> jobs(most_parts, Rig::job("j"));
  const std::vector<Commit> bad = {
      {{}, {put("", "v")}, {}, {}, {}},
      {{}, {put(long_key, "v")}, {}, {}, {}},
      {{}, {put("k", large)}, {}, {}, {}},
      {{}, {put("k", "v", -1)}, {}, {}, {}},
      {{}, {}, {{"", {}}}, {}, {}},
      {{}, {}, {{"k", -1}}, {}, {}},
      {{}, {}, {}, {{"", 1, "m", {}}}, {}},
      {{}, {}, {}, {{"k", 1, "", {}}}, {}},
      {{}, {}, {}, {{"k", 1, long_key, {}}}, {}},
      {{}, {}, {}, {{"k", 0, "m", {}}}, {}},
      {{}, {}, {}, {{"k", most_from + 1, "m", {}}}, {}},
      {{}, {put("k", ""), put("k", "")}, {}, {}, {}},
      {{}, {put("k", "")}, {{"k", {}}}, {}, {}},
      {{}, {}, {{"k", {}}}, {{"k", 1, "m", {}}}, {}},
      {{}, {}, {}, {{"k", 1, "m", {}}, {"k", 1, "n", {}}}, {}},
      {{}, many, {}, {}, {}},
      {{}, heavy, {}, {}, {}},
      {{}, {}, {}, {{"k", 2, "m", jobs}}, {}},
      {Hold{"", "t", {}}, {}, {}, {}, {}},
  };
  for (std::size_t i = 0; i < bad.size(); ++i) {
    const auto refused = rig.commit(bad[i]);
    ASSERT_FALSE(refused.ok()) << i;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid) << i;
    EXPECT_GT(refused.error().message.size(), 10U) << i;
  }
  EXPECT_EQ(rig.records().read(rig.now(), "").error().code, ErrorCode::invalid);
  EXPECT_EQ(rig.records().read(rig.now(), long_key).error().code, ErrorCode::invalid);
  EXPECT_EQ(rig.records().scan(rig.now(), {"", {}, 0}).error().code, ErrorCode::invalid);
  EXPECT_EQ(rig.records().scan(rig.now(), {"", {}, 1001}).error().code, ErrorCode::invalid);
  EXPECT_EQ(rig.records().scan(rig.now(), {long_key, {}, 1}).error().code, ErrorCode::invalid);
  EXPECT_EQ(everything(rig), "");
}

TEST_P(RecordsOnStore, TakesAsMuchAsItSays) {
  Rig rig = this->rig();
  std::string value(most_value_bytes, '\0');
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<char>(i * 7 % 256);
  const std::string key(most_key_bytes, '\xfe');
  Commit commit{{}, {put(key, value)}, {}, {{"c", most_from, key, {}}}, {}};
  for (std::size_t i = 2; i < most_parts; ++i)
    commit.enqueues.push_back(Rig::job("j" + std::to_string(i)));
  const auto done = rig.commit(commit);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->enqueued.size(), most_parts - 2);
  EXPECT_EQ(done->counts.at(0).left, most_from - 1);
  const auto found = rig.records().read(rig.now(), key);
  ASSERT_TRUE(found.ok() && *found);
  EXPECT_TRUE((*found)->value == value);
  EXPECT_EQ(rig.state("j999"), "ready");
  // A page is bounded, too.
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(rig.commit({{}, {put("v" + std::to_string(100 + i), value)}, {}, {}, {}}).ok());
  std::size_t seen = 0, largest = 0;
  Scan scan{"v", {}, 1000};
  for (bool more = true; more;) {
    const auto page = rig.records().scan(rig.now(), scan);
    ASSERT_TRUE(page.ok()) << page.error().message;
    seen += page->records.size();
    largest = std::max(largest, page->records.size());
    more = page->more;
    if (more) scan.after = page->records.back().key;
  }
  EXPECT_EQ(seen, 20U);
  EXPECT_LE(largest, 17U);
}

TEST_P(RecordsOnStore, GivesTheKeyOfTheSettledJobToItsSuccessor) {
  Rig rig = this->rig();
  if (rig.profile().idem != Idem::reject_active) GTEST_SKIP() << "keys stay taken";
  NewJob job = Rig::job("first").job;
  job.key = "k";
  ASSERT_TRUE(rig.session->enqueue(rig.now(), {job}).ok());
  const Hold hold = rig.claim_again("first");
  job.id = "second";
  EXPECT_EQ(rig.commit({hold, {}, {}, {}, {{job}}}).error().code, ErrorCode::duplicate_key);
  const auto done = rig.commit({Ack{hold}, {}, {}, {}, {{job}}});
  ASSERT_TRUE(done.ok()) << done.error().message;
  job.id = "third";
  EXPECT_EQ(rig.commit({{}, {}, {}, {}, {{job}}}).error().code, ErrorCode::duplicate_key);
}

TEST_P(RecordsOnStore, LivesAndDiesWithTheNamespace) {
  {
    Rig rig = this->rig();
    Commit commit{{}, {}, {}, {{"c", 9, "m", {}}}, {}};
    for (int i = 0; i < 700; ++i) commit.puts.push_back(put("k" + std::to_string(i), "v"));
    ASSERT_TRUE(rig.commit(commit).ok());
    if (GetParam().store.is_shared) {
      Rig other = this->rig({"on_store", Create::never});
      EXPECT_EQ(other.value("k0"), "v@1");
      Rig apart = this->rig({"on_store_2"});
      EXPECT_EQ(apart.value("k0"), "none");
      ASSERT_TRUE(apart.driver->teardown().ok());
    }
    // Some drivers keep what they can use again.
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(rig.commit({{}, {put("p", "v", 0)}, {}, {{"d", 9, "m", {}}}, {}}).ok());
      ASSERT_TRUE(rig.session->close().ok());
      ASSERT_TRUE(rig.driver->teardown().ok());
      ASSERT_TRUE(rig.driver->setup({"on_store"}).ok());
      rig.session = rig.open("again");
      EXPECT_EQ(rig.value("k0"), "none");
      EXPECT_EQ(rig.value("p"), "none");
      EXPECT_TRUE(rig.commit({{}, {}, {}, {{"d", 9, "m", {}}}, {}})->counts.at(0).counted);
      ASSERT_TRUE(rig.commit({{}, {}, {{"d", {}}}, {}, {}}).ok());
    }
    ASSERT_TRUE(rig.session->close().ok());
    const auto closed = rig.session->records()->read(rig.now(), "k");
    EXPECT_EQ(closed.error().code, ErrorCode::closed);
    EXPECT_EQ(rig.commit({}).error().code, ErrorCode::closed);
    ASSERT_TRUE(rig.driver->teardown().ok());
  }
  Rig rig = this->rig();
  EXPECT_EQ(everything(rig), "");
}

static std::string step_id(int step) { return "step-" + std::to_string(step); }

bool commit_step(Rig& rig, int step) {
  const std::string text = std::to_string(step);
  Commit commit{{},
                {put("a", text), put("b", text, step - 1)},
                {},
                {{"c", 1'000'000, text, {}}},
                {Rig::job(step_id(step))}};
  if (step > 1) {
    Reserve reserve{{"q"}, Duration{1000}, "w", 1, {}};
    if (rig.profile().claim_style == ClaimStyle::by_id) reserve.job_id = step_id(step - 1);
    const auto claims = rig.session->reserve(rig.clock.now(), reserve);
    if (!claims.ok() || claims->claims.empty()) return false;
    const Claim& claim = claims->claims.front();
    commit.settle = Ack{{claim.job.id, claim.token, claim.attempt}};
  }
  return rig.records().commit(rig.clock.now(), commit).ok();
}

int last_whole_step(Rig& rig) {
  const auto a = rig.records().read(rig.now(), "a");
  EXPECT_TRUE(a.ok()) << a.error().message;
  if (!a.ok() || !*a) return 0;
  const int step = std::stoi((*a)->value);
  const std::string at = "@" + std::to_string(step);
  EXPECT_EQ(rig.value("a"), std::to_string(step) + at);
  EXPECT_EQ(rig.value("b"), std::to_string(step) + at);
  EXPECT_EQ(rig.value("c"), std::to_string(1'000'000 - step) + at);
  EXPECT_TRUE(rig.state(step_id(step)) == "ready" || rig.state(step_id(step)) == "leased");
  EXPECT_EQ(rig.state(step_id(step + 1)), "not_found");
  if (step > 1) {
    EXPECT_EQ(rig.state(step_id(step - 1)), "done");
  }
  return step;
}

TEST_P(RecordsOnStore, IsWholeAfterAClientIsKilledInTheMiddle) {
  if (!GetParam().store.is_shared) GTEST_SKIP() << "processes do not share it";
  for (int round = 1; round <= 4; ++round) {
    { Rig rig = this->rig(); }
    Child child([&](const Child::Tell& tell) {
      Rig rig = this->rig({"on_store", Create::never});
      for (int step = 1; step < 100'000 && commit_step(rig, step); ++step)
        tell(std::to_string(step));
    });
    int told = 0;
    for (int left = 7 * round; left > 0; --left) told = std::stoi(child.next().value());
    child.kill();
    for (auto line = child.next(); line; line = child.next()) told = std::stoi(*line);
    child.wait();
    Rig rig = this->rig({"on_store", Create::never});
    const int whole = last_whole_step(rig);
    EXPECT_TRUE(whole == told || whole == told + 1) << whole << " of " << told;
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RecordsOnStore);

}  // namespace assay::on_store
