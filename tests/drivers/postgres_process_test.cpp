// Several processes on one namespace: each job goes to one of them, and a killed one loses nothing.
#include <sys/wait.h>

#include <map>
#include <set>

#include "tests/drivers/child.h"
#include "tests/drivers/postgres_fixture.h"

namespace assay::pg_test {
namespace {

TEST_F(Postgres, SharesTheJobsOfOneNamespaceAmongProcesses) {
  constexpr std::size_t jobs = 200;
  {
    Rig rig;
    for (std::size_t i = 0; i < jobs; ++i) rig.enqueue();
  }
  std::vector<Child> children;
  for (int i = 0; i < 4; ++i)
    children.emplace_back([&](const Child::Tell& tell) {
      Rig rig(reference(), {"test", Create::never});
      // The same session's name, and so the same randomness, in each of them.
      for (auto claims = rig.reserve(2); !claims.empty(); claims = rig.reserve(2))
        for (const Claim& claim : claims) {
          tell(claim.job.id + " " + claim.token);
          EXPECT_TRUE(rig.ack(hold_of(claim)).ok());
        }
    });
  std::set<std::string> ids, tokens;
  std::size_t deliveries = 0;
  for (Child& child : children) {
    for (auto line = child.next(); line; line = child.next(), ++deliveries) {
      ids.insert(line->substr(0, line->find(' ')));
      tokens.insert(line->substr(line->find(' ')));
    }
    EXPECT_EQ(child.wait(), 0);
  }
  EXPECT_EQ(deliveries, jobs);
  EXPECT_EQ(ids.size(), jobs);
  EXPECT_EQ(tokens.size(), jobs);
}

TEST_F(Postgres, MakesOneJobOfAKeyThatManyProcessesBring) {
  { Rig rig; }
  std::vector<Child> children;
  for (int i = 0; i < 4; ++i)
    children.emplace_back([&](const Child::Tell& tell) {
      Rig rig(reference(), {"test", Create::never});
      for (int n = 0; n < 30; ++n) {
        NewJob job;
        job.key = "k" + std::to_string(n);
        const auto made = rig.try_enqueue(job);
        ASSERT_TRUE(made.ok()) << made.error().message;
        tell(*job.key + (made->existed ? " old " : " new ") + made->id);
      }
    });
  std::map<std::string, std::set<std::string>> ids;
  int made = 0;
  for (Child& child : children) {
    for (auto line = child.next(); line; line = child.next()) {
      made += line->find(" new ") != std::string::npos ? 1 : 0;
      ids[line->substr(0, line->find(' '))].insert(line->substr(line->rfind(' ')));
    }
    EXPECT_EQ(child.wait(), 0);
  }
  EXPECT_EQ(made, 30);
  EXPECT_EQ(ids.size(), 30U);
  for (const auto& [key, jobs] : ids) EXPECT_EQ(jobs.size(), 1U) << key;
}

// Enqueues, claims and acks without end, and tells what was acknowledged.
void work_until_killed(const Child::Tell& tell) {
  Rig rig(reference(), {"test", Create::never});
  for (int i = 0; i < 1'000'000; ++i) {
    tell("enqueued " + rig.enqueue());
    const Claim claim = rig.claim();
    if (i % 3 != 0) CHECK(rig.ack(hold_of(claim)).ok());
    tell((i % 3 != 0 ? "done " : "leased ") + claim.job.id);
  }
}

TEST_F(Postgres, LosesNothingWhenAProcessIsKilled) {
  { Rig rig; }
  for (int lines = 20; lines < 24; ++lines) {
    std::map<JobId, std::string> facts;
    {
      Child child(work_until_killed);
      int left = lines;
      for (auto line = child.next(); line; line = child.next()) {
        facts[line->substr(line->find(' ') + 1)] = line->substr(0, line->find(' '));
        if (--left == 0) child.kill();
      }
      EXPECT_TRUE(WIFSIGNALED(child.wait()));
    }
    Rig rig(reference(), {"test", Create::never});
    const std::map<std::string, std::set<JobState>> fits{
        {"done", {JobState::done}},
        {"leased", {JobState::leased}},
        // What came after it may have happened untold.
        {"enqueued", {JobState::ready, JobState::leased, JobState::done}}};
    for (const auto& [id, fact] : facts)
      EXPECT_TRUE(fits.at(fact).contains(rig.get(id).job.state)) << id << " was " << fact;
    rig.pass(1000);
    std::set<JobId> back;
    for (const Claim& claim : rig.reserve(1000)) {
      back.insert(claim.job.id);
      EXPECT_TRUE(rig.ack(hold_of(claim)).ok());
    }
    for (const auto& [id, fact] : facts)
      EXPECT_TRUE(fact != "leased" || back.contains(id)) << id << " is lost";
  }
}

}  // namespace
}  // namespace assay::pg_test
