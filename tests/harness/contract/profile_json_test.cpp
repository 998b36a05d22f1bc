#include "harness/contract/profile_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

Profile parsed(std::string_view text) {
  auto profile = profile_from_json(text);
  EXPECT_TRUE(profile.ok()) << (profile.ok() ? "" : profile.error().message);
  return profile.ok() ? profile.value() : Profile{};
}

std::string refusal(std::string_view text) {
  auto profile = profile_from_json(text);
  if (profile.ok()) return "accepted";
  EXPECT_EQ(profile.error().code, ErrorCode::invalid);
  EXPECT_EQ(profile.error().message.find('\n'), std::string::npos);
  return profile.error().message;
}

TEST(ProfileJson, RoundTripsTheBuiltInProfilesInOneLine) {
  for (const auto name : profile_names()) {
    const Profile profile = *built_in_profile(name);
    const std::string text = to_json(profile);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(parsed(text), profile) << text;
  }
}

TEST(ProfileJson, RoundTripsEveryValueOfEveryKnob) {
  for (const Knob& knob : knobs())
    for (int value = 0; value < static_cast<int>(knob.values.size()); ++value) {
      Profile profile = *built_in_profile("weave");
      profile.fence = Fence::none;  // goes with every late_settle
      knob.set(profile, value);
      EXPECT_EQ(parsed(to_json(profile)), profile) << knob.name;
    }
}

TEST(ProfileJson, RoundTripsEveryNumber) {
  Profile profile = *built_in_profile("upnext");
  profile.claim_batch = 7;
  profile.lease_ttl = Duration{11};
  profile.backoff = {Duration{12}, Duration{13}};
  profile.default_limit = 14;
  profile.time_resolution = Duration{15};
  profile.visibility_lag_max = Duration{16};
  profile.reclaim_lag_max = Duration{17};
  profile.done_retention = Duration{18};
  profile.capabilities = {"pause", "cron"};
  EXPECT_EQ(parsed(to_json(profile)), profile);
  profile.done_retention.reset();
  EXPECT_EQ(parsed(to_json(profile)), profile);
}

TEST(ProfileJson, NamesItsFieldsAsTheProtocolDoes) {
  const std::string text = to_json(*built_in_profile("weave"));
  for (const auto part :
       {R"("base":"weave")", R"("late_settle":"accept_unreclaimed")", R"("claim_batch":10)",
        R"("lease_ttl_ms":5000)", R"("backoff_base_ms":500)", R"("backoff_cap_ms":30000)",
        R"("default_limit":3)", R"("time_resolution_ms":1)", R"("visibility_lag_max_ms":0)",
        R"("reclaim_lag_max_ms":0)", R"("done_retention_ms":null)", R"("capabilities":["inspect")"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

TEST(ProfileJson, TakesWhatIsLeftOutFromTheReference) {
  EXPECT_EQ(parsed("{}"), *built_in_profile("reference"));
  EXPECT_EQ(parsed(R"({"base": null, "clock": null, "capabilities": null})"),
            *built_in_profile("reference"));
}

TEST(ProfileJson, StartsFromTheBaseThatIsNamed) {
  Profile expected = *built_in_profile("taskharbor");
  expected.capabilities = {"schedule_at_enqueue", "inspect", "list_paged", "dlq_ops",
                           "virtual_time"};
  EXPECT_EQ(parsed(R"({"base": "taskharbor", "clock": "caller", "durability": "none",
                       "time_resolution_ms": 1, "capabilities": ["schedule_at_enqueue", "inspect",
                       "list_paged", "dlq_ops", "virtual_time"]})"),
            expected);
}

TEST(ProfileJson, IgnoresFieldsItDoesNotKnow) {
  EXPECT_EQ(parsed(R"({"colour": "red", "hb_fraction": 0.3})"), *built_in_profile("reference"));
}

TEST(ProfileJson, ListsNoCapabilityForAnEmptyList) {
  EXPECT_TRUE(parsed(R"({"capabilities": []})").capabilities.empty());
}

TEST(ProfileJson, RefusesWhatIsNoObject) {
  for (const auto text : {"", "{", "[]", "3", "null", "{} {}", "\"trace\""})
    EXPECT_EQ(refusal(text), "profile: not a JSON object") << text;
}

TEST(ProfileJson, RefusesUnknownNamesAndSaysWhichWereKnown) {
  EXPECT_NE(refusal(R"({"clock": "sundial"})").find("caller, store, mixed"), std::string::npos);
  EXPECT_NE(refusal(R"({"expiry_counts": true})").find("none of no, yes"), std::string::npos);
  EXPECT_NE(refusal(R"({"base": "sqs"})").find("taskharbor"), std::string::npos);
  EXPECT_NE(refusal(R"({"base": 4})").find("none of the built-in"), std::string::npos);
  EXPECT_NE(refusal(R"({"capabilities": ["pauses"]})").find("pauses"), std::string::npos);
  EXPECT_NE(refusal(R"({"capabilities": [7]})").find("7"), std::string::npos);
  EXPECT_NE(refusal(R"({"capabilities": "pause"})").find("list"), std::string::npos);
}

TEST(ProfileJson, ShowsOnlyTheBeginningOfANameWithoutEnd) {
  std::string name = "x";
  for (int i = 0; i < 10'000; ++i) name += "ä";
  for (const char* field : {"base", "order", "claim_batch"}) {
    const auto refused = profile_from_json(fmt::format(R"({{"{}": "{}"}})", field, name));
    ASSERT_FALSE(refused.ok());
    EXPECT_LT(refused.error().message.size(), 300u) << field;
    EXPECT_NE(refused.error().message.find("ä..."), std::string::npos) << field;
  }
}

TEST(ProfileJson, RefusesNumbersThatAreNoneOrOutOfRange) {
  for (const auto text : {R"({"lease_ttl_ms": 0})", R"({"lease_ttl_ms": "5"})",
                          R"({"lease_ttl_ms": 1.5})", R"({"lease_ttl_ms": 18446744073709551615})",
                          R"({"claim_batch": 0})", R"({"default_limit": -1})",
                          R"({"time_resolution_ms": 0})", R"({"visibility_lag_max_ms": -1})",
                          R"({"done_retention_ms": -1})", R"({"done_retention_ms": "never"})"})
    EXPECT_NE(refusal(text).find("must be a whole number"), std::string::npos) << text;
}

TEST(ProfileJson, RefusesProfilesThatContradictThemselves) {
  EXPECT_NE(refusal(R"({"late_settle": "unfenced"})").find("fence"), std::string::npos);
  EXPECT_EQ(parsed(R"({"late_settle": "unfenced", "fence": "none"})").fence, Fence::none);
  EXPECT_NE(refusal(R"({"backoff_base_ms": 9, "backoff_cap_ms": 8})").find("less than"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"default_limit": 0})").find("never run"), std::string::npos);
  EXPECT_EQ(parsed(R"({"default_limit": 0, "limit_unit": "retries"})").default_limit, 0);
}

}  // namespace
}  // namespace assay
