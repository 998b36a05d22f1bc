// The faults of wake-ups, on a channel of a run.
#include "harness/fault/fault.h"
#include "tests/faults/around.h"
#include "tests/harness/run/post.h"

namespace assay::faults_test {
namespace {

using Texts = std::vector<std::string>;

struct Spoiled {
  std::string name;
  std::string proof;  // of what befell "a" and "b"
  Texts heard;        // of them, by one who hears for 4 s and removes nothing
};

const Spoiled spoiled[] = {
    {"drop_wakeups", "2 messages were dropped", {}},
    {"duplicate_wakeups", "2 messages were doubled", {"a", "a", "b", "b"}},
    {"delay_wakeups", "2 messages were delayed", {}},
    {"reorder_wakeups", "", {}},  // a share of them: see below
    {"redeliver_wakeups", "2 messages were shown again", {"a", "b", "a", "b"}},
};

std::map<std::string, std::int64_t> all_of(const std::string& name) {
  std::map<std::string, std::int64_t> with{{"percent", 100}};
  if (name == "delay_wakeups") with["within_ms"] = 3'600'000;
  if (name == "redeliver_wakeups") with["within_ms"] = 1;
  return with;
}

class WakeUpFaults : public testing::TestWithParam<Spoiled> {
 protected:
  // Runs the test with the channel, and with what a fault may lay its hands on.
  void with_post(const std::function<void(Post&, Around&)>& body) {
    in_virtual_time([&](VirtualRuntime& runtime) {
      Post post(runtime);
      Around around;
      around.messages = &post.post;
      body(post, around);
    });
  }
  std::unique_ptr<Fault> made(Around& around) {
    return fault(GetParam().name, -1, around, all_of(GetParam().name));
  }
  // Each is heard once, in its order, at once, and hidden for as long as it should be.
  static void expect_whole(Post& post) {
    const auto w = post.line("w"), v = post.line("v");
    post.announce(Texts{"x", "y"});
    const Duration before = post.since_begin();
    const auto x = post.hear(*w), y = post.hear(*w);
    ASSERT_TRUE(x && y);
    EXPECT_EQ(x->says + y->says, "xy");
    EXPECT_FALSE(post.hear(*v, Post::visibility - 1ms));
    EXPECT_EQ(post.hear_all(*v, 1ms), (Texts{"x", "y"}));
    EXPECT_EQ(post.since_begin(), before + Post::visibility);
  }
};

TEST_P(WakeUpFaults, ProveWhatTheySpoiled) {
  if (GetParam().proof.empty()) return;
  with_post([&](Post& post, Around& around) {
    const auto fault = made(around);
    ASSERT_TRUE(fault->begin().ok());
    post.announce(Texts{"a", "b"});
    const auto w = post.line("w");
    Texts heard;
    const Duration until = post.since_begin() + 4ms;
    while (heard.size() < 4 && post.since_begin() < until)
      if (const auto one = post.hear(*w, until - post.since_begin())) heard.push_back(one->says);
    EXPECT_EQ(heard, GetParam().heard);
    const auto proof = fault->proof();
    ASSERT_TRUE(proof.ok());
    EXPECT_EQ(*proof, GetParam().proof);
  });
}

TEST_P(WakeUpFaults, MeetNobodyWhereNothingWasAnnounced) {
  with_post([&](Post&, Around& around) {
    const auto fault = made(around);
    ASSERT_TRUE(fault->begin().ok());
    const auto proof = fault->proof();
    ASSERT_FALSE(proof.ok());
    EXPECT_TRUE(is_met_nobody(proof.error()));
  });
}

TEST_P(WakeUpFaults, MeetNobodyInWhatWasAnnouncedBefore) {
  with_post([&](Post& post, Around& around) {
    post.announce("a");
    const auto w = post.line("w");
    EXPECT_TRUE(post.hear(*w));
    const auto fault = made(around);
    ASSERT_TRUE(fault->begin().ok());
    EXPECT_FALSE(fault->proof().ok());
    EXPECT_FALSE(post.hear(*w, Post::visibility - 1ms));
  });
}

TEST_P(WakeUpFaults, LeaveTheWorldWholeWhenTheyHaveEnded) {
  with_post([&](Post& post, Around& around) {
    const auto fault = made(around);
    ASSERT_TRUE(fault->begin().ok());
    post.announce(Texts{"a", "b"});
    post.hear(*post.line("w"));
    EXPECT_TRUE(fault->end().ok());
    EXPECT_TRUE(fault->end().ok());
    post.hear_all(*post.line("v"), Post::visibility);
    expect_whole(post);
  });
}

TEST_P(WakeUpFaults, StillProveThemselvesWhenTheyHaveEnded) {
  if (GetParam().name != "drop_wakeups" && GetParam().name != "duplicate_wakeups") return;
  with_post([&](Post& post, Around& around) {
    const auto fault = made(around);
    ASSERT_TRUE(fault->begin().ok());
    post.announce("a");
    EXPECT_TRUE(fault->end().ok());
    post.announce("b");
    EXPECT_TRUE(fault->proof()->starts_with("1 message was "));
  });
}

TEST_P(WakeUpFaults, EndWhenTheyGo) {
  with_post([&](Post& post, Around& around) {
    {
      const auto fault = made(around);
      ASSERT_TRUE(fault->begin().ok());
    }
    expect_whole(post);
  });
}

TEST_P(WakeUpFaults, EndWellWhereTheyNeverBegan) {
  with_post([&](Post& post, Around& around) {
    EXPECT_TRUE(made(around)->end().ok());
    expect_whole(post);
  });
}

TEST_P(WakeUpFaults, RefuseAShareThatIsNone) {
  with_post([&](Post& post, Around& around) {
    for (const std::int64_t percent : {-1, 0, 101})
      EXPECT_FALSE(fault(GetParam().name, -1, around, {{"percent", percent}})->begin().ok());
    expect_whole(post);
  });
}

TEST_P(WakeUpFaults, RefuseATimeThatIsNone) {
  auto with = all_of(GetParam().name);
  if (!with.contains("within_ms") && GetParam().name != "reorder_wakeups") return;
  with["within_ms"] = -1;
  with_post([&](Post&, Around& around) {
    EXPECT_FALSE(fault(GetParam().name, -1, around, with)->begin().ok());
  });
}

TEST_P(WakeUpFaults, CannotBeHadWhereNobodyAnnounces) {
  Around around;
  EXPECT_FALSE(made(around)->begin().ok());
}

INSTANTIATE_TEST_SUITE_P(All, WakeUpFaults, testing::ValuesIn(spoiled),
                         [](const auto& info) { return info.param.name; });

// Of all that are held back nobody overtakes any: a share of them is.
TEST(ReorderWakeUps, ProvesWhatWasOvertaken) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    Around around;
    around.messages = &post.post;
    const auto reorder = fault("reorder_wakeups", -1, around);
    ASSERT_TRUE(reorder->begin().ok());
    Texts sent;
    for (int i = 0; i < 20; ++i) sent.push_back(std::to_string(i));
    post.announce(sent);
    const Texts heard = post.hear_all(*post.line("w"), 5s);
    EXPECT_NE(heard, sent);
    EXPECT_EQ(heard.size(), sent.size());
    EXPECT_EQ(*reorder->proof(), fmt::format("{} messages were reordered",
                                             post.told_of("wakeup_spoiled").size()));
  });
}

}  // namespace
}  // namespace assay::faults_test
