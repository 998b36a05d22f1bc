// The catalogue of mutants: named, sorted, usable, and each accused of rules that its profile
// promises.
#include "drivers/mutants/all.h"

#include <set>

#include "harness/contract/rules.h"
#include "tests/drivers/memory_fixture.h"

namespace assay {
namespace {

TEST(Mutants, StandInTheOrderOfTheirNames) {
  ASSERT_GT(all_mutants().size(), 70u);
  for (std::size_t i = 1; i < all_mutants().size(); ++i)
    EXPECT_LT(all_mutants()[i - 1].name, all_mutants()[i].name);
}

TEST(Mutants, AreAccusedOfRulesThatTheirProfilePromises) {
  for (const Mutant& mutant : all_mutants()) {
    const auto profile = built_in_profile(mutant.profile);
    ASSERT_TRUE(profile) << mutant.name;
    EXPECT_FALSE(mutant.rules.empty()) << mutant.name;
    for (const auto id : mutant.rules) {
      const Rule* rule = find_rule(id);
      ASSERT_TRUE(rule) << mutant.name << " " << id;
      EXPECT_TRUE(applies(*rule, *profile)) << mutant.name << " " << id;
    }
  }
}

TEST(Mutants, OfTheMemoryDriverCoverEveryRuleOfADriverThatOneClientCanBreak) {
  std::set<std::string_view> accused;
  for (const Mutant& mutant : all_mutants())
    if (mutant.subject == "memory") accused.insert(mutant.rules.begin(), mutant.rules.end());
  for (const Rule& rule : rules()) {
    if (rule.level != Level::contract || rule.certifies != Certifies::driver) continue;
    if (rule.kind == Kind::permission) continue;
    EXPECT_TRUE(accused.contains(rule.id)) << rule.id;
  }
}

TEST(Mutants, OpenAndMostlyWork) {
  for (const Mutant& mutant : all_mutants()) {
    if (mutant.subject != "memory") continue;
    const DriverInfo info = mutant.driver();
    EXPECT_EQ(info.name, mutant.name);
    EXPECT_EQ(info.summary, mutant.summary);
    EXPECT_EQ(info.default_profile, mutant.profile);
    Desk desk(profile_named(mutant.profile), info);
    EXPECT_TRUE(desk.put({}).ok()) << mutant.name;
  }
}

TEST(Mutants, HoldTheCanary) {
  EXPECT_EQ(canary().name, "canary");
  EXPECT_EQ(find_mutant("canary"), &canary());
  EXPECT_EQ(find_mutant("nobody"), nullptr);
  Desk desk(profile_named("reference"), canary().driver());
  desk.put_as("j");
  Claim claim = desk.take_one();
  claim.token = "forged";
  EXPECT_EQ(reason_of(desk.fail(claim)), LeaseReason::mismatch);
  EXPECT_TRUE(desk.ack(claim).ok());
}

}  // namespace
}  // namespace assay
