// Channels: a received message is hidden, prolonged, deleted, or comes again; and what a worker's
// ear does with that.
#include "engine/channel.h"

#include <set>

#include "engine/ear.h"
#include "engine/in_process_channel.h"
#include "engine/lossy_channel.h"
#include "engine/queue_channel.h"
#include "tests/engine/shop.h"

namespace assay::engine {
namespace {

constexpr Duration visibility = 10s;

Message next(Channel& channel, Shop& shop, Duration wait = 0s) {
  const auto received = channel.receive(shop.now() + wait, {});
  EXPECT_TRUE(received.ok()) << received.error().message;
  if (!received.ok() || !*received) return {};
  return **received;
}

// What both kinds must do, in virtual time.
class Channels : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Channel> make(Shop& shop) {
    if (GetParam() == std::string("in_process"))
      return std::make_unique<InProcessChannel>(shop.runtime(), visibility);
    QueueChannel::Options options;
    options.visibility = visibility;
    options.poll = 500ms;
    options.listens = false;
    return QueueChannel::make(shop.runtime(), shop.driver(), options).value();
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, Channels, testing::Values("in_process", "queue"),
                         [](const auto& info) { return info.param; });

TEST_P(Channels, HandOutEachMessageOnce) {
  Shop shop;
  shop.run([&] {
    const auto channel = make(shop);
    for (const auto task : {"a", "b", "c"}) EXPECT_TRUE(channel->announce(task).ok());
    std::set<JobId> tasks;
    for (int i = 0; i < 3; ++i) tasks.insert(next(*channel, shop).task);
    EXPECT_EQ(tasks, (std::set<JobId>{"a", "b", "c"}));
    EXPECT_EQ(next(*channel, shop).task, "");
  });
}

TEST_P(Channels, BringAMessageAgainThatWasNeitherDeletedNorProlonged) {
  Shop shop;
  shop.run([&] {
    const auto channel = make(shop);
    EXPECT_TRUE(channel->announce("a").ok());
    const Message first = next(*channel, shop);
    EXPECT_EQ(first.hidden_until, shop.now() + visibility);
    shop.pass(visibility - 1ms);
    EXPECT_EQ(next(*channel, shop).task, "");
    const Message again = next(*channel, shop, 5s);
    EXPECT_EQ(again.task, "a");
    EXPECT_NE(again.receipt, first.receipt);
    EXPECT_LE(shop.now(), run_epoch + visibility + 500ms);
  });
}

TEST_P(Channels, KeepAMessageHiddenThatIsProlonged) {
  Shop shop;
  shop.run([&] {
    const auto channel = make(shop);
    EXPECT_TRUE(channel->announce("a").ok());
    const Message message = next(*channel, shop);
    for (int i = 0; i < 6; ++i) {
      shop.pass(visibility / 2);
      const auto until = channel->prolong(message);
      ASSERT_TRUE(until.ok()) << until.error().message;
      EXPECT_EQ(*until, shop.now() + visibility);
      EXPECT_EQ(next(*channel, shop).task, "");
    }
    EXPECT_EQ(next(*channel, shop, visibility + 1s).task, "a");
  });
}

TEST_P(Channels, ForgetAMessageThatWasDeleted) {
  Shop shop;
  shop.run([&] {
    const auto channel = make(shop);
    EXPECT_TRUE(channel->announce("a").ok());
    EXPECT_TRUE(channel->remove(next(*channel, shop)).ok());
    EXPECT_EQ(next(*channel, shop, 2 * visibility).task, "");
  });
}

// An old receiver must not delete what another one has received since.
TEST_P(Channels, TakeNoOldReceipt) {
  Shop shop;
  shop.run([&] {
    const auto channel = make(shop);
    EXPECT_TRUE(channel->announce("a").ok());
    const Message first = next(*channel, shop);
    const Message second = next(*channel, shop, visibility + 1s);
    EXPECT_EQ(second.task, "a");
    EXPECT_FALSE(channel->remove(first).ok());
    EXPECT_FALSE(channel->prolong(first).ok());
    EXPECT_TRUE(channel->prolong(second).ok());
    EXPECT_EQ(next(*channel, shop, visibility + 1s).task, "a") << "it is still there";
  });
}

TEST_P(Channels, WakeWhoWaits) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Shop shop({.seed = seed});
    shop.run([&] {
      const auto channel = make(shop);
      const auto speaker = shop.runtime().start(
          "speaker", [&](std::stop_token) { EXPECT_TRUE(channel->announce("a").ok()); });
      EXPECT_EQ(next(*channel, shop, 1h).task, "a");
      EXPECT_LE(shop.now(), run_epoch + 500ms);
    });
  }
}

