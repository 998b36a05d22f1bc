// Several processes on one file: each job goes to one of them, and a killed one breaks nothing.
#include <sqlite3.h>

#include <map>
#include <set>

#include "drivers/sqlite/detail/connection.h"
#include "tests/drivers/child.h"
#include "tests/drivers/sqlite_fixture.h"

namespace assay::lite_test {
namespace {

TEST(SqliteProcesses, ShareTheJobsOfOneFile) {
  const TempFolder folder;
  const std::string url = (folder / "f") + "?synchronous=off";
  constexpr std::size_t jobs = 120;
  {
    Rig rig(reference(), url);
    for (std::size_t i = 0; i < jobs; ++i) rig.enqueue({});
  }
  std::vector<Child> children;
  for (int i = 0; i < 3; ++i)
    children.emplace_back([&](const Child::Tell& tell) {
      Rig rig(reference(), url, {"test", Create::never});
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

TEST(SqliteProcesses, MakeTheFileTogether) {
  const TempFolder folder;
  std::vector<Child> children;
  for (const char* name : {"one", "two", "three", "four"})
    children.emplace_back([&folder, name](const Child::Tell&) {
      Rig rig(reference(), folder / "f", {name});
      rig.enqueue({});
      EXPECT_EQ(rig.reserve(9).size(), 1U);
    });
  for (Child& child : children) EXPECT_EQ(child.wait(), 0);
}

// Enqueues, claims and acks without end, and tells what was acknowledged.
void work_until_killed(const std::string& url, const Child::Tell& tell) {
  Rig rig(reference(), url, {"test", Create::never});
  for (int i = 0; i < 1'000'000; ++i) {
    tell("enqueued " + rig.enqueue({}));
    const Claim claim = rig.claim();
    if (i % 3 != 0) CHECK(rig.ack(hold_of(claim)).ok());
    tell((i % 3 != 0 ? "done " : "leased ") + claim.job.id);
  }
}

// The last that was acknowledged of each job by a child that was killed at its work.
std::map<JobId, std::string> facts_of_a_killed_child(const std::string& url, int lines) {
  Child child([&](const Child::Tell& tell) { work_until_killed(url, tell); });
  std::map<JobId, std::string> facts;
  for (auto line = child.next(); line; line = child.next()) {
    facts[line->substr(line->find(' ') + 1)] = line->substr(0, line->find(' '));
    if (--lines == 0) child.kill();
  }
  EXPECT_TRUE(WIFSIGNALED(child.wait()));
  return facts;
}

TEST(SqliteProcesses, LoseNothingWhenOneIsKilled) {
  const TempFolder folder;
  { Rig rig(reference(), folder / "f"); }
  for (int lines = 20; lines < 25; ++lines) {
    const auto facts = facts_of_a_killed_child(folder / "f", lines);
    Rig rig(reference(), folder / "f", {"test", Create::never});
    EXPECT_EQ(lite::Connection(folder / "f", SQLITE_OPEN_READWRITE).word("PRAGMA integrity_check"),
              "ok");
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
}  // namespace assay::lite_test
