// What operators see of the memory driver and do to it.
#include "tests/drivers/memory_fixture.h"

namespace assay {
namespace {

TEST(MemoryCancel, EndsWhatHasNotEnded) {
  Desk desk;
  desk.put_as("waiting");
  ASSERT_TRUE(desk.session->cancel(desk.now, {"waiting"}).ok());
  EXPECT_EQ(desk.state("waiting"), JobState::cancelled);
  EXPECT_TRUE(desk.take().empty());
  desk.put_as("held");
  const Claim claim = desk.take_one();
  ASSERT_TRUE(desk.session->cancel(desk.now, {"held"}).ok());
  EXPECT_FALSE(desk.get("held").lease);
  EXPECT_EQ(reason_of(desk.ack(claim)), LeaseReason::not_held);
  EXPECT_EQ(desk.state("held"), JobState::cancelled);
  EXPECT_EQ(code_of(desk.session->cancel(desk.now, {"held"})), ErrorCode::conflict);
  EXPECT_EQ(code_of(desk.session->cancel(desk.now, {"nobody"})), ErrorCode::not_found);
  Desk weave("weave");
  EXPECT_EQ(code_of(weave.session->cancel(weave.now, {"j"})), ErrorCode::unsupported);
}

TEST(MemoryReplay, BringsTheSameJobBack) {
  for (const bool reset : {false, true}) {
    Desk desk;
    desk.put_as("j");
    const Claim claim = desk.take_one();
    EXPECT_EQ(code_of(desk.requeue("j")), ErrorCode::conflict);
    ASSERT_TRUE(desk.fail(claim, 3).ok());
    EXPECT_EQ(desk.requeue("j", reset)->job_id, "j");
    EXPECT_TRUE(desk.dead().empty());
    EXPECT_FALSE(desk.get("j").dead);
    EXPECT_EQ(desk.get("j").job.attempts, reset ? 0 : 3);
    EXPECT_EQ(reason_of(desk.fail(claim, 3)), LeaseReason::not_held);
    EXPECT_EQ(desk.take_one().job.id, "j");
    EXPECT_EQ(code_of(desk.requeue("nobody")), ErrorCode::not_found);
  }
}

TEST(MemoryReplay, RunsWhenItIsTold) {
  Desk desk;
  desk.put_as("j");
  ASSERT_TRUE(desk.fail(desk.take_one()).ok());
  ASSERT_TRUE(desk.session->requeue(desk.now, {"j", desk.now + Duration{9}, false}).ok());
  EXPECT_EQ(desk.state("j"), JobState::scheduled);
  desk.pass(Duration{8});
  EXPECT_TRUE(desk.take().empty());
  desk.pass(Duration{1});
  EXPECT_EQ(desk.take().size(), 1u);
}

TEST(MemoryReplay, ForgivesLostLeasesOnlyWhereTheCounterIsReset) {
  for (const bool reset : {false, true}) {
    Desk desk;
    NewJob job;
    job.id = "j";
    job.max_attempts = 2;
    desk.add(job);
    for (int i = 0; i < 3; ++i) {
      desk.take();
      desk.pass(Duration{1000});
    }
    ASSERT_EQ(desk.state("j"), JobState::dead);
    ASSERT_TRUE(desk.requeue("j", reset).ok());
    desk.take_one();
    desk.pass(Duration{1000});
    EXPECT_EQ(desk.take().size(), reset ? 1u : 0u);
  }
}

NewJob keyed(std::string id) {
  NewJob job;
  job.id = std::move(id);
  job.key = "k";
  job.payload = "p";
  job.max_attempts = 4;
  return job;
}

TEST(MemoryReplay, MakesAFreshJobWhereTheProfileDoes) {
  Desk desk("upnext");
  desk.add(keyed("j"));
  ASSERT_TRUE(desk.fail(desk.take_one()).ok());
  desk.pass(Duration{10});
  const JobId fresh = desk.requeue("j")->job_id;
  EXPECT_NE(fresh, "j");
  const Job job = desk.get(fresh).job;
  EXPECT_EQ(job.payload, "p");
  EXPECT_EQ(job.attempts, 0);
  EXPECT_EQ(job.max_attempts, 4);
  EXPECT_EQ(job.created_at, desk.now);
  EXPECT_EQ(desk.state("j"), JobState::dead);
  EXPECT_TRUE(desk.dead().empty());
  EXPECT_EQ(code_of(desk.requeue("j")), ErrorCode::not_found);
  EXPECT_EQ(code_of(desk.put(keyed("other"))), ErrorCode::duplicate_key);
  EXPECT_EQ(desk.take_one().job.id, fresh);
}

TEST(MemoryReplay, IsRefusedWhileAnotherJobHoldsTheKeyAndChangesNothing) {
  for (const auto replay : {Replay::fresh_job, Replay::same_job}) {
    Profile profile = profile_named("upnext");
    profile.replay = replay;
    Desk desk(profile);
    desk.add(keyed("j"));
    ASSERT_TRUE(desk.fail(desk.take_one()).ok());
    desk.add(keyed("other"));
    EXPECT_EQ(code_of(desk.requeue("j")), ErrorCode::conflict);
    EXPECT_EQ(desk.dead().size(), 1u);
    ASSERT_TRUE(desk.ack(desk.take_one()).ok());
    EXPECT_TRUE(desk.requeue("j").ok());
    EXPECT_EQ(code_of(desk.put(keyed("third"))), ErrorCode::duplicate_key);
  }
}

TEST(MemoryReplay, IsUnsupportedWhereTheProfileHasNone) {
  Desk trace("trace");
  EXPECT_EQ(code_of(trace.requeue("j")), ErrorCode::unsupported);
  EXPECT_EQ(code_of(trace.session->dead(trace.now, {"q", 1, {}})), ErrorCode::unsupported);
}

TEST(MemoryViews, HideARetryAmongTheReadyWhereTheProfileDoes) {
  Desk desk("weave");
  desk.put_as("j");
  const Instant run_at = *desk.nack(desk.take_one())->run_at;
  ASSERT_GT(run_at, desk.now);
  EXPECT_EQ(desk.state("j"), JobState::ready);
  EXPECT_EQ(desk.get("j").job.run_at, run_at);
  EXPECT_EQ(desk.session->list(desk.now, {"q", JobState::ready, 9, {}})->jobs.size(), 1u);
  EXPECT_TRUE(desk.take().empty());
}

TEST(MemoryViews, ListPagesInOrderWithoutGapsOrRepeats) {
  Desk desk;
  for (const auto* id : {"d", "b", "a"}) desk.put_as(id);
  desk.pass(Duration{1});
  for (const auto* id : {"c", "0"}) desk.put_as(id);
  std::string seen;
  std::optional<std::string> cursor;
  int pages = 0;
  do {
    const JobPage page = desk.session->list(desk.now, {"q", {}, 2, cursor}).value();
    for (const Job& job : page.jobs) seen += job.id;
    cursor = page.cursor;
    if (++pages == 1) desk.put_as("z");
  } while (cursor && pages < 9);
  EXPECT_EQ(seen, "abd0cz");
  EXPECT_EQ(pages, 3);
}

TEST(MemoryViews, ListByStateAndQueue) {
  Desk desk;
  desk.put_as("ready");
  ASSERT_TRUE(desk.ack(desk.take_one()).ok());
  desk.put_as("held");
  desk.take_one();
  const auto count = [&](std::string queue, std::optional<JobState> state) {
    return desk.session->list(desk.now, {queue, state, 9, {}})->jobs.size();
  };
  EXPECT_EQ(count("q", {}), 2u);
  EXPECT_EQ(count("q", JobState::done), 1u);
  EXPECT_EQ(count("q", JobState::leased), 1u);
  EXPECT_EQ(count("q", JobState::ready), 0u);
  EXPECT_EQ(count("other", {}), 0u);
}

TEST(MemoryViews, RefuseCursorsThatTheyDidNotMake) {
  Desk desk;
  for (int i = 0; i < 2; ++i) desk.add({});
  const std::string made = *desk.session->list(desk.now, {"q", {}, 1, {}})->cursor;
  for (const std::string& cursor : {std::string(), std::string("v1:"), "v2" + made.substr(2),
                                    made + "x", std::string("nonsense")})
    EXPECT_EQ(code_of(desk.session->list(desk.now, {"q", {}, 1, cursor})), ErrorCode::invalid)
        << cursor;
  EXPECT_EQ(code_of(desk.session->list(desk.now, {"r", {}, 1, made})), ErrorCode::invalid);
  EXPECT_EQ(code_of(desk.session->dead(desk.now, {"q", 1, made})), ErrorCode::invalid);
  EXPECT_EQ(code_of(desk.session->list(desk.now, {"q", {}, 0, {}})), ErrorCode::invalid);
  EXPECT_EQ(code_of(desk.session->dead(desk.now, {"", 1, {}})), ErrorCode::invalid);
}

TEST(MemoryViews, PageTheDeadByTimeThenId) {
  Desk desk;
  for (const auto* id : {"b", "a", "c"}) desk.put_as(id);
  const auto claims = desk.take(3);
  for (const Claim& claim : claims) {
    if (claim.job.id == "c") desk.pass(Duration{1});
    ASSERT_TRUE(desk.fail(claim).ok());
  }
  const DeadPage first = desk.session->dead(desk.now, {"q", 2, {}}).value();
  ASSERT_EQ(first.entries.size(), 2u);
  EXPECT_EQ(first.entries[0].job_id + first.entries[1].job_id, "ab");
  const DeadPage second = desk.session->dead(desk.now, {"q", 2, first.cursor}).value();
  ASSERT_EQ(second.entries.size(), 1u);
  EXPECT_EQ(second.entries[0].job_id, "c");
  EXPECT_FALSE(second.cursor);
}

TEST(MemoryViews, AreUnsupportedWithoutTheirCapabilities) {
  Profile profile = profile_named("reference");
  profile.capabilities.clear();
  Desk desk(profile);
  EXPECT_EQ(code_of(desk.session->get(desk.now, {"j"})), ErrorCode::unsupported);
  EXPECT_EQ(code_of(desk.session->list(desk.now, {"q", {}, 1, {}})), ErrorCode::unsupported);
  EXPECT_EQ(code_of(desk.driver->advance(Duration{1})), ErrorCode::unsupported);
}

}  // namespace
}  // namespace assay
