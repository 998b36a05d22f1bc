// The channel on which the jobs of a run are announced, and what is made to go wrong with it.
#include <algorithm>

#include "tests/harness/run/post.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;

// --- as it should be ---

TEST(WakeUpPost, HandsAMessageToOneOfItsQueue) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w"), v = post.line("v"), other = post.line("other", "p");
    post.announce("a");
    EXPECT_FALSE(post.hear(*other));
    const auto heard = post.hear(*w);
    ASSERT_TRUE(heard);
    EXPECT_EQ(heard->says, "a");
    EXPECT_EQ(heard->hidden_until, run_epoch + Post::visibility);
    EXPECT_FALSE(post.hear(*v));
    EXPECT_EQ(post.told, (Texts{"wakeup_sent d a #1",
                                "wakeup_received w a #1 receipt 1 until 15000 ms"}));
  });
}

TEST(WakeUpPost, HandsThemOutInTheirOrder) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w");
    post.announce(Texts{"a", "b", "c"});
    EXPECT_EQ(post.hear_all(*w), (Texts{"a", "b", "c"}));
  });
}

TEST(WakeUpPost, ShowsAMessageAgainWhenItsTimeIsUp) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w"), v = post.line("v");
    post.announce("a");
    const auto first = post.hear(*w);
    EXPECT_FALSE(post.hear(*v, Post::visibility - 1ms));
    const auto again = post.hear(*v, 1h);
    ASSERT_TRUE(first && again);
    EXPECT_EQ(post.since_begin(), Post::visibility);
    EXPECT_NE(first->receipt, again->receipt);
    EXPECT_EQ(post.told.back(), "wakeup_received v a #1 receipt 2 until 30000 ms");
  });
}

TEST(WakeUpPost, HidesAMessageForLongerWhereItIsProlonged) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w"), v = post.line("v");
    post.announce("a");
    const auto heard = post.hear(*w);
    post.pass(10s);
    const auto until = w->prolong(heard->receipt);
    ASSERT_TRUE(until.ok());
    EXPECT_EQ(*until, run_epoch + 25s);
    EXPECT_EQ(post.told.back(), "wakeup_prolonged w a #1 receipt 1 until 25000 ms");
    EXPECT_TRUE(post.hear(*v, 1h));
    EXPECT_EQ(post.since_begin(), 25s);
  });
}

TEST(WakeUpPost, ForgetsAMessageThatIsRemoved) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w");
    post.announce("a");
    EXPECT_TRUE(w->remove(post.hear(*w)->receipt).ok());
    EXPECT_EQ(post.told.back(), "wakeup_deleted w a #1 receipt 1");
    EXPECT_FALSE(post.hear(*w, 1h));
  });
}

TEST(WakeUpPost, RefusesReceiptsThatAreWorthNothing) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w"), v = post.line("v");
    post.announce("a");
    const auto old = post.hear(*w);
    const auto fresh = post.hear(*v, 1h);
    const std::size_t told = post.told.size();
    for (const std::string& receipt : {old->receipt, std::string("0"), std::string("no receipt")}) {
      const auto prolonged = w->prolong(receipt);
      const auto removed = w->remove(receipt);
      ASSERT_TRUE(!prolonged.ok() && !removed.ok()) << receipt;
      EXPECT_EQ(prolonged.error().code, ErrorCode::lease_lost);
      EXPECT_EQ(removed.error().code, ErrorCode::lease_lost);
    }
    EXPECT_EQ(post.told.size(), told);
    EXPECT_TRUE(v->remove(fresh->receipt).ok());
    EXPECT_EQ(v->remove(fresh->receipt).error().code, ErrorCode::lease_lost);
  });
}

TEST(WakeUpPost, LooksNoReceiptUpAmongMessagesThatNobodyHeard) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w");
    post.announce("a");
    EXPECT_FALSE(w->remove("0").ok());
    EXPECT_EQ(post.hear_all(*w), Texts{"a"});
  });
}

TEST(WakeUpPost, WakesWhoeverWaits) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w");
    const auto waits = runtime.start("w", [&](std::stop_token) {
      const auto heard = post.hear(*w, 1h);
      EXPECT_TRUE(heard);
      EXPECT_EQ(post.since_begin(), 3s);
    });
    post.pass(3s);
    post.announce("a");
    EXPECT_TRUE(waits->join_until(std::nullopt));
  });
}

