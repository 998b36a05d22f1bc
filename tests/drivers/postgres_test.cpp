// The postgres driver: what is its own. What all drivers do is tested by the differential test.
#include "drivers/postgres/detail/connection.h"
#include "harness/contract/random.h"
#include "tests/drivers/postgres_fixture.h"

namespace assay::pg_test {
namespace {

TEST_F(Postgres, KeepsHostileNamesAndPayloadsByteForByte) {
  Rig rig;
  const std::vector<std::string> names = {
      std::string("\0", 1), std::string("a\0b", 3), "'; DROP TABLE jobs; --",
      "\xff\xc0\x80",       "%_?:ns\\x41",          std::string(300, 'x'),
      "\n\t\"{},",          "\xf0\x9f\x90\x99"};
  for (const std::string& name : names) {
    NewJob job;
    job.queue = job.type = job.payload = name;
    job.id = job.key = name;
    ASSERT_EQ(rig.enqueue(job), name);
  }
  for (const std::string& name : names) {
    const auto claims = rig.reserve(5, {name, "another"});
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].job.id, name);
    EXPECT_EQ(claims[0].job.type, name);
    EXPECT_EQ(claims[0].job.payload, name);
    EXPECT_EQ(claims[0].job.key, name);
    ASSERT_TRUE(rig.session->fail(rig.now(), {hold_of(claims[0]), 1, name, name}).ok());
    EXPECT_EQ(rig.get(name).dead->reason, name);
    EXPECT_EQ(rig.get(name).job.last_error, name);
  }
}

TEST_F(Postgres, KeepsAnEmptyPayloadAndOneOfTenMebibytes) {
  Rig rig;
  std::string big(10U << 20U, '\0');
  for (std::size_t i = 0; i < big.size(); i += 997) big[i] = static_cast<char>(i);
  const JobId empty = rig.enqueue();
  NewJob job;
  job.payload = big;
  const JobId large = rig.enqueue(job);
  EXPECT_EQ(rig.get(empty).job.payload, "");
  EXPECT_TRUE(rig.get(large).job.payload == big);
}

TEST_F(Postgres, KeepsNamesThatNoIndexCanHold) {
  Rig rig;
  Random random(1);
  const std::string name = random.hex(20'000);
  for (const char* end : {"a", "b"}) {
    NewJob job;
    job.queue = job.type = name + end;
    job.id = job.key = name + end;
    EXPECT_EQ(rig.enqueue(job), name + end);
    EXPECT_TRUE(rig.try_enqueue(job)->existed);
  }
  EXPECT_EQ(rig.session->list(rig.now(), {name + "a", {}, 5, {}})->jobs.at(0).id, name + "a");
  for (const char* end : {"a", "b"}) {
    ASSERT_TRUE(rig.session->pause(rig.now(), {name + end}).ok());
    EXPECT_TRUE(rig.reserve(5, {name + end}).empty());
    ASSERT_TRUE(rig.session->resume(rig.now(), {name + end}).ok());
    const auto claims = rig.reserve(5, {name + end});
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].job.id, name + end);
    EXPECT_EQ(claims[0].job.queue, name + end);
    EXPECT_TRUE(rig.ack(hold_of(claims[0])).ok());
    EXPECT_EQ(rig.get(name + end).job.state, JobState::done);
  }
}

// A digest has its own length, so that no short name can be taken for a long one.
TEST_F(Postgres, TellsALongIdFromItsDigest) {
  Rig rig;
  NewJob job;
  job.id = std::string(65, 'x');
  rig.enqueue(job);
  const std::string digest = sql("SELECT encode(id, 'hex') FROM \"assay:test\".jobs")[0][0].c_str();
  ASSERT_EQ(digest.size(), 130U);
  std::string bytes;
  for (std::size_t i = 0; i < digest.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digest.substr(i, 2), nullptr, 16));
  job.id = bytes;
  EXPECT_FALSE(rig.try_enqueue(job)->existed);
  EXPECT_EQ(rig.get(bytes).job.id, bytes);
}

