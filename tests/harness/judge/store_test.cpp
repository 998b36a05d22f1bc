// Where the facts of a long history are kept.
#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "harness/contract/random.h"
#include "harness/judge/chunks.h"
#include "harness/judge/detail/packed_job.h"
#include "harness/judge/job_store.h"
#include "harness/judge/ordered.h"
#include "harness/judge/ring.h"
#include "harness/judge/tokens.h"

namespace assay {
namespace {

// Facts of any kind: every field may be anything.
class AnyJob {
 public:
  explicit AnyJob(std::uint64_t seed) : random_(seed) {}

  JobFacts operator()(const JobId& id, JobIndex index) {
    JobFacts job;
    job.id = id;
    job.index = index;
    job.born = number(), job.born_began = number(), job.born_ended = number();
    job.touched = number();
    job.given = {.id = maybe([&] { return flag() ? id : text(); }),
                 .queue = text(),
                 .type = text(),
                 .payload = text(),
                 .run_at = maybe([&] { return instant(); }),
                 .max_attempts = maybe([&] { return signed_number(); }),
                 .timeout = maybe([&] { return Duration{signed_number()}; }),
                 .key = maybe([&] { return text(); }),
                 .priority = maybe([&] { return signed_number(); }),
                 .attempts = maybe([&] { return signed_number(); })};
    job.created = {instant(), instant() + Duration{3}};
    job.phase = static_cast<Phase>(random_.below(5));
    job.changed_by = static_cast<Change>(random_.below(10));
    job.changed_at = number();
    job.cause = static_cast<Cause>(random_.below(4));
    job.delayed = flag();
    job.not_before = instant(), job.surely_from = instant();
    job.run_at = maybe([&] { return instant(); });
    for (std::uint64_t n = random_.below(3); n > 0; --n) job.claims.push_back(claim());
    job.settled = maybe([&] {
      const bool own = !job.claims.empty() && flag();
      return SettleFact{number(), static_cast<Change>(random_.below(10)),
                        own ? job.claims.back().token : text()};
    });
    job.counter = {signed_number(), signed_number()};
    job.losses = {signed_number(), signed_number()};
    job.last_error = maybe([&] { return text(); });
    job.reason = maybe([&] { return text(); });
    job.error = maybe([&] { return text(); });
    job.died = {instant(), instant()};
    for (std::uint64_t n = random_.below(3); n > 0; --n) job.refused.push_back(number());
    for (std::uint64_t n = random_.below(3); n > 0; --n) job.repeated.push_back(number());
    for (bool* each :
         {&job.recorded, &job.seen, &job.paused_at_birth, &job.resumed, &job.cancelled_waiting,
          &job.replayed, &job.replay_refused, &job.counter_reset, &job.gone, &job.spoiled})
      *each = flag();
    return job;
  }

 private:
  bool flag() { return random_.below(2) == 0; }
  std::uint64_t number() { return flag() ? random_.below(200) : random_.next(); }
  std::int64_t signed_number() { return static_cast<std::int64_t>(number()); }
  Instant instant() {
    return flag() ? Instant{} : run_epoch + Duration{static_cast<std::int64_t>(random_.below(999))};
  }
  std::string text() {
    return std::string(random_.below(40), static_cast<char>(random_.below(256)));
  }
  template <class Make>
  auto maybe(Make make) -> std::optional<decltype(make())> {
    if (flag()) return std::nullopt;
    return make();
  }
  ClaimFact claim() {
    return {number(),
            static_cast<int>(random_.below(9)),
            text(),
            maybe([&] { return signed_number(); }),
            maybe([&] { return signed_number(); }),
            text(),
            instant(),
            instant(),
            instant(),
            static_cast<int>(random_.below(9)),
            number(),
            flag(),
            flag(),
            flag()};
  }

