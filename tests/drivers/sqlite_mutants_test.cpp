// The mutants of the sqlite driver: each is a driver that works but for its one bug.
#include "drivers/mutants/all.h"
#include "tests/drivers/sqlite_fixture.h"

namespace assay::lite_test {
namespace {

TEST(SqliteMutants, OpenAndMostlyWork) {
  int seen = 0;
  for (const Mutant& mutant : all_mutants()) {
    if (mutant.subject != "sqlite") continue;
    ++seen;
    EXPECT_TRUE(mutant.name.starts_with("sqlite_")) << mutant.name;
    Rig rig(profile_named(std::string(mutant.profile)), ":memory:", {"test"}, mutant.driver());
    const JobId id = rig.enqueue({});
    const Claim claim = rig.claim();
    EXPECT_EQ(claim.job.id, id) << mutant.name;
    EXPECT_TRUE(rig.ack(hold_of(claim)).ok()) << mutant.name;
    EXPECT_EQ(rig.get(id).job.state, JobState::done) << mutant.name;
  }
  EXPECT_GE(seen, 12);
}

TEST(SqliteMutants, AnswerWithTheirBug) {
  const auto rig_of = [](const char* name) {
    return Rig(reference(), ":memory:", {"test"}, find_mutant(name)->driver());
  };
  Rig unfenced = rig_of("sqlite_ack_unfenced");
  unfenced.enqueue({"a"});
  unfenced.claim();
  EXPECT_TRUE(unfenced.ack({"a", "forged", {}}).ok());

  Rig early = rig_of("sqlite_claim_before_run_time");
  NewJob later{"a"};
  later.run_at = end_of_time;
  early.enqueue(later);
  EXPECT_EQ(early.reserve().size(), 1U);

  Rig skipping = rig_of("sqlite_page_skips_one");
  for (const char* id : {"a", "b", "c", "d"}) skipping.enqueue({id});
  const auto first = skipping.session->list(skipping.now(), {"q", {}, 1, {}});
  const auto second = skipping.session->list(skipping.now(), {"q", {}, 1, first->cursor});
  EXPECT_EQ(second->jobs.at(0).id, "c");
}

}  // namespace
}  // namespace assay::lite_test
