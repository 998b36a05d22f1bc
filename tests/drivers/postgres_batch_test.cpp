// Many enqueues or acks at once: the same answers as one by one, and all in doubt where the
// connection breaks.
#include <map>
#include <thread>

#include "harness/contract/random.h"
#include "tests/drivers/postgres_fixture.h"

namespace assay::pg_test {
namespace {

// Ids that the store makes differ between any two runs: told by when they first appeared.
std::vector<std::string> told(const std::vector<Result<Enqueued>>& answers) {
  std::map<JobId, std::size_t> ids;
  std::vector<std::string> lines;
  for (const auto& answer : answers) {
    if (!answer.ok()) {
      lines.emplace_back(name_of(answer.error().code));
      continue;
    }
    const std::size_t number = ids.try_emplace(answer->id, ids.size()).first->second;
    const bool made = answer->id.starts_with("job-");
    lines.push_back((answer->existed ? "existed " : "new ") +
                    (made ? std::to_string(number) : answer->id));
  }
  return lines;
}

std::vector<std::string> told(const std::vector<Status>& answers) {
  std::vector<std::string> lines;
  for (const Status& answer : answers)
    lines.push_back(answer.ok()
                        ? "done"
                        : std::string(name_of(answer.error().code)) + " " + answer.error().message);
  return lines;
}

// Ids and keys that meet each other, some refused without a look at the store, some by it.
std::vector<Enqueue> mixed_enqueues(Random random, bool plain) {
  std::vector<Enqueue> requests;
  for (int i = 0; i < 60; ++i) {
    NewJob job{.queue = random.below(2) == 0 ? "q" : "r", .type = "t"};
    if (!plain && random.below(3) == 0) job.id = "mine-" + std::to_string(random.below(9));
    if (!plain && random.below(3) == 0) job.key = "k" + std::to_string(random.below(5));
    if (random.below(12) == 0) job.queue = "";
    if (random.below(12) == 0) job.timeout = Duration{-1};
    if (random.below(4) == 0) job.run_at = run_epoch + Duration{500};
    job.payload = std::string(random.below(3), '\0');
    job.priority = static_cast<std::int64_t>(random.below(3));
    requests.push_back({job});
  }
  return requests;
}

class PostgresBatchUnder : public Postgres,
                           public ::testing::WithParamInterface<std::string_view> {};

TEST_P(PostgresBatchUnder, AnswersEnqueuesAsOneByOne) {
  const Profile profile = built_in_profile(GetParam()).value();
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto requests = mixed_enqueues(Random(seed), seed % 3 == 0);
    std::vector<Result<Enqueued>> alone;
    {
      Rig rig(profile);
      for (const Enqueue& request : requests)
        alone.push_back(rig.session->enqueue(run_epoch, request));
    }
    Rig rig(profile);
    EXPECT_EQ(told(rig.session->enqueue_all(run_epoch, requests)), told(alone));
  }
}

TEST_P(PostgresBatchUnder, AnswersAcksAsOneByOne) {
  const Profile profile = built_in_profile(GetParam()).value();
  const auto acks_of = [&](Rig& rig) {
    std::vector<Ack> acks;
    for (int i = 0; i < 12; ++i) {
      const JobId id = rig.enqueue({.id = "mine-" + std::to_string(i)});
      const auto by_id =
          profile.claim_style == ClaimStyle::by_id ? std::optional(id) : std::nullopt;
      const auto claims =
          rig.session->reserve(rig.now(), {{"q"}, Duration{1000}, "w", 1, by_id})->claims;
      acks.push_back({hold_of(claims.at(0))});
      if (i == 3) acks.push_back({{id, "forged", claims[0].attempt}});
      if (i == 5) acks.push_back(acks.back());
      if (i == 7) acks.push_back({{"", "x", {}}});
      if (i == 9) acks.insert(acks.begin(), {{id, "forged", {}}});
      if (i == 10) acks.push_back({{"nobody", "x", {}}});
    }
    return acks;
  };
  // With jobs that are named twice, and without.
  for (const std::size_t from : {0U, 9U}) {
    std::vector<Status> alone;
    {
      Rig rig(profile);
      auto acks = acks_of(rig);
      for (std::size_t i = from; i < acks.size(); ++i) alone.push_back(rig.ack(acks[i].hold));
    }
    Rig rig(profile);
    const auto acks = acks_of(rig);
    EXPECT_EQ(told(rig.session->ack_all(rig.now(), std::span(acks).subspan(from))), told(alone));
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, PostgresBatchUnder, ::testing::ValuesIn(profile_names()),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_F(Postgres, MakesManyJobsInTheirOrder) {
  Rig rig;
  const std::vector<Enqueue> requests(2500, Enqueue{{.queue = "q", .type = "t"}});
  std::vector<JobId> made, claimed;
  for (const auto& answer : rig.session->enqueue_all(rig.now(), requests))
    made.push_back(answer.value().id);
  std::vector<Ack> acks;
  for (const Claim& claim : rig.reserve(5000)) {
    claimed.push_back(claim.job.id);
    acks.push_back({hold_of(claim)});
  }
  EXPECT_EQ(claimed, made);
  for (const Status& done : rig.session->ack_all(rig.now(), acks)) EXPECT_TRUE(done.ok());
  EXPECT_TRUE(rig.session->enqueue_all(rig.now(), {}).empty());
  ASSERT_TRUE(rig.session->close().ok());
  for (const auto& answer : rig.session->enqueue_all(run_epoch, std::span(requests).first(2)))
    EXPECT_EQ(answer.error().code, ErrorCode::closed);
}

// One that cannot be kept does not take the others with it.
TEST_F(Postgres, KeepsTheRestWhereTheServerRefusesOne) {
  Rig rig;
  sql(R"(CREATE FUNCTION "assay:test".choose() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
      IF new.type = 'bad' THEN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END IF;
      RETURN new; END $f$;
    CREATE TRIGGER choosing BEFORE INSERT ON "assay:test".jobs FOR EACH ROW
      EXECUTE FUNCTION "assay:test".choose())");
  std::vector<Enqueue> requests(5, Enqueue{{.queue = "q", .type = "t"}});
  requests[2].job.type = "bad";
  const auto answers = rig.session->enqueue_all(rig.now(), requests);
  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i].ok(), i != 2) << i;
  EXPECT_TRUE(is_definite(answers[2].error()));
  EXPECT_EQ(rig.reserve(9).size(), 4U);
}

TEST_F(Postgres, DoesNotKnowWhatBecameOfABatchWhoseConnectionBroke) {
  Rig rig;
  std::vector<Ack> acks;
  for (int i = 0; i < 3; ++i) {
    rig.enqueue();
    acks.push_back({hold_of(rig.claim())});
  }
  const Instant now = rig.now();
  std::vector<Status> answers;
  {
    pqxx::connection other(server()->url());
    pqxx::work work(other);
    work.exec("SELECT FROM \"assay:test\".jobs WHERE seq = 2 FOR UPDATE");
    std::jthread call([&] { answers = rig.session->ack_all(now, acks); });
    end_who_waits_for_a_lock();
  }
  ASSERT_EQ(answers.size(), 3U);
  for (const Status& answer : answers) {
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
    EXPECT_FALSE(is_definite(answer.error())) << answer.error().message;
  }
  for (const Status& done : rig.session->ack_all(now, acks)) EXPECT_TRUE(done.ok());
}

}  // namespace
}  // namespace assay::pg_test