TEST(WakeUpPost, GivesNothingAtTheDeadlineOrWhenItIsToldToStop) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w");
    EXPECT_FALSE(post.hear(*w, 5s));
    EXPECT_EQ(post.since_begin(), 5s);
    const auto waits = runtime.start("w", [&](std::stop_token stop) {
      const auto heard = w->receive(run_epoch + 1h, stop);
      EXPECT_TRUE(heard.ok() && !*heard);
      EXPECT_EQ(post.since_begin(), 8s);
    });
    post.pass(3s);
    waits->request_stop();
    EXPECT_TRUE(waits->join_until(std::nullopt));
  });
}

TEST(WakeUpPost, LetsTheDeadSayAndHearNothing) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    bool is_dead = false;
    const auto mortal = post.post.line_of("m", {"q"}, [&] { return is_dead; });
    const auto w = post.line("w");
    post.announce("a");
    const auto heard = post.hear(*mortal);
    ASSERT_TRUE(heard);
    is_dead = true;
    const std::size_t told = post.told.size();
    EXPECT_FALSE(mortal->announce("q", "b").ok());
    EXPECT_FALSE(mortal->receive(run_epoch + 1h, {}).ok());
    EXPECT_FALSE(mortal->prolong(heard->receipt).ok());
    EXPECT_FALSE(mortal->remove(heard->receipt).ok());
    EXPECT_EQ(post.told.size(), told);
    EXPECT_EQ(post.hear_all(*w, 1h), Texts{"a"});
  });
}

TEST(WakeUpPost, LetsWhoeverDiesWhileHeWaitsHearNothing) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    bool is_dead = false;
    const auto mortal = post.post.line_of("m", {"q"}, [&] { return is_dead; });
    const auto waits = runtime.start("m", [&](std::stop_token) {
      EXPECT_FALSE(mortal->receive(run_epoch + 1h, {}).ok());
    });
    post.pass(3s);
    is_dead = true;
    post.announce("a");
    EXPECT_TRUE(waits->join_until(std::nullopt));
    EXPECT_EQ(post.hear_all(*post.line("w")), Texts{"a"});
  });
}

// --- spoiled ---

TEST(WakeUpPostThatDrops, LosesEachThatIsAnnounced) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w");
    post.announce("before");
    const int spoiler = post.post.spoil(Spoiling::dropped, 100, Duration{0});
    EXPECT_EQ(post.post.struck(spoiler), 0u);
    post.announce(Texts{"a", "b"});
    EXPECT_EQ(post.hear_all(*w, 1h), Texts{"before"});
    EXPECT_EQ(post.post.struck(spoiler), 2u);
    EXPECT_EQ(post.told_of("wakeup_spoiled"),
              (Texts{"wakeup_spoiled a #2 dropped", "wakeup_spoiled b #3 dropped"}));
    EXPECT_EQ(post.told_of("wakeup_sent").size(), 3u);
  });
}

TEST(WakeUpPostThatDoubles, MakesTwoOfOne) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w"), v = post.line("v");
    const int spoiler = post.post.spoil(Spoiling::doubled, 100, Duration{0});
    post.announce("a");
    const auto one = post.hear(*w), other = post.hear(*v);
    ASSERT_TRUE(one && other);
    EXPECT_FALSE(post.hear(*w));
    EXPECT_EQ(one->says, other->says);
    EXPECT_NE(one->receipt, other->receipt);
    EXPECT_TRUE(w->remove(one->receipt).ok());
    EXPECT_TRUE(v->prolong(other->receipt).ok());
    EXPECT_EQ(post.post.struck(spoiler), 1u);
    EXPECT_EQ(post.told_of("wakeup_spoiled"), Texts{"wakeup_spoiled a #1 doubled"});
  });
}

TEST(WakeUpPostThatDelays, HoldsThemBackWithinItsBound) {
  std::vector<Duration> lates;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    in_virtual_time([&](VirtualRuntime& runtime) {
      Post post(runtime, seed);
      const auto w = post.line("w");
      const int spoiler = post.post.spoil(Spoiling::delayed, 100, 20s);
      post.announce("a");
      EXPECT_FALSE(post.hear(*w));
      EXPECT_TRUE(post.hear(*w, 20s));
      lates.push_back(post.since_begin());
      EXPECT_EQ(post.post.struck(spoiler), 1u);
      EXPECT_EQ(post.told_of("wakeup_spoiled"), Texts{"wakeup_spoiled a #1 delayed"});
    });
  EXPECT_GT(std::ranges::min(lates), 0s);
  EXPECT_LE(std::ranges::max(lates), 20s);
  EXPECT_LT(std::ranges::min(lates), std::ranges::max(lates));
}

