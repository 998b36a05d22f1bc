#include "tests/drivers/wakeups_suite.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>

#include "tests/drivers/child.h"

namespace assay::on_store {
namespace {

std::unique_ptr<WakeUps> listen(Rig& rig, const std::vector<std::string>& queues) {
  auto wakeups = rig.driver->wakeups(queues);
  EXPECT_TRUE(wakeups.ok()) << wakeups.error().message;
  return std::move(wakeups).value();
}

void expect_woken(WakeUps& wakeups, const std::string& queue, const std::string& why) {
  const Stopwatch watch;
  const auto woken = wakeups.wait(patience, {});
  ASSERT_TRUE(woken.ok()) << why << ": " << woken.error().message;
  ASSERT_TRUE(woken->has_value()) << why;
  EXPECT_EQ((*woken)->queue, queue) << why;
  EXPECT_LT(watch.seconds(), 5) << why;
}

}  // namespace

TEST_P(WakeUpsOnStore, WakesForWhateverMakesAJobRunnable) {
  Rig rig = this->rig();
  const auto wakeups = listen(rig, {"q"});
  const auto expect = [&](const std::string& why) {
    expect_woken(*wakeups, "q", why);
    drain(*wakeups);
  };
  ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("one")).ok());
  {
    const auto woken = wakeups->wait(patience, {});
    ASSERT_TRUE(woken.ok() && *woken);
    if (!GetParam().store.wakes_for_nothing) {
      EXPECT_EQ((*woken)->job_id, "one");
    }
  }
  drain(*wakeups);
  const std::vector<Enqueue> many{Rig::job("two"), Rig::job("three")};
  for (const auto& made : rig.session->enqueue_all(rig.now(), many)) ASSERT_TRUE(made.ok());
  expect("enqueue_all");
  NewJob unnamed = Rig::job("").job;
  unnamed.id.reset();
  ASSERT_TRUE(rig.session->enqueue(rig.now(), {unnamed}).ok());
  expect("an enqueue without an id");
  ASSERT_TRUE(rig.commit({{}, {}, {}, {}, {Rig::job("four")}}).ok());
  expect("a commit's enqueue");
  ASSERT_TRUE(rig.commit({{}, {}, {}, {{"c", 1, "m", {Rig::job("five")}}}, {}}).ok());
  expect("the end of a countdown");

  Rig other(GetParam(), url_, {"on_store_2"});
  const auto others = listen(other, {"q"});
  const auto settled = [&](const std::string& id, bool in_commit) {
    const Hold hold = other.claim(id);
    drain(*others);
    const bool engine = other.profile().decider == Decider::engine;
    if (in_commit && engine)
      ASSERT_TRUE(other.commit({Retry{hold, other.now(), 1, "e"}, {}, {}, {}, {}}).ok());
    else if (in_commit)
      ASSERT_TRUE(other.commit({Nack{hold, "e", false}, {}, {}, {}, {}}).ok());
    else if (engine)
      ASSERT_TRUE(other.session->retry(other.now(), {hold, other.now(), 1, "e"}).ok());
    else
      ASSERT_TRUE(other.session->nack(other.now(), {hold, "e", false}).ok());
    expect_woken(*others, "q", "a failure");
    drain(*others);
    const Hold again = other.claim_again(id);
    ASSERT_TRUE(other.session->ack(other.now(), {again}).ok());
  };
  if (other.profile().default_limit > 1) {
    settled("retried", false);
    settled("retried in a commit", true);
  }
  if (other.profile().has("dlq_ops") && other.profile().decider == Decider::engine) {
    const Hold hold = other.claim("buried");
    ASSERT_TRUE(other.session->fail(other.now(), {hold, 1, "r", "e"}).ok());
    drain(*others);
    const auto requeued = other.session->requeue(other.now(), {"buried", {}, true});
    ASSERT_TRUE(requeued.ok()) << requeued.error().message;
    expect_woken(*others, "q", "a requeue");
    drain(*others);
  }
  if (rig.profile().has("pause")) {
    ASSERT_TRUE(rig.session->pause(rig.now(), {"q"}).ok());
    drain(*wakeups);
    ASSERT_TRUE(rig.session->resume(rig.now(), {"q"}).ok());
    expect("a resume");
  }
}

TEST_P(WakeUpsOnStore, WakesWhoWaitsAlready) {
  Rig rig = this->rig();
  const auto wakeups = listen(rig, {"p", "q"});
  std::optional<WakeUp> woken;
  {
    const std::jthread waiter([&] { woken = wakeups->wait(patience, {}).value(); });
    ASSERT_TRUE(rig.open("another")->enqueue(rig.now(), Rig::job("one")).ok());
  }
  ASSERT_TRUE(woken);
  EXPECT_EQ(woken->queue, "q");
}

TEST_P(WakeUpsOnStore, WakesForWhatAnotherProcessDoes) {
  if (!GetParam().store.is_shared) GTEST_SKIP() << "processes do not share it";
  { Rig rig = this->rig(); }
  const int go = ::eventfd(0, 0);
  Child child([&](const Child::Tell&) {
    eventfd_t word = 0;
    CHECK(::eventfd_read(go, &word) == 0);
    Rig rig = this->rig({"on_store", Create::never});
    EXPECT_TRUE(rig.session->enqueue(rig.now(), Rig::job("one")).ok());
  });
  {
    Rig rig = this->rig({"on_store", Create::never});
    const auto wakeups = listen(rig, {"q"});
    EXPECT_EQ(drain(*wakeups), 0);
    ASSERT_EQ(::eventfd_write(go, 1), 0);
    expect_woken(*wakeups, "q", "another process");
    EXPECT_EQ(rig.state("one"), "ready");
  }
  EXPECT_EQ(child.wait(), 0);
  ::close(go);
}