TEST_P(Channels, AreWaitedForUntilTheListenerIsStopped) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Shop shop({.seed = seed});
    shop.run([&] {
      const auto channel = make(shop);
      const auto listener = shop.runtime().start("listener", [&](std::stop_token stop) {
        EXPECT_FALSE(channel->receive(run_epoch + 1h, stop)->has_value());
      });
      listener->request_stop();
      EXPECT_TRUE(listener->join_until(run_epoch + 1s)) << seed;
    });
  }
}

TEST(InProcessChannelTest, ForgetsTheOldestWhereNobodyListens) {
  Shop shop;
  shop.run([&] {
    InProcessChannel channel(shop.runtime(), visibility, 2);
    for (const auto task : {"a", "b", "c"}) EXPECT_TRUE(channel.announce(task).ok());
    EXPECT_EQ(next(channel, shop).task, "b");
  });
}

TEST(QueueChannelTest, RefusesAQueueWhoseClaimsNameAJob) {
  Shop shop({.profile = "trace"});
  EXPECT_FALSE(QueueChannel::make(shop.runtime(), shop.driver(), {}).ok());
}

// --- the channel that is a fault ---

struct Lossy {
  Lossy(Shop& shop, Losses losses, std::uint64_t seed = 1)
      : inner(shop.runtime(), visibility),
        channel(LossyChannel::make(shop.runtime(), inner, {"lossy", losses, seed, &shop}).value()) {
  }
  InProcessChannel inner;
  std::unique_ptr<LossyChannel> channel;
};

// All that comes within the time.
std::vector<JobId> heard(Channel& channel, Shop& shop, Duration within) {
  std::vector<JobId> tasks;
  const Instant end = shop.now() + within;
  while (shop.now() < end) {
    const auto received = channel.receive(end, {});
    if (!received.ok() || !*received) break;
    tasks.push_back((**received).task);
    EXPECT_TRUE(channel.remove(**received).ok());
  }
  return tasks;
}

TEST(LossyChannelTest, LosesAndDoublesAsOftenAsItIsTold) {
  Shop shop;
  shop.run([&] {
    Lossy lossy(shop, {.drop_percent = 30, .duplicate_percent = 50});
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(lossy.channel->announce(std::to_string(i)).ok());
    const auto counts = lossy.channel->counts();
    EXPECT_NEAR(static_cast<double>(counts.dropped), 300, 60);
    EXPECT_NEAR(static_cast<double>(counts.doubled), 350, 60);
    EXPECT_EQ(static_cast<std::int64_t>(heard(*lossy.channel, shop, 1s).size()),
              1000 - counts.dropped + counts.doubled);
    EXPECT_EQ(static_cast<std::int64_t>(shop.all<WakeUpSpoiled>().size()),
              counts.dropped + counts.doubled);
  });
}

TEST(LossyChannelTest, DelaysAndWakesItsListenerInTime) {
  Shop shop;
  shop.run([&] {
    Lossy lossy(shop, {.delay_percent = 100, .delay = 8s});
    const auto listener = shop.runtime().start("listener", [&](std::stop_token) {
      EXPECT_EQ(heard(*lossy.channel, shop, 9s).size(), 20u);
    });
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(lossy.channel->announce(std::to_string(i)).ok());
    EXPECT_EQ(lossy.channel->counts().delayed, 20);
    EXPECT_TRUE(listener->join_until(std::nullopt));
  });
}

TEST(LossyChannelTest, Reorders) {
  Shop shop;
  shop.run([&] {
    Lossy lossy(shop, {.reorder_percent = 40, .reorder_within = 2s});
    std::vector<JobId> said;
    for (int i = 0; i < 50; ++i) {
      said.push_back(std::to_string(i));
      EXPECT_TRUE(lossy.channel->announce(said.back()).ok());
    }
    auto came = heard(*lossy.channel, shop, 3s);
    EXPECT_NE(came, said);
    EXPECT_GT(lossy.channel->counts().reordered, 5);
    std::ranges::sort(came);
    std::ranges::sort(said);
    EXPECT_EQ(came, said) << "none is lost by that";
  });
}

TEST(LossyChannelTest, SaysThatItDeletedAndDidNot) {
  Shop shop;
  shop.run([&] {
    Lossy lossy(shop, {.undelete_percent = 100});
    EXPECT_TRUE(lossy.channel->announce("a").ok());
    EXPECT_TRUE(lossy.channel->remove(next(*lossy.channel, shop)).ok());
    EXPECT_EQ(next(*lossy.channel, shop, visibility).task, "a");
  });
}

