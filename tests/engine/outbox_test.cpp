// The outbox: rows are written with the change that they follow from, and what they say is done,
// whatever fails on the way.
#include "engine/outbox.h"

#include <set>

#include "tests/engine/post.h"

namespace assay::engine {
namespace {

OutboxRow event(const std::string& target, const std::string& body = "b",
                const std::string& task = "t1", std::int64_t run = 1) {
  return {RowKind::route_event, task, run, target, body};
}

void write(Post& post, const std::vector<OutboxRow>& rows) {
  Commit commit;
  for (const OutboxRow& row : rows) commit.puts.push_back(put_of(row));
  ASSERT_TRUE(post.records().commit(post.shop().now(), commit).ok());
}

TEST(OutboxTest, NamesARowByItsTaskItsRunAndItsTarget) {
  const OutboxRow row = event("x");
  EXPECT_EQ(row_id(row), row_id(event("x", "another body")));
  std::set<std::string> ids{row_id(row)};
  for (const OutboxRow& other :
       {event("y"), event("x", "b", "t2"), event("x", "b", "t1", 2),
        OutboxRow{RowKind::announce_task, "t1", 1, "x"}, event("2/x", "b", "t1/1", 1),
        event("x", "b", "t1/1/2", 1), event("x", "b", "t1%2F1%2F2", 1)})
    EXPECT_TRUE(ids.insert(row_id(other)).second) << row_id(other);
  // However long the names are, it is a key.
  const std::string a(400, '/'), b(400, '/');
  EXPECT_LE(row_id(event(a, "", b)).size(), 400u);
  EXPECT_NE(row_id(event(a, "", b)), row_id(event(a, "", b + "/")));
  EXPECT_FALSE(objection_to_key(put_of(event(a, "", b)).key));
}

TEST(OutboxTest, KeepsEveryPartOfARow) {
  OutboxRow row = event("a target", std::string("any\0bytes\n 3:x", 14), "id 7:", 3);
  row.due_at = run_epoch + 5s;
  row.tries = 4;
  row.last_error = "why\nnot";
  const Put put = put_of(row);
  EXPECT_EQ(row_in({put.key, put.value, 1}), row);
  const OutboxRow plain{RowKind::announce_task, "t", 1, "q"};
  EXPECT_EQ(row_in({"k", put_of(plain).value, 1}), plain);
  for (const auto bad : {"", "x", "kind 3:abc\n", "kind 99999999999999999999:", "kind 13:announce",
                         "kind 1:ab\n", "kind -1:\n"})
    EXPECT_EQ(row_in({"k", bad, 1}), std::nullopt) << bad;
}

TEST(OutboxTest, HasOneRowHoweverOftenItIsWritten) {
  Shop shop;
  shop.run([&] {
    Post post(shop);
    for (int i = 0; i < 3; ++i) write(post, {event("x")});
    EXPECT_EQ(post.pending(), std::vector{row_id(event("x"))});
  });
}

// A client whose commits are lost anywhere: the job and its row are there, or neither.
TEST(OutboxTest, IsWrittenWithTheJobOrNotAtAll) {
  int both = 0, neither = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random dice(seed);
    Trouble trouble;
    const auto spoil = [&](const auto&...) -> std::optional<Error> {
      if (dice.below(2)) return Trouble::no_answer();
      return std::nullopt;
    };
    trouble.before_commit = spoil;
    trouble.after_commit = spoil;
    Terms terms = of_trace(seed);
    terms.trouble = &trouble;
    Shop shop(terms);
    shop.run([&] {
      const auto client =
          Client::make(shop.runtime(), shop.driver(),
                       {.queue = "q", .tries = {.base = 10ms, .runs = 2}, .outbox = true})
              .value();
      Submission job;
      job.type = "t";
      job.id = "j";
      const auto submitted = client->submit(job);
      trouble = {};
      Post post(shop);
      const auto seen = post.session().get(shop.now(), {"j"});
      EXPECT_EQ(seen.ok(), post.pending().size() == 1) << seed;
      EXPECT_TRUE(seen.ok() || !submitted.ok());
      ++(seen.ok() ? both : neither);
    });
  }
  EXPECT_GT(both, 20);
  EXPECT_GT(neither, 10);
}

TEST(OutboxTest, IsNotWrittenWhereTheJobIsRefused) {
  Shop shop;
  shop.run([&] {
    const auto client =
        Client::make(shop.runtime(), shop.driver(), {.queue = "q", .outbox = true}).value();
    Submission job;
    job.type = "t";
    job.id = "j";
    EXPECT_TRUE(client->submit(job).ok());
    Post post(shop);
    EXPECT_EQ(post.pending().size(), 1u);
    post.turn(*post.make(post.options()), LoopName::outbox);
    EXPECT_EQ(post.pending().size(), 0u);
    job.payload = "another one";
    EXPECT_FALSE(client->submit(job).ok());
    EXPECT_EQ(post.pending().size(), 0u);
  });
}

TEST(OutboxTest, HoldsADelayedJobsAnnouncementUntilItsTime) {
  Shop shop;
  shop.run([&] {
    Post post(shop);
    const auto client =
        Client::make(shop.runtime(), shop.driver(), {.queue = "q", .outbox = true}).value();
    Submission job;
    job.type = "t";
    job.delay = 1min;
    EXPECT_TRUE(client->submit(job).ok());
    DispatcherOptions options = post.options();
    options.loops = {LoopName::outbox};
    const auto dispatcher = post.start(options);
    shop.pass(59s);
    EXPECT_EQ(post.inner().size(), 0u);
    shop.pass(2s);
    EXPECT_EQ(post.inner().size(), 1u);
    EXPECT_EQ(post.pending().size(), 0u);
  });
}

// A row that fails is tried again, less and less often, and then stands aside with its last error;
// nobody waits for it.
TEST(OutboxTest, LetsNobodyWaitForARowThatFails) {
  Shop shop;
  shop.run([&] {
    Post post(shop);
    std::map<std::string, std::vector<Instant>> seen;
    DispatcherOptions options = post.options();
    options.rows.runs = 4;
    options.page = 2;
    options.pages = 1;
    options.route = [&](const OutboxRow& row) -> Status {
      seen[row.target].push_back(shop.now());
      if (row.target.starts_with("bad")) return Error{ErrorCode::conflict, "I do not like it"};
      return Done{};
    };
    std::vector<OutboxRow> rows;
    for (const auto target : {"bad1", "bad2", "good1", "good2", "bad3", "zz"})
      rows.push_back(event(target));
    write(post, rows);
    const auto dispatcher = post.start(options);
    shop.pass(200ms);
    for (const auto good : {"good1", "good2", "zz"}) EXPECT_EQ(seen[good].size(), 1u) << good;
    const auto shown = Outbox(shop.clock(), post.session()).pending();
    ASSERT_EQ(shown->rows.size(), 3u);
    EXPECT_GE(shown->rows[0].row->tries, 1);
    EXPECT_EQ(shown->rows[0].row->last_error, "I do not like it");
    shop.pass(1min);
    EXPECT_EQ(post.pending(), std::vector<std::string>{});
    EXPECT_EQ(post.parked(),
              (std::vector{row_id(event("bad1")), row_id(event("bad2")), row_id(event("bad3"))}));
    for (const auto bad : {"bad1", "bad2", "bad3"}) EXPECT_EQ(seen[bad].size(), 4u) << bad;
    EXPECT_EQ(dispatcher->tallies().rows_parked, 3);
    EXPECT_EQ(dispatcher->tallies().rows_failed, 9);
    EXPECT_EQ(shop.all<RowParked>().size(), 3u);
    // A person lets one go on, and throws another away.
    Outbox outbox(shop.clock(), post.session());
    EXPECT_TRUE(outbox.release(row_id(event("bad1"))).ok());
    EXPECT_TRUE(outbox.discard(row_id(event("bad2"))).ok());
    EXPECT_FALSE(outbox.discard(row_id(event("bad2"))).ok());
    shop.pass(1min);
    EXPECT_EQ(seen["bad1"].size(), 8u);
    EXPECT_EQ(seen["bad2"].size(), 4u);
    EXPECT_EQ(post.parked(), (std::vector{row_id(event("bad1")), row_id(event("bad3"))}));
  });
}

TEST(OutboxTest, ShowsAnAnnouncementThatNoChannelTakes) {
  Shop shop;
  shop.run([&] {
    Post post(shop);
    NewJob elsewhere;
    elsewhere.queue = "elsewhere";
    post.put(elsewhere);
    post.put();
    DispatcherOptions options = post.options();
    options.rows.runs = 2;
    const auto dispatcher = post.start(options);
    shop.pass(10s);
    EXPECT_EQ(post.inner().size(), 1u);
    EXPECT_EQ(post.parked(), std::vector<std::string>{"announce_task/j0/1/elsewhere"});
  });
}

TEST(OutboxTest, SetsAsideWhatItCannotRead) {
  Shop shop;
  shop.run([&] {
    Post post(shop);
    Commit commit;
    commit.puts.push_back({std::string(outbox_prefix) + "a", "garbage", {}});
    ASSERT_TRUE(post.records().commit(shop.now(), commit).ok());
    write(post, {event("x")});
    const auto dispatcher = post.make(post.options());
    post.turn(*dispatcher, LoopName::outbox);
    EXPECT_EQ(post.pending(), std::vector<std::string>{});
    const auto parked = Outbox(shop.clock(), post.session()).parked();
    ASSERT_EQ(parked->rows.size(), 1u);
    EXPECT_EQ(parked->rows[0], (ShownRow{"a", std::nullopt, true}));
    EXPECT_FALSE(Outbox(shop.clock(), post.session()).release("a").ok());
    EXPECT_TRUE(Outbox(shop.clock(), post.session()).discard("a").ok());
  });
}

// More rows than a turn looks at, many of which wait.
TEST(OutboxTest, GoesThroughAllRowsPageByPage) {
  Shop shop;
  shop.run([&] {
    Post post(shop);
    std::set<std::string> seen;
    DispatcherOptions options = post.options();
    options.page = 3;
    options.pages = 2;
    options.route = [&](const OutboxRow& row) -> Status {
      EXPECT_TRUE(seen.insert(row.target).second) << row.target;
      return Done{};
    };
    std::vector<OutboxRow> rows;
    for (int i = 0; i < 100; ++i) {
      rows.push_back(event(std::to_string(i)));
      if (i % 2) rows.back().due_at = run_epoch + 1h;
    }
    write(post, rows);
    const auto dispatcher = post.make(options);
    int turns = 1;
    while (dispatcher->turn(LoopName::outbox).value()) ++turns;
    EXPECT_EQ(seen.size(), 50u);
    EXPECT_GE(turns, 15);
    shop.pass(1h);
    while (dispatcher->turn(LoopName::outbox).value()) {
    }
    EXPECT_EQ(seen.size(), 100u);
    EXPECT_EQ(post.pending().size(), 0u);
  });
}

// What a task says by succeeding is written with its ack, and becomes one job, whoever fails.
TEST(OutboxTest, MakesOneJobOfEachEventThoughAnswersAreLostAndTwoWorkAtIt) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random dice(seed);
    Trouble trouble;
    const auto spoil = [&](const auto&...) -> std::optional<Error> {
      if (dice.below(100) < 15) return Trouble::no_answer();
      return std::nullopt;
    };
    trouble.before_commit = spoil;
    trouble.after_commit = spoil;
    trouble.reading = [&] { return spoil(); };
    Terms terms = of_trace(seed);
    terms.pct = seed % 3 == 0;
    Shop shop(terms);
    shop.run([&] {
      Post post(shop);
      TroubledDriver troubled(shop.driver(), trouble);
      auto first = post.start(post.options("d"), &troubled);
      auto second = post.start(post.options("e"), &troubled);
      Listener listener(shop, post.channel(), shop.options([](Context& context) -> HandlerResult {
        return Success{.events = {{"events", "of " + context.job().id}, {"other", "too"}}};
      }));
      for (int i = 0; i < 4; ++i) post.put();
      EXPECT_TRUE(post.all_end()) << seed;
      shop.pass(10s);
      for (const auto queue : {"events", "other"}) {
        const auto page = post.session().list(shop.now(), {queue, {}, 100, {}});
        EXPECT_EQ(page->jobs.size(), 4u) << seed << " " << queue;
      }
      EXPECT_EQ(post.pending().size() + post.parked().size(), 0u) << seed;
    });
    for (const JobId id : {"j0", "j1", "j2", "j3"})
      EXPECT_EQ(shop.all_of<HandlerBegan>(id).size(), 1u) << seed << " " << id;
    if (testing::Test::HasFailure()) {
      for (const std::string& line : shop.story()) std::cerr << line << "\n";
      FAIL() << "seed " << seed;
    }
  }
}