std::size_t place_of(const Texts& all, const std::string& one) {
  return static_cast<std::size_t>(std::ranges::find(all, one) - all.begin());
}

TEST(WakeUpPostThatReorders, LetsTheNextOvertakeWhatItHolds) {
  std::uint64_t struck = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    in_virtual_time([&](VirtualRuntime& runtime) {
      Post post(runtime, seed);
      const auto w = post.line("w");
      const int spoiler = post.post.spoil(Spoiling::reordered, 50, 5s);
      const Texts sent{"a", "b", "c", "d", "e", "f"};
      post.announce(sent);
      // The overtaken wait no longer; those that nobody overtook do.
      Texts heard = post.hear_all(*w);
      const Texts held = post.hear_all(*w, 5s);
      heard.insert(heard.end(), held.begin(), held.end());
      ASSERT_EQ(heard.size(), sent.size());
      const Texts spoiled = post.told_of("wakeup_spoiled");
      EXPECT_EQ(post.post.struck(spoiler), spoiled.size());
      struck += spoiled.size();
      for (const std::string& says : sent) {
        const bool is_told = std::ranges::any_of(spoiled, [&](const std::string& one) {
          return one.starts_with("wakeup_spoiled " + says + " ") && one.ends_with(" reordered");
        });
        const bool is_overtaken = std::ranges::any_of(sent, [&](const std::string& later) {
          return later > says && place_of(heard, later) < place_of(heard, says);
        });
        EXPECT_EQ(is_told, is_overtaken) << seed << " " << says;
        EXPECT_FALSE(is_told && std::ranges::count(held, says)) << seed << " " << says;
      }
    });
  EXPECT_GT(struck, 0u);
}

TEST(WakeUpPostThatReorders, LetsOneGoThatNobodyOvertakes) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w");
    const int spoiler = post.post.spoil(Spoiling::reordered, 100, 5s);
    post.announce("a");
    EXPECT_TRUE(post.hear(*w, 1h));
    EXPECT_EQ(post.since_begin(), 5s);
    EXPECT_EQ(post.post.struck(spoiler), 0u);
  });
}

TEST(WakeUpPostThatShowsAgain, ShowsWhatIsHiddenToSomebodyElse) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w"), v = post.line("v");
    const int spoiler = post.post.spoil(Spoiling::shown_again, 100, 5s);
    post.announce("a");
    const auto first = post.hear(*w);
    EXPECT_EQ(post.post.struck(spoiler), 0u);
    const auto again = post.hear(*v, 1h);
    ASSERT_TRUE(first && again);
    EXPECT_GT(post.since_begin(), 0s);
    EXPECT_LE(post.since_begin(), 5s);
    EXPECT_EQ(post.post.struck(spoiler), 1u);
    EXPECT_EQ(post.told_of("wakeup_spoiled"), Texts{"wakeup_spoiled a #1 shown_again"});
    EXPECT_EQ(w->prolong(first->receipt).error().code, ErrorCode::lease_lost);
    EXPECT_TRUE(v->remove(again->receipt).ok());
  });
}

TEST(WakeUpPostThatShowsAgain, ShowsProlongedOnesToo) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w"), v = post.line("v");
    post.post.spoil(Spoiling::shown_again, 100, 5s);
    post.announce("a");
    const auto first = post.hear(*w);
    EXPECT_TRUE(w->prolong(first->receipt).ok());
    EXPECT_TRUE(post.hear(*v, 5s));
  });
}

TEST(WakeUpPostThatShowsAgain, HasNothingToShowOfWhatWasRemoved) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w");
    const int spoiler = post.post.spoil(Spoiling::shown_again, 100, 5s);
    post.announce("a");
    EXPECT_TRUE(w->remove(post.hear(*w)->receipt).ok());
    EXPECT_FALSE(post.hear(*w, 1h));
    EXPECT_EQ(post.post.struck(spoiler), 0u);
  });
}

// --- spared ---

