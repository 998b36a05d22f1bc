// The memory driver as a whole: closing, namespaces, determinism, threads.
#include <atomic>
#include <map>
#include <thread>

#include "drivers/all.h"
#include "tests/drivers/memory_fixture.h"

namespace assay {
namespace {

TEST(AllDrivers, NameEachDriverOnce) {
  std::map<std::string, int> names;
  for (const DriverInfo& info : all_drivers()) {
    ++names[info.name];
    EXPECT_FALSE(info.summary.empty());
    EXPECT_TRUE(built_in_profile(info.default_profile));
  }
  EXPECT_EQ(names["memory"], 1);
  for (const auto& [name, count] : names) EXPECT_EQ(count, 1) << name;
}

TEST(MemoryDriver, ClosesTwiceAndThenRefuses) {
  Desk desk;
  EXPECT_TRUE(desk.session->close().ok());
  EXPECT_TRUE(desk.session->close().ok());
  EXPECT_EQ(code_of(desk.put({})), ErrorCode::closed);
  EXPECT_EQ(code_of(desk.session->get(desk.now, {"j"})), ErrorCode::closed);
  EXPECT_EQ(code_of(desk.session->enqueue(desk.now, {})), ErrorCode::closed);
}

TEST(MemoryDriver, KeepsNothingFromOneNamespaceToTheNext) {
  Desk desk;
  desk.put_as("j");
  desk.pass(Duration{1000});
  ASSERT_TRUE(desk.driver->teardown().ok());
  EXPECT_TRUE(desk.session->close().ok());
  ASSERT_TRUE(desk.driver->setup({"next"}).ok());
  desk.session = std::move(desk.driver->open({"client", Role::worker})).value();
  EXPECT_EQ(*desk.driver->now(), run_epoch);
  EXPECT_EQ(code_of(desk.session->get(desk.now, {"j"})), ErrorCode::not_found);
}

TEST(MemoryDriver, CannotAttachToAnotherProcess) {
  VirtualClock clock;
  auto driver = std::move(memory().make({profile_named("reference"), clock, 1, {}, {}})).value();
  EXPECT_EQ(code_of(driver->setup({"test", Create::never})), ErrorCode::unsupported);
  EXPECT_EQ(code_of(memory().make({profile_named("reference"), clock, 1, "somewhere", {}})),
            ErrorCode::invalid);
}

TEST(MemoryDriver, ClaimsNoDurability) {
  Profile profile = profile_named("trace");
  ASSERT_NE(profile.durability, Durability::none);
  Desk desk(profile);
  profile.durability = Durability::none;
  EXPECT_EQ(desk.driver->profile(), profile);
}

// Ids, tokens and delays of a few calls.
std::string told(std::uint64_t seed) {
  Desk desk(profile_named("weave"), memory(), seed);
  std::string text;
  for (int i = 0; i < 3; ++i) text += desk.put({})->id + " ";
  for (const Claim& claim : desk.take(3))
    text += claim.token + " " + std::to_string(to_ms(*desk.nack(claim)->run_at)) + " ";
  return text;
}

TEST(MemoryDriver, AnswersOneSeedAlwaysTheSame) {
  EXPECT_EQ(told(1), told(1));
  EXPECT_NE(told(1), told(2));
}

TEST(MemoryDriver, DeliversEachJobOnceToManyThreads) {
  constexpr int jobs = 10'000, workers = 8;
  Desk desk;
  for (int i = 0; i < jobs; ++i) desk.put_as(std::to_string(i));
  std::vector<std::atomic<int>> delivered(jobs);
  {
    std::vector<std::jthread> threads;
    for (int worker = 0; worker < workers; ++worker)
      threads.emplace_back([&] {
        auto session = std::move(desk.driver->open({"w", Role::worker})).value();
        const Reserve ask{{"q"}, Duration{60'000}, "w", 3, {}};
        for (;;) {
          const Claims claims = session->reserve(desk.now, ask).value();
          if (claims.claims.empty()) return;
          for (const Claim& claim : claims.claims) {
            ++delivered[std::stoul(claim.job.id)];
            EXPECT_TRUE(session->ack(desk.now, {Desk::hold(claim)}).ok());
          }
        }
      });
  }
  for (const auto& count : delivered) ASSERT_EQ(count, 1);
}

}  // namespace
}  // namespace assay