// With an ack that is refused nothing is sent: a lease that was lost speaks for nobody.
TEST(OutboxTest, SendsNothingForAnAckThatIsRefused) {
  Trouble trouble;
  Terms terms;
  terms.trouble = &trouble;
  Shop shop(terms);
  shop.run([&] {
    Post post(shop);
    WorkerOptions options = shop.options([](Context&) -> HandlerResult {
      return Success{.events = {{"events", "x"}}};
    });
    trouble.before_commit = [&](const Commit& commit) -> std::optional<Error> {
      if (!std::holds_alternative<Ack>(commit.settle)) return std::nullopt;
      return lease_lost(LeaseReason::mismatch, "another one has it");
    };
    const auto worker = shop.start(options);
    shop.put();
    shop.pass(1s);
    EXPECT_EQ(shop.all<SettleAnswered>().size(), 1u);
    EXPECT_EQ(post.pending().size(), 0u);
  });
}

TEST(OutboxTest, RefusesEventsThatMakeNoSense) {
  const std::vector<std::vector<OutgoingEvent>> wrong{
      {{"", "x"}}, {{"a", "x"}, {"a", "y"}}, {{"a", std::string(most_value_bytes, 'x')}}};
  for (const auto& events : wrong) {
    Shop shop;
    shop.run([&] {
      const auto worker = shop.start(
          shop.options([&](Context&) -> HandlerResult { return Success{.events = events}; }));
      shop.put();
      EXPECT_TRUE(shop.all_end());
      EXPECT_EQ(shop.states(), std::vector{JobState::dead});
    });
  }
}

}  // namespace
}  // namespace assay::engine