TEST_F(Postgres, ClaimsABatchInOrder) {
  Rig rig;
  std::vector<JobId> made;
  for (int i = 0; i < 50; ++i) made.push_back(rig.enqueue());
  std::vector<JobId> claimed;
  for (const Claim& claim : rig.reserve(100)) claimed.push_back(claim.job.id);
  EXPECT_EQ(claimed, made);
}

TEST_F(Postgres, PassesOverWhatSomebodyElseHasLocked) {
  Rig rig;
  const JobId first = rig.enqueue();
  const JobId second = rig.enqueue();
  pqxx::connection other(server()->url());
  pqxx::work work(other);
  work.exec("SELECT FROM \"assay:test\".jobs WHERE seq = 1 FOR UPDATE");
  EXPECT_EQ(rig.claim().job.id, second);
  EXPECT_TRUE(rig.reserve().empty());
  work.abort();
  EXPECT_EQ(rig.claim().job.id, first);
}

// Pages that a call touches: a cost that no clock is needed for.
class PostgresCost : public Postgres {
 protected:
  static std::int64_t pages_of_a_claim(pg::Connection& connection, const std::string& knobs) {
    connection.make_ready();
    const auto plan = connection.run(
        "BEGIN; EXPLAIN (ANALYZE, BUFFERS, TIMING off) SELECT * FROM reserve((SELECT era FROM "
        "meta), "
        "1000000, NULL, '{q,r}', 500, '', 1, NULL, 'ff', " +
        knobs + ", true, false, false, false, false, 3, 0, 0, 0, false, NULL)");
    connection.run("ROLLBACK");
    std::int64_t pages = 0;
    for (const pqxx::row line : plan) {
      const std::string text = line[0].c_str();
      const auto at = text.find("shared hit=");
      if (at != std::string::npos)
        pages = std::max<std::int64_t>(pages, std::atoll(text.c_str() + at + 11));
    }
    return pages;
  }
};

TEST_F(PostgresCost, OfAClaimStaysFlatHoweverMuchIsStored) {
  Rig rig;
  rig.enqueue();
  // Done, future of a higher rank, leased, backlog of this queue and of another.
  sql(R"sql(INSERT INTO "assay:test".jobs (seq, id, queue, type, state, created_at, run_at, due,
      watch, rank, priority, attempts, expires_at, payload)
    SELECT n, convert_to('j' || n, 'UTF8'), CASE WHEN n % 7 = 0 THEN 'r'::bytea ELSE 'q' END, 't',
      (ARRAY['w', 'w', 'l', 'd', 'x']::"char"[])[1 + n % 5], n, n,
      CASE n % 5 WHEN 0 THEN n ELSE 9000000000000 END,
      (ARRAY[NULL, NULL, 'l', NULL, 'd']::"char"[])[1 + n % 5],
      CASE n % 5 WHEN 0 THEN 0 ELSE 5 END, 0, 0, 9000000000000, ''
    FROM generate_series(1000, 60000) n)sql");
  const auto location = pg::Location::parse(server()->url());
  pg::Watchdog watchdog;
  pg::Connection connection(*location, watchdog);
  connection.use_schema("assay:test");
  // With and without ranks, sweeping and not.
  for (const char* knobs :
       {"true, true, true", "false, true, true", "true, true, false", "false, true, false"}) {
    const auto pages = pages_of_a_claim(connection, knobs);
    EXPECT_GT(pages, 0);
    EXPECT_LT(pages, 3000) << knobs;
  }
  for (const char* knobs :
       {"true, true, true", "false, true, true", "true, true, false", "false, true, false"})
    EXPECT_LT(pages_of_a_claim(connection, knobs), 150) << knobs;
}

}  // namespace
}  // namespace assay::pg_test