TEST(WakeUpPostThatIsSpared, SpoilsNothingMore) {
  for (std::size_t how = 0; how < spoilings.size(); ++how)
    in_virtual_time([&](VirtualRuntime& runtime) {
      Post post(runtime);
      const auto w = post.line("w"), v = post.line("v");
      const int spoiler = post.post.spoil(static_cast<Spoiling>(how), 100, 5s);
      post.post.spare(spoiler);
      post.post.spare(spoiler);
      post.announce(Texts{"a", "b"});
      EXPECT_EQ(post.hear(*w)->says, "a") << spoilings[how];
      EXPECT_EQ(post.hear(*w)->says, "b") << spoilings[how];
      EXPECT_FALSE(post.hear(*v, Post::visibility - 1ms)) << spoilings[how];
      EXPECT_EQ(post.post.struck(spoiler), 0u);
    });
}

TEST(WakeUpPostThatIsSpared, LetsGoAtOnceWhatItHolds) {
  for (const Spoiling how : {Spoiling::delayed, Spoiling::reordered})
    in_virtual_time([&](VirtualRuntime& runtime) {
      Post post(runtime);
      const auto w = post.line("w");
      const int spoiler = post.post.spoil(how, 100, 1h);
      post.announce("a");
      const auto waits = runtime.start("w", [&](std::stop_token) {
        EXPECT_TRUE(post.hear(*w, 1h)) << name_of(how);
        EXPECT_EQ(post.since_begin(), 1ms) << name_of(how);
      });
      post.pass(1ms);
      post.post.spare(spoiler);
      EXPECT_TRUE(waits->join_until(std::nullopt));
    });
}

TEST(WakeUpPostThatIsSpared, LeavesHiddenWhatItWasToShow) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w"), v = post.line("v");
    const int spoiler = post.post.spoil(Spoiling::shown_again, 100, 5s);
    post.announce("a");
    EXPECT_TRUE(post.hear(*w));
    post.post.spare(spoiler);
    EXPECT_TRUE(post.hear(*v, 1h));
    EXPECT_EQ(post.since_begin(), Post::visibility);
    EXPECT_EQ(post.post.struck(spoiler), 0u);
  });
}

TEST(WakeUpPostThatIsSpared, LeavesToOthersWhatTheyHold) {
  in_virtual_time([](VirtualRuntime& runtime) {
    Post post(runtime);
    const auto w = post.line("w");
    const int one = post.post.spoil(Spoiling::delayed, 100, 1h);
    const int other = post.post.spoil(Spoiling::delayed, 100, 1h);
    post.announce("a");
    EXPECT_EQ(post.post.struck(one), 1u);
    EXPECT_EQ(post.post.struck(other), 0u);
    post.post.spare(other);
    EXPECT_FALSE(post.hear(*w));
    post.post.spare(one);
    EXPECT_TRUE(post.hear(*w));
  });
}

// --- the same from the same seed ---

Texts told_of_forty(std::uint64_t seed, const std::vector<Spoiling>& hows) {
  Texts told;
  in_virtual_time([&](VirtualRuntime& runtime) {
    Post post(runtime, seed);
    const auto w = post.line("w");
    for (const Spoiling how : hows) post.post.spoil(how, 50, 5s);
    for (int i = 0; i < 40; ++i) post.announce(std::to_string(i));
    post.hear_all(*w, 1min);
    told = post.told;
  });
  return told;
}

TEST(WakeUpPostOfASeed, SpoilsTheSame) {
  const std::vector<Spoiling> all{Spoiling::dropped, Spoiling::doubled, Spoiling::delayed,
                                  Spoiling::reordered, Spoiling::shown_again};
  EXPECT_EQ(told_of_forty(7, all), told_of_forty(7, all));
  EXPECT_NE(told_of_forty(7, all), told_of_forty(8, all));
}

TEST(WakeUpPostOfASeed, DropsTheSameWhateverElseGoesWrong) {
  const auto dropped = [](const Texts& told) {
    Texts some;
    for (const std::string& one : told)
      if (one.ends_with(" dropped")) some.push_back(one);
    return some;
  };
  const Texts alone = dropped(told_of_forty(7, {Spoiling::dropped}));
  EXPECT_EQ(alone, dropped(told_of_forty(7, {Spoiling::dropped, Spoiling::delayed})));
  // About half of them.
  EXPECT_GT(alone.size(), 10u);
  EXPECT_LT(alone.size(), 30u);
}

}  // namespace
}  // namespace assay