TEST(LossyChannelTest, DoesTheSameForTheSameSeed) {
  const auto once = [](std::uint64_t seed) {
    Shop shop;
    std::vector<JobId> came;
    shop.run([&] {
      Lossy lossy(shop, {20, 20, 30, 5s, 30, 3s, 20}, seed);
      for (int i = 0; i < 50; ++i) EXPECT_TRUE(lossy.channel->announce(std::to_string(i)).ok());
      came = heard(*lossy.channel, shop, 9s);
    });
    return came;
  };
  EXPECT_EQ(once(7), once(7));
  EXPECT_NE(once(7), once(8));
}

TEST(LossyChannelTest, RefusesLossesThatMakeNoSense) {
  EXPECT_TRUE(objection_to(Losses{.drop_percent = 101}));
  EXPECT_TRUE(objection_to(Losses{.reorder_percent = -1}));
  EXPECT_TRUE(objection_to(Losses{.delay = -1s}));
  EXPECT_FALSE(objection_to(Losses{}));
}

// --- the ear ---

// A worker that knows only what it hears, and begins at once.
struct Listening {
  Listening(Shop& shop, Channel& channel, Handler handler, std::string name = "w",
            std::string queue = "q")
      : ear(shop.runtime(), channel, shop.driver().profile(),
            EarOptions{.name = name + "/messages", .queue = queue, .ahead = 2, .observer = &shop}) {
    WorkerOptions options = shop.options(std::move(handler));
    options.name = std::move(name);
    options.looks_itself = false;
    options.lease = 6s;
    options.poll_min = options.poll_max = 24h;
    options.wakeups = &ear;
    options.observer = &ear;
    worker = shop.start(options);
  }
  Ear ear;
  std::unique_ptr<Worker> worker;
};

TEST(EarTest, ProlongsAMessageWhileItsTaskRunsAndDeletesItThen) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Shop shop({.seed = seed, .profile = "trace"});
    shop.run([&] {
      InProcessChannel channel(shop.runtime(), visibility);
      Listening first(shop, channel, sleeps(1min), "w");
      Listening second(shop, channel, sleeps(1min), "v");
      EXPECT_TRUE(channel.announce(shop.put()).ok());
      shop.pass(59s);
      EXPECT_EQ(shop.all<WakeUpReceived>().size(), 1u) << "it was hidden all the time";
      EXPECT_EQ(channel.size(), 1u);
      shop.pass(2s);
      EXPECT_EQ(shop.states(), std::vector{JobState::done});
      EXPECT_EQ(channel.size(), 0u);
    });
    EXPECT_GE(shop.all<WakeUpProlonged>().size(), 10u);
    for (const Event& event : shop.all<WakeUpProlonged>())
      EXPECT_FALSE(what<WakeUpProlonged>(event).error) << told(event);
    EXPECT_EQ(shop.all<WakeUpDeleted>().size(), 1u);
  }
}

// Visibility is not correctness: with messages that hide for less than a second, and cannot be
// prolonged, the task still runs once.
TEST(EarTest, LetsATaskRunOnceThoughItsMessageComesAgainAndAgain) {
  struct Hasty final : Channel {
    explicit Hasty(Runtime& runtime) : inner(runtime, 900ms) {}
    Status announce(const JobId& task) override { return inner.announce(task); }
    Result<std::optional<Message>> receive(Instant deadline, std::stop_token stop) override {
      return inner.receive(deadline, std::move(stop));
    }
    Result<Instant> prolong(const Message&) override { return Trouble::no_answer(); }
    Status remove(const Message&) override { return Trouble::no_answer(); }
    Duration visibility() const override { return inner.visibility(); }
    InProcessChannel inner;
  };
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Shop shop({.seed = seed, .profile = "trace"});
    shop.run([&] {
      Hasty channel(shop.runtime());
      Listening first(shop, channel, sleeps(10s), "w");
      Listening second(shop, channel, sleeps(10s), "v");
      EXPECT_TRUE(channel.announce(shop.put()).ok());
      shop.pass(15s);
      EXPECT_EQ(shop.states(), std::vector{JobState::done});
    });
    EXPECT_EQ(shop.all<HandlerBegan>().size(), 1u) << seed;
    EXPECT_GE(shop.all<WakeUpReceived>().size(), 10u) << "it came again";
    EXPECT_GE(shop.all<NotClaimed>().size(), 1u);
  }
}

