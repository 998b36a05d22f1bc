#include "harness/contract/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace assay {
namespace {

Profile built_in(std::string_view name) {
  auto profile = built_in_profile(name);
  EXPECT_TRUE(profile.has_value()) << name;
  return profile.value_or(Profile{});
}

std::map<std::string, std::string> chosen_values(const Profile& profile) {
  std::map<std::string, std::string> chosen;
  for (const Knob& knob : knobs())
    chosen.emplace(knob.name, knob.values[static_cast<std::size_t>(knob.get(profile))].name);
  return chosen;
}

struct Row {
  std::string knob, reference, taskharbor, trace, upnext, weave;
};

// The table of the contract, written out a second time.
const std::vector<Row> table{
    {"claim_style", "next", "next", "by_id", "next", "next"},
    {"order", "fifo", "best_effort", "none", "none", "fifo"},
    {"idem", "return_existing", "return_existing", "none", "reject_active", "none"},
    {"idem_scope", "queue", "queue", "type", "type", "queue"},
    {"dup_id", "reject", "undefined", "undefined", "undefined", "reject"},
    {"limit_unit", "attempts", "attempts", "attempts", "retries", "retries"},
    {"counter", "failures", "failures", "attempt_no", "starts", "retries"},
    {"expiry_counts", "yes", "no", "yes", "no", "no"},
    {"expiry_to", "ready_now", "ready_now", "backoff", "ready_now", "ready_now"},
    {"late_settle", "reject", "reject", "accept_unreclaimed", "accept_unreclaimed",
     "accept_unreclaimed"},
    {"fence", "token_version", "token", "token_attempt", "token", "token_version"},
    {"resettle", "ok", "ok", "stale_error", "ok", "ok"},
    {"resettle_foreign", "stale_error", "ok", "stale_error", "ok", "stale_error"},
    {"decider", "engine", "engine", "store", "engine", "store"},
    {"retry_view", "scheduled", "scheduled", "failed_waiting", "scheduled", "ready_hidden"},
    {"dead_view", "dlq_state", "dlq_state", "failed_state", "failed_plus_record", "failed_state"},
    {"replay", "same_job", "same_job", "none", "fresh_job", "none"},
    {"clock", "caller", "caller", "mixed", "mixed", "store"},
    {"durability", "none", "none", "crash", "restart", "none"},
    {"lease_edge", "dead_at_equal", "dead_at_equal", "dead_at_equal", "dead_at_equal",
     "dead_at_equal"},
};

TEST(BuiltInProfiles, HaveTheKnobsOfTheContractsTable) {
  ASSERT_EQ(table.size(), knobs().size());
  const auto reference = chosen_values(built_in("reference"));
  const auto taskharbor = chosen_values(built_in("taskharbor"));
  const auto trace = chosen_values(built_in("trace"));
  const auto upnext = chosen_values(built_in("upnext"));
  const auto weave = chosen_values(built_in("weave"));
  for (const Row& row : table) {
    EXPECT_EQ(reference.at(row.knob), row.reference) << row.knob;
    EXPECT_EQ(taskharbor.at(row.knob), row.taskharbor) << row.knob;
    EXPECT_EQ(trace.at(row.knob), row.trace) << row.knob;
    EXPECT_EQ(upnext.at(row.knob), row.upnext) << row.knob;
    EXPECT_EQ(weave.at(row.knob), row.weave) << row.knob;
  }
}

TEST(BuiltInProfiles, HaveTheListedNumbers) {
  EXPECT_EQ(built_in("reference").claim_batch, 10);
  EXPECT_EQ(built_in("taskharbor").claim_batch, 1);
  EXPECT_EQ(built_in("trace").claim_batch, 1);
  EXPECT_EQ(built_in("upnext").claim_batch, 10);
  EXPECT_EQ(built_in("weave").claim_batch, 10);
  EXPECT_EQ(built_in("taskharbor").backoff, (Backoff{Duration{200}, Duration{5'000}}));
  EXPECT_EQ(built_in("trace").backoff, (Backoff{Duration{30'000}, Duration{600'000}}));
  EXPECT_EQ(built_in("weave").backoff, (Backoff{Duration{500}, Duration{30'000}}));
  EXPECT_EQ(built_in("trace").lease_ttl, Duration{120'000});
  EXPECT_EQ(built_in("weave").lease_ttl, Duration{5'000});
}

TEST(BuiltInProfiles, ClaimOnlyKnownCapabilities) {
  for (const auto name : profile_names())
    for (const std::string& claimed : built_in(name).capabilities)
      EXPECT_TRUE(std::ranges::any_of(
          capabilities(), [&](const Capability& known) { return known.name == claimed; }))
          << name << " claims " << claimed;
}

TEST(BuiltInProfiles, ClaimWhatTheirSystemsHave) {
  EXPECT_TRUE(built_in("upnext").has("pause"));
  EXPECT_TRUE(built_in("trace").has("cancel"));
  EXPECT_FALSE(built_in("taskharbor").has("cancel"));
  EXPECT_FALSE(built_in("trace").has("schedule_at_enqueue"));
  EXPECT_FALSE(built_in("trace").has("dlq_ops"));
  EXPECT_FALSE(built_in("weave").has("dlq_ops"));
  EXPECT_TRUE(built_in("weave").has("lease_version"));
  for (const auto name : profile_names()) EXPECT_TRUE(built_in(name).has("virtual_time")) << name;
}

TEST(BuiltInProfiles, KnowTheirOwnNamesAndNoOthers) {
  ASSERT_EQ(profile_names().size(), 5U);
  for (const auto name : profile_names()) EXPECT_EQ(built_in(name).name, name);
  EXPECT_FALSE(built_in_profile("Reference").has_value());
  EXPECT_FALSE(built_in_profile("").has_value());
}

TEST(RunsAllowed, CountsInTheProfilesUnit) {
  EXPECT_EQ(runs_allowed(built_in("reference"), 5), 5);
  EXPECT_EQ(runs_allowed(built_in("weave"), 5), 6);
}

TEST(RunsAllowed, TakesTheDefaultForNoLimitAndForZero) {
  for (const auto limit : {std::optional<std::int64_t>{}, std::optional<std::int64_t>{0}}) {
    EXPECT_EQ(runs_allowed(built_in("reference"), limit), 3);
    EXPECT_EQ(runs_allowed(built_in("taskharbor"), limit), 25);
    EXPECT_EQ(runs_allowed(built_in("trace"), limit), 3);
    EXPECT_EQ(runs_allowed(built_in("upnext"), limit), 1);
    EXPECT_EQ(runs_allowed(built_in("weave"), limit), 4);
  }
}

TEST(Knobs, SetWhatTheyGetAndTouchNothingElse) {
  for (const Knob& knob : knobs())
    for (int value = 0; value < static_cast<int>(knob.values.size()); ++value) {
      Profile changed = built_in("reference");
      knob.set(changed, value);
      auto expected = chosen_values(built_in("reference"));
      expected[std::string(knob.name)] = knob.values[static_cast<std::size_t>(value)].name;
      EXPECT_EQ(chosen_values(changed), expected) << knob.name;
    }
}

// The tables are indexed by enumerator: the last one of each must be the last value.
TEST(Knobs, ValuesStandInTheOrderOfTheEnumerators) {
  Profile last;
  last.order = Order::fifo;
  last.counter = Counter::retries;
  last.fence = Fence::none;
  last.expiry_counts = ExpiryCounts::yes;
  last.retry_view = RetryView::failed_waiting;
  last.replay = Replay::none;
  last.clock = ClockKnob::mixed;
  const auto chosen = chosen_values(last);
  EXPECT_EQ(chosen.at("order"), "fifo");
  EXPECT_EQ(chosen.at("counter"), "retries");
  EXPECT_EQ(chosen.at("fence"), "none");
  EXPECT_EQ(chosen.at("expiry_counts"), "yes");
  EXPECT_EQ(chosen.at("retry_view"), "failed_waiting");
  EXPECT_EQ(chosen.at("replay"), "none");
  EXPECT_EQ(chosen.at("clock"), "mixed");
}

TEST(Knobs, PromiseOneDifferentSentenceAValue) {
  for (const Knob& knob : knobs()) {
    EXPECT_TRUE(knob.question.ends_with("?")) << knob.name;
    std::map<std::string_view, std::string_view> said;
    for (const KnobValue& value : knob.values) {
      EXPECT_TRUE(value.promise.ends_with(".")) << knob.name << "=" << value.name;
      EXPECT_EQ(value.promise.find(". "), std::string_view::npos) << value.promise;
      EXPECT_TRUE(said.emplace(value.promise, value.name).second) << value.promise;
    }
  }
}

std::string text_of(const Profile& profile) {
  std::string text;
  for (const std::string& line : describe(profile)) text += line + "\n";
  return text;
}

TEST(Describe, TellsEachSubjectInOneLine) {
  for (const auto name : profile_names()) {
    const auto lines = describe(built_in(name));
    std::vector<std::string> subjects;
    for (const std::string& line : lines) {
      subjects.push_back(line.substr(0, line.find(':')));
      EXPECT_TRUE(line.ends_with(".")) << line;
      EXPECT_EQ(line.find('\n'), std::string::npos);
      EXPECT_EQ(line.find("  "), std::string::npos) << line;
    }
    EXPECT_EQ(subjects,
              (std::vector<std::string>{"Deliveries", "Claims", "Leases", "Fencing", "Retries",
                                        "Keys", "Order", "Dead letters", "Time", "Not promised"}));
  }
}

TEST(Describe, SaysSomethingElseForEveryChangedKnob) {
  Profile base = built_in("reference");
  for (const Knob& knob : knobs())
    for (int value = 0; value < static_cast<int>(knob.values.size()); ++value) {
      if (value == knob.get(base)) continue;
      Profile changed = base;
      knob.set(changed, value);
      EXPECT_NE(text_of(changed), text_of(base)) << knob.name;
    }
}

TEST(Describe, SpeaksOfWhatEachProfileLeavesOpen) {
  const auto last_line = [](std::string_view name) { return describe(built_in(name)).back(); };
  EXPECT_NE(last_line("trace").find("order within a queue"), std::string::npos);
  EXPECT_EQ(last_line("weave").find("order within a queue"), std::string::npos);
  EXPECT_NE(last_line("taskharbor").find("kills every worker"), std::string::npos);
  EXPECT_EQ(last_line("reference").find("kills every worker"), std::string::npos);
  EXPECT_NE(text_of(built_in("weave")).find("may fail 4 times; then"), std::string::npos);
  EXPECT_NE(text_of(built_in("upnext")).find("may fail once; then"), std::string::npos);
}

TEST(Profile, IsBuiltInHoweverDurableItsStoreIs) {
  Profile profile = built_in("trace");
  profile.durability = Durability::none;
  EXPECT_TRUE(is_built_in(profile));
  EXPECT_EQ(title(profile), "trace");
}

TEST(Profile, IsNamedAsAlteredWhereItIsNotTheBuiltInOne) {
  Profile profile = built_in("reference");
  profile.order = Order::none;
  profile.capabilities.erase("pause");
  EXPECT_FALSE(is_built_in(profile));
  EXPECT_EQ(title(profile), "reference, altered: order, capabilities");
  Profile numbers = built_in("weave");
  numbers.default_limit += 1;
  EXPECT_EQ(title(numbers), "weave, altered: numbers");
}

}  // namespace
}  // namespace assay
