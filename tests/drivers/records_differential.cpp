// The same drawn commits on two stores get the same answers.
#include "harness/contract/random.h"
#include "tests/drivers/records_suite.h"

namespace assay::on_store {
namespace {

// Draws commits that often make sense. All names are given, so that answers can be compared; but
// for tokens, of which each side has its own: a hold is known by its number.
class Commits {
 public:
  Commits(Random random, const Profile& profile) : random_(random), profile_(profile) {}

  Reserve reserve() {
    Reserve reserve{{queue()}, Duration{number(1, 400)}, "w", 1, {}};
    if (profile_.claim_style == ClaimStyle::by_id) reserve.job_id = job();
    return reserve;
  }

  // With the number of the hold in the token's place.
  Commit commit(Instant now, std::size_t holds) {
    Commit commit;
    const Hold hold{
        "",
        std::to_string(holds == 0 ? 0 : holds - 1 - random_.below(std::min<std::size_t>(holds, 4))),
        {}};
    switch (random_.below(8)) {
      case 0:
        commit.settle = hold;
        break;
      case 1:
      case 2:
        commit.settle = Ack{hold};
        break;
      case 3:
        commit.settle = Retry{hold, now + Duration{number(-50, 100)}, number(-1, 4), "e"};
        break;
      case 4:
        commit.settle = Fail{hold, number(0, 3), "r", "e"};
        break;
      case 5:
        commit.settle = Nack{hold, "e", random_.below(3) == 0};
        break;
      default:
        break;
    }
    for (auto n = random_.below(3); n > 0; --n)
      commit.puts.push_back({key(), pick({"", "v", "w"}), version()});
    if (random_.below(4) == 0) commit.drops.push_back({key(), version()});
    for (auto n = random_.below(2); n > 0; --n) {
      Count count{random_.below(6) == 0 ? key() : pick({"c1", "c2", "c3"}),
                  number(0, 4),
                  pick({"m1", "m2", "m3", ""}),
                  {}};
      if (random_.below(2) == 0) count.then.push_back({new_job(now)});
      commit.counts.push_back(count);
    }
    for (auto n = random_.below(3); n > 0; --n) commit.enqueues.push_back({new_job(now)});
    return commit;
  }

  JobId job() { return "mine-" + std::to_string(random_.below(12)); }

 private:
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(high - low)));
  }
  std::string pick(std::vector<std::string> from) { return from[random_.below(from.size())]; }
  std::string queue() { return pick({"a", "a", "b"}); }
  std::string key() { return pick({"k1", "k2", "k3", "k4", "c1"}); }
  std::optional<std::int64_t> version() {
    return random_.below(2) == 0 ? std::optional(number(0, 4)) : std::nullopt;
  }
  NewJob new_job(Instant now) {
    NewJob job;
    job.id = this->job();
    job.queue = random_.below(30) == 0 ? "" : queue();
    job.type = "t";
    job.payload = pick({"", "", "", "p"});
    if (random_.below(5) == 0) job.run_at = now + Duration{number(-50, 100)};
    if (random_.below(4) == 0) job.key = pick({"x", "y"});
    return job;
  }

  Random random_;
  const Profile& profile_;
};

struct Side {
  Rig rig;
  std::vector<Hold> holds = {};

  std::string claim(const Reserve& reserve) {
    const auto claims = rig.session->reserve(rig.now(), reserve);
    if (!claims.ok()) return "refused " + std::string(name_of(claims.error().code));
    if (claims->claims.empty()) return "nothing";
    const Claim& claim = claims->claims.front();
    holds.push_back({claim.job.id, claim.token, claim.attempt});
    return "claimed " + claim.job.id;
  }

  std::string commit(Commit commit) {
    const auto own = [&](Hold& hold) {
      hold = holds.empty() ? Hold{"mine-1", "forged", {}} : holds.at(std::stoul(hold.token));
    };
    std::visit(
        [&](auto& settle) {
          if constexpr (requires { settle.hold; }) own(settle.hold);
          if constexpr (std::is_same_v<std::decay_t<decltype(settle)>, Hold>) own(settle);
        },
        commit.settle);
    const auto done = rig.commit(commit);
    if (!done.ok())
      return "refused " + std::string(name_of(done.error().code)) + " " +
             std::string(name_of(done.error().reason));
    std::string told = done->applied ? "applied" : "repeated";
    if (done->nacked)
      told += " " + std::string(name_of(done->nacked->state)) +
              (done->nacked->run_at ? std::to_string(to_ms(*done->nacked->run_at)) : "");
    for (const std::int64_t version : done->versions) told += " v" + std::to_string(version);
    const auto tell = [&](const std::vector<Enqueued>& jobs) {
      for (const Enqueued& job : jobs) told += " " + job.id + (job.existed ? " old" : " new");
    };
    for (const Counted& count : done->counts) {
      told += " c" + std::to_string(count.left) + (count.counted ? "!" : "");
      tell(count.then);
    }
    tell(done->enqueued);
    return told;
  }

  std::string everything() {
    std::string all;
    const auto page = rig.records().scan(rig.now(), {"", {}, 1000});
    for (const Record& record : page.value().records)
      all += " " + record.key + "=" + record.value + "@" + std::to_string(record.version);
    for (int i = 0; i < 12; ++i) all += " " + rig.state("mine-" + std::to_string(i));
    return all;
  }
};

}  // namespace

void expect_same_commits(const Case& first, const Case& second, int rounds) {
  const Folder folder;
  const auto url_of = [&](const Case& of) { return of.store.url(folder.path()).value(); };
  for (int round = 0; round < rounds; ++round) {
    Side one{Rig(first, url_of(first))}, other{Rig(second, url_of(second))};
    Random random = Random(44).fork(std::to_string(round));
    Commits commits(random.fork("commits"), one.rig.profile());
    std::string story;
    for (int step = 0; step < 60; ++step) {
      if (random.below(5) == 0) {
        const auto by = static_cast<std::int64_t>(random.below(150));
        one.rig.pass(by);
        other.rig.pass(by);
      }
      std::string here, there;
      if (random.below(3) == 0) {
        const Reserve reserve = commits.reserve();
        here = one.claim(reserve);
        there = other.claim(reserve);
      } else {
        const Commit commit = commits.commit(one.rig.now(), one.holds.size());
        here = one.commit(commit);
        there = other.commit(commit);
      }
      here += "\n ->" + one.everything() + "\n";
      there += "\n ->" + other.everything() + "\n";
      ASSERT_EQ(here, there) << story << "in round " << round << ", step " << step;
      story += here;
    }
    ASSERT_TRUE(one.rig.session->close().ok() && other.rig.session->close().ok());
    ASSERT_TRUE(one.rig.driver->teardown().ok() && other.rig.driver->teardown().ok());
  }
}

}  // namespace assay::on_store