TEST(EarTest, DeletesWhatIsNotToBeHad) {
  Shop shop({.profile = "trace"});
  shop.run([&] {
    InProcessChannel channel(shop.runtime(), visibility);
    Listening listening(shop, channel, succeeds);
    for (const auto task : {"nobody", "j0", "j0"}) EXPECT_TRUE(channel.announce(task).ok());
    shop.pass(1s);
    EXPECT_EQ(channel.size(), 0u);
    EXPECT_GE(shop.all<NotClaimed>().size(), 2u);
    EXPECT_EQ(shop.put(), "j0");
    shop.pass(1h);
    EXPECT_EQ(shop.states(), std::vector{JobState::ready}) << "nobody heard of it";
    EXPECT_TRUE(channel.announce("j0").ok());
    shop.pass(1s);
    EXPECT_EQ(shop.states(), std::vector{JobState::done});
  });
}

// Who is busy leaves what it cannot run yet to others.
TEST(EarTest, TakesOnlyAFewAhead) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Shop shop({.seed = seed, .profile = "trace"});
    shop.run([&] {
      InProcessChannel channel(shop.runtime(), 1h);
      Listening busy(shop, channel, sleeps(1min), "w");
      for (int i = 0; i < 10; ++i) EXPECT_TRUE(channel.announce(shop.put()).ok());
      shop.pass(1s);
      EXPECT_EQ(shop.all<WakeUpReceived>().size(), 3u) << "one that runs, and two";
      Listening idle(shop, channel, succeeds, "v");
      shop.pass(1s);
      EXPECT_EQ(std::ranges::count(shop.states(), JobState::done), 7) << seed;
      shop.pass(3min);
      EXPECT_EQ(shop.states(), std::vector(10, JobState::done)) << seed;
      EXPECT_EQ(channel.size(), 0u);
    });
  }
}

// Its worker ends without its handler: the message is not deleted.
TEST(EarTest, LeavesAMessageWhoseLeaseIsLeftToLapse) {
  Shop shop({.profile = "trace"});
  shop.run([&] {
    InProcessChannel channel(shop.runtime(), visibility);
    bool is_first = true;
    const Handler first_hangs = [&](Context& context) -> HandlerResult {
      if (std::exchange(is_first, false)) context.clock().sleep_until(shop.now() + 3min, {});
      return Success{};
    };
    EXPECT_TRUE(channel.announce(shop.put()).ok());
    {
      Listening listening(shop, channel, first_hangs);
      shop.pass(20s);
      EXPECT_EQ(listening.worker->shutdown().did_not_return.size(), 1u);
    }
    EXPECT_EQ(channel.size(), 1u);
    shop.pass(visibility);
    EXPECT_EQ(next(channel, shop).task, "j0");
  });
}

TEST(EarTest, TakesAMessageAsAHintWhereClaimsNameNoJob) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Shop shop({.seed = seed});
    shop.run([&] {
      InProcessChannel channel(shop.runtime(), visibility);
      Listening listening(shop, channel, succeeds);
      shop.pass(1s);
      EXPECT_TRUE(channel.announce(shop.put()).ok());
      shop.pass(1s);
      EXPECT_EQ(shop.states(), std::vector{JobState::done});
      EXPECT_EQ(channel.size(), 0u);
    });
  }
}

TEST(EarTest, GoesOnListeningAfterAnErrorOfItsChannel) {
  struct Broken final : Channel {
    explicit Broken(Runtime& runtime) : inner(runtime) {}
    Status announce(const JobId& task) override { return inner.announce(task); }
    Result<std::optional<Message>> receive(Instant deadline, std::stop_token stop) override {
      if (errors-- > 0) return Trouble::no_answer();
      return inner.receive(deadline, std::move(stop));
    }
    Result<Instant> prolong(const Message& m) override { return inner.prolong(m); }
    Status remove(const Message& m) override { return inner.remove(m); }
    Duration visibility() const override { return inner.visibility(); }
    int errors = 5;
    InProcessChannel inner;
  };
  Shop shop({.profile = "trace"});
  shop.run([&] {
    Broken channel(shop.runtime());
    Listening listening(shop, channel, succeeds);
    EXPECT_TRUE(channel.announce(shop.put()).ok());
    shop.pass(4s);
    EXPECT_EQ(shop.states(), std::vector{JobState::ready}) << "it is left alone for a while";
    shop.pass(2s);
    EXPECT_EQ(shop.states(), std::vector{JobState::done});
  });
}

}  // namespace
}  // namespace assay::engine
