// The sqlite driver's listings, dead letters, replays, cancels and pauses.
#include "tests/drivers/sqlite_fixture.h"

namespace assay::lite_test {
namespace {

std::vector<JobId> listed(Rig& rig, std::int64_t limit, std::optional<JobState> state = {}) {
  std::vector<JobId> ids;
  std::optional<std::string> cursor;
  for (int pages = 0; pages < 100; ++pages) {
    const JobPage page = rig.session->list(rig.now(), {"q", state, limit, cursor}).value();
    EXPECT_LE(static_cast<std::int64_t>(page.jobs.size()), limit);
    for (const Job& job : page.jobs) ids.push_back(job.id);
    cursor = page.cursor;
    if (!cursor) break;
    EXPECT_EQ(static_cast<std::int64_t>(page.jobs.size()), limit);
  }
  return ids;
}

TEST(SqliteList, PagesByCreationThenId) {
  Rig rig(reference());
  for (const char* id : {"d", "b", "\xff", "a"}) rig.enqueue({id});
  rig.pass(1);
  rig.enqueue({"A"});
  const std::vector<JobId> all{"a", "b", "d", "\xff", "A"};
  for (const std::int64_t limit : {1, 2, 3, 5, 100}) EXPECT_EQ(listed(rig, limit), all) << limit;
  EXPECT_EQ(listed(rig, std::numeric_limits<std::int64_t>::max()), all);
  EXPECT_TRUE(rig.session->list(rig.now(), {"other"})->jobs.empty());
}

TEST(SqliteList, ShowsEachJobUnderItsStateAlone) {
  Rig rig(reference());
  rig.enqueue({"done"});
  ASSERT_TRUE(rig.ack(hold_of(rig.claim())).ok());
  rig.enqueue({"dead"});
  ASSERT_TRUE(rig.fail(hold_of(rig.claim())).ok());
  rig.enqueue({"leased"});
  rig.claim();
  rig.enqueue({"cancelled"});
  ASSERT_TRUE(rig.session->cancel(rig.now(), {"cancelled"}).ok());
  NewJob later{"scheduled"};
  later.run_at = rig.now() + Duration{1};
  rig.enqueue(later);
  rig.enqueue({"ready"});
  for (const JobState state : {JobState::scheduled, JobState::ready, JobState::leased,
                               JobState::done, JobState::dead, JobState::cancelled})
    EXPECT_EQ(listed(rig, 9, state), std::vector<JobId>{std::string(name_of(state))});
  EXPECT_EQ(listed(rig, 9).size(), 6U);
}

TEST(SqliteList, RefusesACursorThatItDidNotMake) {
  Rig rig(reference());
  rig.enqueue({"a"});
  rig.enqueue({"b"});
  const auto made = rig.session->list(rig.now(), {"q", {}, 1, {}})->cursor;
  ASSERT_TRUE(made);
  for (const std::string& cursor :
       {std::string(), std::string("v1:"), std::string("v2") + made->substr(2), *made + "0",
        *made + "zz", std::string("v1:list:12"), std::string("v1:list:99999999999999999999:61")})
    EXPECT_EQ(code_of(rig.session->list(rig.now(), {"q", {}, 1, cursor})), ErrorCode::invalid)
        << cursor;
  EXPECT_EQ(code_of(rig.session->dead(rig.now(), {"q", 1, made})), ErrorCode::invalid);
  EXPECT_EQ(code_of(rig.session->list(rig.now(), {"q", {}, 0, {}})), ErrorCode::invalid);
  EXPECT_EQ(code_of(rig.session->list(rig.now(), {"", {}, 1, {}})), ErrorCode::invalid);
}

TEST(SqliteDead, PagesItsEntriesInOrderOfDeath) {
  Rig rig(reference());
  for (const char* id : {"c", "b", "a", "z"}) {
    rig.enqueue({id});
    ASSERT_TRUE(rig.fail(hold_of(rig.claim()), std::string("because ") + id).ok());
    if (*id == 'b') rig.pass(1);
  }
  std::string order;
  std::optional<std::string> cursor;
  do {
    const DeadPage page = rig.session->dead(rig.now(), {"q", 1, cursor}).value();
    ASSERT_EQ(page.entries.size(), 1U);
    const DeadEntry& entry = page.entries[0];
    EXPECT_EQ(entry.reason, "because " + entry.job_id);
    EXPECT_EQ(entry.error, "e");
    EXPECT_EQ(entry.job.id, entry.job_id);
    order += entry.job_id;
    cursor = page.cursor;
  } while (cursor);
  EXPECT_EQ(order, "bcaz");
}

TEST(SqliteRequeue, BringsTheSameJobBack) {
  Rig rig(reference());
  rig.enqueue({"a"});
  EXPECT_EQ(code_of(rig.session->requeue(rig.now(), {"a"})), ErrorCode::conflict);
  EXPECT_EQ(code_of(rig.session->requeue(rig.now(), {"unknown"})), ErrorCode::not_found);
  const Claim claim = rig.claim();
  ASSERT_TRUE(rig.session->fail(rig.now(), {hold_of(claim), 3, "r", "e"}).ok());
  EXPECT_EQ(rig.session->requeue(rig.now(), {"a", {}, false})->job_id, "a");
  EXPECT_EQ(rig.get("a").job.attempts, 3);
  EXPECT_FALSE(rig.get("a").dead);
  EXPECT_TRUE(rig.session->dead(rig.now(), {"q"})->entries.empty());
  EXPECT_EQ(reason_of(rig.fail(hold_of(claim))), LeaseReason::not_held) << "memory is cleared";
  ASSERT_TRUE(rig.fail(hold_of(rig.claim())).ok());
  const Instant later = rig.now() + Duration{9};
  ASSERT_TRUE(rig.session->requeue(rig.now(), {"a", later, true}).ok());
  EXPECT_EQ(rig.get("a").job.attempts, 0);
  EXPECT_EQ(rig.get("a").job.run_at, later);
  EXPECT_TRUE(rig.reserve().empty());
}

TEST(SqliteRequeue, MakesAFreshJobWhereTheProfileSaysSo) {
  Rig rig(profile_named("upnext"));
  NewJob job{"a", "q", "t", "payload"};
  job.key = "k";
  job.max_attempts = 4;
  rig.enqueue(job);
  ASSERT_TRUE(rig.fail(hold_of(rig.claim())).ok());
  rig.pass(5);
  const JobId fresh = rig.session->requeue(rig.now(), {"a"})->job_id;
  EXPECT_NE(fresh, "a");
  const Job made = rig.get(fresh).job;
  EXPECT_EQ(made.payload, "payload");
  EXPECT_EQ(made.key, "k");
  EXPECT_EQ(made.max_attempts, 4);
  EXPECT_EQ(made.attempts, 0);
  EXPECT_EQ(made.created_at, rig.now());
  EXPECT_TRUE(rig.session->dead(rig.now(), {"q"})->entries.empty());
  EXPECT_EQ(rig.get("a").job.state, JobState::dead);
  EXPECT_EQ(code_of(rig.session->requeue(rig.now(), {"a"})), ErrorCode::not_found);
}

TEST(SqliteRequeue, IsRefusedWhileTheKeyIsActiveElsewhere) {
  Rig rig(profile_named("upnext"));
  NewJob job{"a", "q", "t"};
  job.key = "k";
  rig.enqueue(job);
  ASSERT_TRUE(rig.fail(hold_of(rig.claim())).ok());
  job.id = "b";
  rig.enqueue(job);
  EXPECT_EQ(code_of(rig.session->requeue(rig.now(), {"a"})), ErrorCode::conflict);
  EXPECT_EQ(rig.session->dead(rig.now(), {"q"})->entries.size(), 1U);
  ASSERT_TRUE(rig.ack(hold_of(rig.claim())).ok());
  EXPECT_TRUE(rig.session->requeue(rig.now(), {"a"}).ok());
}

TEST(SqliteCancel, EndsWhatIsNotOverYet) {
  Rig rig(reference());
  rig.enqueue({"a"});
  const Claim claim = rig.claim();
  EXPECT_EQ(*rig.session->cancel(rig.now(), {"a"}), Cancelled{});
  EXPECT_FALSE(rig.get("a").lease);
  EXPECT_EQ(reason_of(rig.ack(hold_of(claim))), LeaseReason::not_held);
  EXPECT_EQ(code_of(rig.session->cancel(rig.now(), {"a"})), ErrorCode::conflict);
  EXPECT_EQ(code_of(rig.session->cancel(rig.now(), {"unknown"})), ErrorCode::not_found);
  rig.pass(5000);
  EXPECT_TRUE(rig.reserve().empty());
}

TEST(SqlitePause, HoldsAQueueBackAndKeepsItsJobs) {
  Rig rig(reference());
  rig.enqueue({"a"});
  rig.claim();
  rig.enqueue({"b"});
  ASSERT_TRUE(rig.session->pause(rig.now(), {"q"}).ok());
  ASSERT_TRUE(rig.session->pause(rig.now(), {"q"}).ok());
  rig.pass(1000);
  EXPECT_TRUE(rig.reserve(5).empty());
  EXPECT_EQ(rig.get("a").job.state, JobState::leased) << "a paused queue is not swept";
  ASSERT_TRUE(rig.session->resume(rig.now(), {"q"}).ok());
  ASSERT_TRUE(rig.session->resume(rig.now(), {"never paused"}).ok());
  EXPECT_EQ(rig.reserve(5).size(), 2U);
}

}  // namespace
}  // namespace assay::lite_test