  Random random_;
};

TEST(PackedJob, KeepsEverything) {
  AnyJob any(1);
  std::vector<char> packed;
  JobFacts read;  // what it was before makes no difference
  for (JobIndex i = 0; i < 5000; ++i) {
    const JobFacts job = any(i % 7 == 0 ? "" : "job-" + std::to_string(i), i);
    const std::size_t size = pack(job, packed);
    ASSERT_LE(size, packed.size());
    std::fill(packed.begin() + static_cast<std::ptrdiff_t>(size), packed.end(), '\xff');
    ASSERT_EQ(id_in(packed.data()), job.id);
    unpack(packed.data(), read);
    ASSERT_EQ(read, job) << i;
  }
}

// A field that is added must be packed, and be among those of AnyJob.
TEST(PackedJob, KnowsAllFields) {
  if (sizeof(std::string) != 32) GTEST_SKIP() << "another library";
  EXPECT_EQ(sizeof(JobFacts), 712U);
}

TEST(PackedJob, IsSmallForAJobThatHasEnded) {
  JobFacts job;
  job.id = "job-1234567";
  job.born = 7'000'000, job.born_began = job.born_ended = job.touched = 14'000'000;
  job.given.id = job.id, job.given.queue = "q17", job.given.type = "t";
  job.created.lo = job.created.hi = job.not_before = job.surely_from = run_epoch;
  job.phase = Phase::done;
  job.claims.push_back({.op = 7'000'100,
                        .token = "token-7000100",
                        .worker = "w11",
                        .claimed_at = run_epoch,
                        .first_expiry = run_epoch + std::chrono::hours(1),
                        .expires_at = run_epoch + std::chrono::hours(1)});
  job.settled = SettleFact{7'000'200, Change::ack, "token-7000100"};
  std::vector<char> packed;
  EXPECT_LT(pack(job, packed), 150U);
}

TEST(JobStore, GivesBackWhatItPutAway) {
  AnyJob any(2);
  JobStore store;
  std::vector<JobFacts> expected;
  Random random(3);
  for (JobIndex i = 0; i < 20'000; ++i) {
    const JobId id = "job-" + std::to_string(i);
    ASSERT_FALSE(store.find(id));
    expected.push_back(any(id, i));
    store.add(id) = expected.back();
    const auto other = static_cast<JobIndex>(random.below(expected.size()));
    ASSERT_EQ(store[other], expected[other]);
    store[other].touched = expected[other].touched = i;
    store.rest();
  }
  for (const JobFacts& job : expected) {
    ASSERT_EQ(store.find(job.id), job.index);
    ASSERT_EQ(store[job.index], job);
    store.rest();
  }
}

TEST(Chunks, GivesOutNothingTwice) {
  Chunks chunks;
  std::vector<std::string> expected;  // each with a letter of its own
  std::vector<char*> taken;
  Random random(5);
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t size = random.below(100) == 0 ? random.below(100'000) : random.below(200);
    expected.emplace_back(size, static_cast<char>('a' + i % 26));
    taken.push_back(chunks.take(size));
    std::ranges::copy(expected.back(), taken.back());
    if (random.below(2) == 0) continue;
    const std::size_t gone = random.below(taken.size());
    ASSERT_EQ(std::string_view(taken[gone], expected[gone].size()), expected[gone]);
    chunks.give_back(taken[gone], expected[gone].size());
    std::swap(taken[gone], taken.back()), taken.pop_back();
    std::swap(expected[gone], expected.back()), expected.pop_back();
  }
  for (std::size_t i = 0; i < taken.size(); ++i)
    ASSERT_EQ(std::string_view(taken[i], expected[i].size()), expected[i]);
}

TEST(Ring, IsAQueue) {
  Ring<int> ring;
  std::deque<int> expected;
  Random random(6);
  for (int i = 0; i < 20'000; ++i) {
    const auto what = random.below(5);
    if (what < 3)
      ring.push_back(i), expected.push_back(i);
    else if (!expected.empty() && what == 3)
      ring.pop_front(), expected.pop_front();
    else if (!expected.empty())
      ring.pop_back(), expected.pop_back();
    ASSERT_EQ(ring.size(), expected.size());
    ASSERT_EQ(ring.empty(), expected.empty());
    if (expected.empty()) continue;
    ASSERT_EQ(ring.front(), expected.front());
    ASSERT_EQ(ring.back(), expected.back());
    const std::size_t place = random.below(expected.size());
    ASSERT_EQ(ring[place], expected[place]);
  }
}

TEST(Ordered, IsASet) {
  Ordered<std::pair<Instant, JobIndex>> ordered;
  std::set<std::pair<Instant, JobIndex>> expected;
  Random random(4);
  for (int i = 0; i < 30'000; ++i) {
    // It grows, then it shrinks.
    const std::pair<Instant, JobIndex> value{Instant{Duration{random.below(500)}},
                                             static_cast<JobIndex>(random.below(10))};
    if (random.below(30'000) > static_cast<std::uint64_t>(i))
      ordered.insert(value), expected.insert(value);
    else
      ordered.erase(value), expected.erase(value);
    ASSERT_EQ(ordered.size(), expected.size());
    ASSERT_EQ(ordered.empty(), expected.empty());
    const auto here = ordered.lower_bound(value);
    const auto there = expected.lower_bound(value);
    ASSERT_EQ(here == ordered.end(), there == expected.end());
    if (there != expected.end()) {
      ASSERT_EQ(*here, *there);
    }
    if (i % 100 != 0 || expected.empty()) continue;
    ASSERT_EQ(ordered.back(), *expected.rbegin());
    std::vector<std::pair<Instant, JobIndex>> all;
    for (const auto& each : ordered) all.push_back(each);
    ASSERT_TRUE(std::ranges::equal(all, expected));
  }
}

TEST(Tokens, RemembersWhoGaveOutATokenFirst) {
  Tokens tokens;
  for (JobIndex i = 0; i < 5000; ++i) tokens.add("token-" + std::to_string(i % 4000), i, i + 1);
  tokens.add(std::string(100'000, 'x'), 5000, 5001);
  tokens.add("", 5001, 5002);
  for (JobIndex i = 0; i < 4000; ++i) {
    const auto* source = tokens.find("token-" + std::to_string(i));
    ASSERT_TRUE(source);
    EXPECT_EQ(*source, Tokens::Source(i, i + 1));
  }
  EXPECT_EQ(tokens.find(std::string(100'000, 'x'))->first, 5000U);
  EXPECT_EQ(tokens.find("")->first, 5001U);
  EXPECT_EQ(tokens.find("token-4000"), nullptr);
}

TEST(Texts, AreTheSameWhereEveryCharacterIs) {
  Random random(1);
  for (std::size_t size = 0; size < 40; ++size) {
    std::string text;
    while (text.size() < size) text.push_back(static_cast<char>(random.below(256)));
    // Not at an address that is a multiple of anything.
    const std::string padded = "." + text;
    const std::string_view copy = std::string_view(padded).substr(1);
    EXPECT_TRUE(same_text(text, copy));
    EXPECT_EQ(hash_text(text), hash_text(copy));
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = static_cast<char>(other[at] ^ 1);
      EXPECT_FALSE(same_text(text, other)) << size << " " << at;
      EXPECT_NE(hash_text(text), hash_text(other)) << size << " " << at;
    }
    EXPECT_FALSE(same_text(text, text + "x"));
    EXPECT_FALSE(same_text(text + "x", text));
  }
}

TEST(Texts, ThatAreNumberedHaveHashesOfTheirOwn) {
  std::set<std::uint32_t> tags;
  for (int i = 0; i < 100'000; ++i) {
    const std::size_t hash = hash_text("job-" + std::to_string(i));
    tags.insert(static_cast<std::uint32_t>(hash ^ (hash >> 32)));
  }
  // As many as chance lets two have one of four thousand million: one or two.
  EXPECT_GT(tags.size(), 99'980U);
}

}  // namespace
}  // namespace assay