TEST_P(WakeUpsOnStore, LetsThoseOfOtherQueuesSleep) {
  Rig rig = this->rig(), other = this->rig({"on_store_2"});
  const auto wakeups = listen(rig, {"a"});
  for (const std::string& queue : {std::string("b"), std::string("A"), std::string("a\0", 2),
                                   std::string("a:"), std::string(1000, 'a')})
    ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("of " + queue, queue)).ok());
  ASSERT_TRUE(other.session->enqueue(other.now(), Rig::job("one", "a")).ok());
  if (rig.profile().has("schedule_at_enqueue") && !GetParam().store.wakes_for_nothing) {
    NewJob later = Rig::job("later", "a").job;
    later.run_at = rig.now() + Duration{60'000};
    ASSERT_TRUE(rig.session->enqueue(rig.now(), {later}).ok());
  }
  // What was refused did nothing either.
  ASSERT_FALSE(rig.commit({{}, {{"k", "", 7}}, {}, {}, {Rig::job("refused", "a")}}).ok());
  EXPECT_EQ(drain(*wakeups), 0);
  ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("at last", "a")).ok());
  expect_woken(*wakeups, "a", "its own");
  ASSERT_TRUE(other.driver->teardown().ok());
}

TEST_P(WakeUpsOnStore, KnowsQueuesOfAnyName) {
  Rig rig = this->rig();
  const std::vector<std::string> queues = {
      std::string("\0", 1), "it's", "\"quoted\"", "a b",
      "\xff\xfe",           ":",    "%s",         std::string(3000, 'x')};
  const auto wakeups = listen(rig, queues);
  for (std::size_t i = 0; i < queues.size(); ++i) {
    ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("j" + std::to_string(i), queues[i])).ok());
    if (GetParam().store.wakes_for_nothing) continue;
    expect_woken(*wakeups, queues[i], "number " + std::to_string(i));
  }
  if (!GetParam().store.wakes_for_nothing) return;
  std::set<std::string> woken;
  for (auto next = wakeups->wait(patience, {}); next.ok() && *next && woken.size() < queues.size();
       next = wakeups->wait(Duration{100}, {}))
    woken.insert((*next)->queue);
  EXPECT_EQ(woken, std::set<std::string>(queues.begin(), queues.end()));
}

TEST_P(WakeUpsOnStore, StopsWaitingWhenToldTo) {
  Rig rig = this->rig();
  const auto wakeups = listen(rig, {"q"});
  const Stopwatch watch;
  {
    std::jthread waiter([&](const std::stop_token& stop) {
      const auto nothing = wakeups->wait(Duration{600'000}, stop);
      EXPECT_TRUE(nothing.ok() && !*nothing);
    });
    drain(*listen(rig, {"other"}));
    waiter.request_stop();
  }
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(wakeups->wait(Duration{600'000}, stopped.get_token())->has_value());
  EXPECT_FALSE(wakeups->wait(Duration{0}, {})->has_value());
  EXPECT_FALSE(wakeups->wait(Duration{-5}, {})->has_value());
  EXPECT_LT(watch.seconds(), 20);
  // And what comes afterwards is not lost.
  ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("one")).ok());
  expect_woken(*wakeups, "q", "after a stop");
}

TEST_P(WakeUpsOnStore, KeepsABoundedNumberForWhoDoesNotRead) {
  Rig rig = this->rig();
  const auto wakeups = listen(rig, {"q", "r"});
  std::vector<Enqueue> jobs;
  for (int i = 0; i < 10'000; ++i) jobs.push_back(Rig::job("j" + std::to_string(i)));
  for (const Enqueue& one : std::span(jobs).first(2000))
    ASSERT_TRUE(rig.session->enqueue(rig.now(), one).ok());
  for (const auto& made : rig.session->enqueue_all(rig.now(), std::span(jobs).subspan(2000)))
    ASSERT_TRUE(made.ok());
  // All have arrived when another, who was told of the last one alone, has it; or nearly.
  const auto other = listen(rig, {"end"});
  ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("end", "end")).ok());
  expect_woken(*other, "end", "the last");
  drain(*other);
  const int read = drain(*wakeups);
  EXPECT_GE(read, 1);
  EXPECT_LT(read, 3000);
  ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("last", "r")).ok());
  const auto woken = wakeups->wait(patience, {});
  ASSERT_TRUE(woken.ok() && *woken);
}

TEST_P(WakeUpsOnStore, TellsEveryListenerAndLeavesNothingBehind) {
  Rig rig = this->rig();
  auto one = listen(rig, {"q", "q"});
  const auto other = listen(rig, {"q"});
  ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("one")).ok());
  expect_woken(*one, "q", "the first");
  expect_woken(*other, "q", "the second");
  one.reset();
  drain(*other);
  ASSERT_TRUE(rig.session->enqueue(rig.now(), Rig::job("two")).ok());
  expect_woken(*other, "q", "the one that is left");
  EXPECT_EQ(rig.driver->wakeups({}).error().code, ErrorCode::invalid);
  EXPECT_EQ(rig.driver->wakeups({"q", ""}).error().code, ErrorCode::invalid);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(WakeUpsOnStore);

}  // namespace assay::on_store
